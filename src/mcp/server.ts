// The MCP server over stdio: registers the tools with their schemas, and returns failures as answers.
import { once } from "node:events";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { currentExclusion } from "../home/index.ts";
import type { ModelOverrides } from "../tokens/index.ts";
import { describeFailure, type Tool, type ToolContext, tools, workflow } from "../tools/index.ts";
import { type BackendOptions, openBackend } from "./backend.ts";

/** Claude Code shows other tools by their names alone until they are looked for. */
const always = { "anthropic/alwaysLoad": true };

type Result = {
  content: { type: "text"; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: true;
};

/** An error becomes an answer that a model can act on. */
async function answered(tool: Tool, context: ToolContext, input: unknown): Promise<Result> {
  try {
    const { text, data } = await tool.answer(context, input);
    const content: Result["content"] = [{ type: "text", text }];
    return tool.isText ? { content } : { content, structuredContent: data };
  } catch (error) {
    return { content: [{ type: "text", text: describeFailure(error) }], isError: true };
  }
}

/** `calls`: those that are not answered yet. */
function makeServer(version: string, context: ToolContext, calls: Set<Promise<Result>>) {
  const server = new McpServer(
    { name: "throughline", title: "Throughline", version },
    { instructions: workflow },
  );
  for (const tool of tools) {
    const { name, description, input, output, isReading, isAlwaysShown, isText } = tool;
    server.registerTool(
      name,
      {
        description,
        inputSchema: input,
        ...(!isText && { outputSchema: output }),
        annotations: {
          readOnlyHint: isReading,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
        ...(isAlwaysShown && { _meta: always }),
      },
      (given: unknown) => {
        const call = answered(tool, context, given);
        calls.add(call);
        return call.finally(() => calls.delete(call));
      },
    );
  }
  return server;
}

interface McpOptions extends BackendOptions {
  readonly cwd: string;
  readonly version: string;
  readonly model: string;
  readonly models: ModelOverrides;
  readonly input?: Readable;
  readonly output?: Writable;
}

/** Resolves when the input ends and every call is answered. Nothing but the protocol is written to the output. */
export async function serveMcp(options: McpOptions) {
  const { home, cwd, env, version, program, model, models } = options;
  const { input = process.stdin, output = process.stdout } = options;
  const session = env.CLAUDE_CODE_SESSION_ID;
  const context = {
    home,
    env,
    isExcluded: currentExclusion(home, env),
    folder: env.CLAUDE_PROJECT_DIR || cwd,
    backend: openBackend({ home, program, env }),
    model,
    models,
    ...(session && { session }),
  };
  const calls = new Set<Promise<Result>>();
  const server = makeServer(version, context, calls);
  const ended = once(input, "close");
  // The transport gives up what is under way when its own input ends.
  const requests = new PassThrough();
  input.pipe(requests, { end: false });
  await server.connect(new StdioServerTransport(requests, output));
  await ended;
  // A call that was read last begins in the next turn, and its answer is written in the one after it has ended.
  do {
    await nextTurn();
    await Promise.all(calls);
    await nextTurn();
  } while (calls.size > 0);
  await server.close();
}
