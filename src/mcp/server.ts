// The MCP server: the tools registered with their schemas and hints, and their failures told as answers.
import { McpServer } from "@modelcontextprotocol/server";
import { describeFailure } from "./failures.ts";
import { inputs, outputs } from "./schemas.ts";
import {
  important,
  observationsOf,
  recallText,
  saveMemory,
  searchFor,
  snipOrList,
  type ToolSurroundings,
  timelineAround,
  unsnip,
} from "./tools.ts";
import { descriptions, instructions } from "./words.ts";

const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const writes = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false };
/** Claude Code shows other tools by their names alone until they are looked for. */
const always = { "anthropic/alwaysLoad": true };

interface Told {
  readonly text: string;
  readonly data: Record<string, unknown>;
}

type Result = {
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
};

/** What is thrown becomes an answer that a model can act on. */
async function answered(work: () => Told | Promise<Told>): Promise<Result> {
  try {
    const { text, data } = await work();
    return { content: [{ type: "text", text }], structuredContent: data };
  } catch (error) {
    return { content: [{ type: "text", text: describeFailure(error) }], isError: true };
  }
}

export function makeServer(version: string, around: ToolSurroundings): McpServer {
  const server = new McpServer({ name: "throughline", title: "Throughline", version }, { instructions });
  server.registerTool(
    "__IMPORTANT",
    {
      description: descriptions.important,
      inputSchema: inputs.nothing,
      outputSchema: outputs.workflow,
      annotations: reads,
      _meta: always,
    },
    () => answered(important),
  );
  server.registerTool(
    "search",
    {
      description: descriptions.search,
      inputSchema: inputs.search,
      outputSchema: outputs.search,
      annotations: reads,
      _meta: always,
    },
    (input) => answered(() => searchFor(around, input)),
  );
  server.registerTool(
    "timeline",
    {
      description: descriptions.timeline,
      inputSchema: inputs.timeline,
      outputSchema: outputs.timeline,
      annotations: reads,
    },
    (input) => answered(() => timelineAround(around, input)),
  );
  server.registerTool(
    "get_observations",
    {
      description: descriptions.get_observations,
      inputSchema: inputs.observations,
      outputSchema: outputs.observations,
      annotations: reads,
    },
    (input) => answered(() => observationsOf(around, input)),
  );
  registerOthers(server, around);
  return server;
}

/** The tools that keep something, or bring it back. */
function registerOthers(server: McpServer, around: ToolSurroundings): void {
  server.registerTool(
    "save_memory",
    {
      description: descriptions.save_memory,
      inputSchema: inputs.memory,
      outputSchema: outputs.memory,
      annotations: writes,
    },
    (input) => answered(() => saveMemory(around, input)),
  );
  server.registerTool(
    "recall",
    {
      description: descriptions.recall,
      inputSchema: inputs.recall,
      outputSchema: outputs.recall,
      annotations: reads,
    },
    (input) => answered(() => recallText(around, input)),
  );
  server.registerTool(
    "snip",
    {
      description: descriptions.snip,
      inputSchema: inputs.snip,
      outputSchema: outputs.snip,
      annotations: writes,
    },
    (input) => answered(() => snipOrList(around, input)),
  );
  server.registerTool(
    "unsnip",
    {
      description: descriptions.unsnip,
      inputSchema: inputs.unsnip,
      outputSchema: outputs.snip,
      annotations: writes,
    },
    (input) => answered(() => unsnip(around, input)),
  );
}
