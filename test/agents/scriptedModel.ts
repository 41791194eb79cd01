// A model that answers by a script, for agents that are not Claude Code: OpenAI's Responses API on a socket, each request kept.
import { createServer, type Server } from "node:http";
import { isObject, type JsonObject, parseJson } from "../../src/lib/index.ts";

/** One answer of the model: words, or a call of the shell. `tokens` is the size of the window that it reports. */
export type Step = ({ readonly say: string } | { readonly run: string }) & { readonly tokens?: number };

export interface ModelRequest {
  readonly path: string;
  readonly body: JsonObject;
  /** Everything that the model was shown, as JSON. */
  readonly text: string;
}

export interface ScriptedModel {
  readonly requests: readonly ModelRequest[];
  /** What the next requests are answered with, in order; without a step the model says that it is done. */
  script(...steps: readonly Step[]): void;
  close(): Promise<void>;
}

const DEFAULT_TOKENS = 1_000;

function shellCall(command: string, names: readonly string[], id: number): JsonObject {
  const args = names.includes("exec_command") ? { cmd: command } : { command };
  const name = names.includes("exec_command") ? "exec_command" : "shell_command";
  return {
    type: "function_call",
    id: `fc_${id}`,
    call_id: `call_${id}`,
    name,
    arguments: JSON.stringify(args),
  };
}

const message = (words: string, id: number): JsonObject => ({
  type: "message",
  role: "assistant",
  id: `msg_${id}`,
  content: [{ type: "output_text", text: words, annotations: [] }],
});

/** The events of one streamed response. */
function responseEvents(item: JsonObject, id: number, tokens: number): JsonObject[] {
  const usage = {
    input_tokens: tokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: tokens + 20,
  };
  const response = { id: `resp_${id}`, object: "response", status: "completed", output: [item], usage };
  return [
    { type: "response.created", response: { id: `resp_${id}` } },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response },
  ];
}

const toolNames = (body: JsonObject) =>
  (Array.isArray(body.tools) ? body.tools : []).flatMap((tool) =>
    isObject(tool) && typeof tool.name === "string" ? tool.name : [],
  );

export async function startScriptedModel(socket: string): Promise<ScriptedModel> {
  const requests: ModelRequest[] = [];
  const steps: Step[] = [];
  let count = 0;
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      const path = (request.url ?? "").split("?")[0] ?? "";
      const parsed = parseJson(text);
      const body = isObject(parsed) ? parsed : {};
      if (!path.endsWith("/responses")) return void response.writeHead(404).end("{}");
      requests.push({ path, body, text });
      count += 1;
      const step = steps.shift() ?? { say: "All is done." };
      const item = "run" in step ? shellCall(step.run, toolNames(body), count) : message(step.say, count);
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of responseEvents(item, count, step.tokens ?? DEFAULT_TOKENS))
        response.write(`event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  return {
    requests,
    script: (...more) => void steps.push(...more),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
