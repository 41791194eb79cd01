// The MCP server: the tools registered with their schemas and hints, and their failures told as answers.
import { McpServer } from "@modelcontextprotocol/server";
import { describeFailure, instructions, type Tool, type ToolContext, tools } from "../tools/index.ts";

/** Claude Code shows other tools by their names alone until they are looked for. */
const always = { "anthropic/alwaysLoad": true };

type Result = {
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
};

/** What is thrown becomes an answer that a model can act on. */
async function answered(tool: Tool, around: ToolContext, input: unknown): Promise<Result> {
  try {
    const { text, data } = await tool.answer(around, input);
    return { content: [{ type: "text", text }], structuredContent: data };
  } catch (error) {
    return { content: [{ type: "text", text: describeFailure(error) }], isError: true };
  }
}

export function makeServer(version: string, around: ToolContext): McpServer {
  const server = new McpServer({ name: "throughline", title: "Throughline", version }, { instructions });
  for (const tool of tools) {
    const { name, description, input, output, isReading, isAlwaysShown } = tool;
    server.registerTool(
      name,
      {
        description,
        inputSchema: input,
        outputSchema: output,
        annotations: {
          readOnlyHint: isReading,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
        ...(isAlwaysShown ? { _meta: always } : {}),
      },
      (given: unknown) => answered(tool, around, given),
    );
  }
  return server;
}
