// A model that answers by a script, for agents: OpenAI's two APIs and, in words alone, Anthropic's, on a socket, each request kept.
import { createServer, type Server, type ServerResponse } from "node:http";
import { isObject, type JsonObject, parseJson } from "../../src/lib/index.ts";

/** One answer of the model: words, a call of the shell, or of any tool. `tokens` is the size of the window that it reports. */
export type Step = (
  | { readonly say: string }
  | { readonly run: string }
  | { readonly call: string; readonly input: JsonObject }
) & { readonly tokens?: number };

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

const shellNames = /^(bash|shell|exec|run_shell_command|execute_command|run_commands)$/;

/** The input of a shell tool by the names of its parameters. */
function shellInput(tool: JsonObject, command: string): JsonObject {
  const parameters = isObject(tool.parameters) ? tool.parameters : {};
  const names = Object.keys(isObject(parameters.properties) ? parameters.properties : {});
  const values: Record<string, unknown> = { commands: [command], description: "run", is_background: false };
  const filledIn = (name: string) => (/^(command|cmd)$/.test(name) ? command : values[name]);
  return Object.fromEntries(
    names.flatMap((name) => (filledIn(name) === undefined ? [] : [[name, filledIn(name)]])),
  );
}

function chatCall(step: Step, body: JsonObject): { name: string; input: JsonObject } | undefined {
  if ("call" in step) return { name: step.call, input: step.input };
  if (!("run" in step)) return undefined;
  const tools = (Array.isArray(body.tools) ? body.tools : []).filter(isObject).map((tool) => tool.function);
  const shell = tools.filter(isObject).find(({ name }) => shellNames.test(String(name)));
  return shell && { name: String(shell.name), input: shellInput(shell, step.run) };
}

/** The chunks of one streamed chat completion. */
function chatChunks(step: Step, body: JsonObject, id: number): JsonObject[] {
  const base = { id: `cc_${id}`, object: "chat.completion.chunk", created: 1, model: body.model };
  const tokens = step.tokens ?? DEFAULT_TOKENS;
  const usage = { prompt_tokens: tokens, completion_tokens: 20, total_tokens: tokens + 20 };
  const call = chatCall(step, body);
  const said = call
    ? {
        tool_calls: [
          {
            ...{ index: 0, id: `call_${id}`, type: "function" },
            function: { name: call.name, arguments: JSON.stringify(call.input) },
          },
        ],
      }
    : { content: "say" in step ? step.say : "" };
  const choice = (delta: JsonObject, finish_reason: string | null) => ({
    ...base,
    choices: [{ index: 0, delta, finish_reason }],
  });
  return [
    choice({ role: "assistant", ...said }, null),
    choice({}, call ? "tool_calls" : "stop"),
    { ...base, choices: [], usage },
  ];
}

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

function sendChunks(response: ServerResponse, chunks: readonly JsonObject[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  response.end("data: [DONE]\n\n");
}

function sendEvents(response: ServerResponse, events: readonly JsonObject[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events)
    response.write(`event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}

/** The events of one streamed message of Anthropic's API. Claude Code is only spoken to here. */
function messageEvents(step: Step, body: JsonObject, id: number): JsonObject[] {
  const usage = { input_tokens: step.tokens ?? DEFAULT_TOKENS, output_tokens: 20 };
  const about = { id: `msg_${id}`, type: "message", role: "assistant", model: body.model };
  const text = "say" in step ? step.say : "";
  return [
    { type: "message_start", message: { ...about, content: [], stop_reason: null, usage } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
}

/** A question beside the conversation, such as for a title: it takes no step of the script. */
const isSide = (body: JsonObject) =>
  /title generator|generate a (short|brief) title/i.test(JSON.stringify(body));

const answerSide = (response: ServerResponse, body: JsonObject): void =>
  sendChunks(response, chatChunks({ say: "A title" }, body, 0));

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
      const isChat = path.endsWith("/chat/completions");
      const isMessages = path.endsWith("/messages");
      if (!isChat && !isMessages && !path.endsWith("/responses"))
        return void response.writeHead(404).end("{}");
      if (isSide(body)) return answerSide(response, body);
      requests.push({ path, body, text });
      count += 1;
      const step = steps.shift() ?? { say: "All is done." };
      if (isChat) return sendChunks(response, chatChunks(step, body, count));
      if (isMessages) return sendEvents(response, messageEvents(step, body, count));
      const item =
        "run" in step
          ? shellCall(step.run, toolNames(body), count)
          : message("say" in step ? step.say : "", count);
      sendEvents(response, responseEvents(item, count, step.tokens ?? DEFAULT_TOKENS));
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
