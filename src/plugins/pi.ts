// Throughline inside the pi coding agent: events, what its sessions are told, the live window, compaction and tools.
import { piMessages } from "../dialects/index.ts";
import { callInOurTerms, defined, givenText, isObject, type JsonObject, shellError } from "../lib/index.ts";
import type { DescribedModel } from "../live/protocol.ts";
import { piPromptId } from "../transcript/piPrompt.ts";
import { openHost, type PluginHost, type PluginOptions } from "./host.ts";
import { openWindow, type PluginRequest, type PluginWindow } from "./window.ts";

interface PiModel {
  readonly id: string;
  readonly contextWindow: number;
  readonly maxTokens: number;
  readonly cost: Omit<DescribedModel, "window" | "maxOutput">;
}

/** What pi hands to every handler; see docs/extensions.md of its package. */
interface PiContext {
  readonly cwd: string;
  readonly hasUI: boolean;
  readonly ui: { notify(message: string, kind: "info"): void };
  readonly model: PiModel | undefined;
  getSystemPrompt(): string;
  readonly sessionManager: {
    getSessionId(): string;
    getSessionFile(): string | undefined;
    getLeafId(): string | null;
    getEntries(): readonly JsonObject[];
  };
}

type Handler = (event: JsonObject, context: PiContext) => unknown;

interface PiTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: JsonObject;
  execute(id: string, input: unknown, ...rest: readonly unknown[]): Promise<object>;
}

interface PiApi {
  on(event: string, handler: Handler): void;
  registerTool(tool: PiTool): void;
  getAllTools(): readonly JsonObject[];
  getActiveTools(): readonly string[];
}

const textsOf = (content: unknown) =>
  typeof content === "string"
    ? content
    : (Array.isArray(content) ? content : [])
        .flatMap((part) => (isObject(part) && typeof part.text === "string" ? [part.text] : []))
        .join("\n");

const objects = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

const baseOf = ({ cwd, model, sessionManager }: PiContext, event: string): JsonObject => ({
  hook_event_name: event,
  session_id: sessionManager.getSessionId(),
  cwd,
  ...defined({ transcript_path: sessionManager.getSessionFile(), model: model?.id }),
});

/** The hook of a tool's result, in Claude Code's terms. */
function toolPayload(event: JsonObject, context: PiContext): JsonObject {
  const { toolName, toolCallId, input, content, isError } = event;
  const call = callInOurTerms(String(toolName), isObject(input) ? input : {}, context.cwd);
  const about = { tool_name: call.name, tool_input: call.input, tool_use_id: toolCallId };
  const text = textsOf(content);
  return isError === true
    ? {
        ...baseOf(context, "PostToolUseFailure"),
        ...about,
        error: toolName === "bash" ? shellError(text) : text,
      }
    : { ...baseOf(context, "PostToolUse"), ...about, tool_response: text };
}

/** The last words of a run that came to its end. */
function lastWords(messages: unknown) {
  const last = objects(messages).findLast(({ role }) => role === "assistant");
  return last === undefined || last.stopReason === "aborted" ? "" : textsOf(last.content);
}

const requestOf = (pi: PiApi, context: PiContext): PluginRequest | undefined => {
  const { model, cwd, sessionManager } = context;
  if (!model) return undefined;
  const active = new Set(pi.getActiveTools());
  const tools = pi.getAllTools().filter(({ name }) => active.has(String(name)));
  return {
    ...{ session: sessionManager.getSessionId(), project: cwd, model: model.id },
    described: { window: model.contextWindow, maxOutput: model.maxTokens, ...model.cost },
    system: context.getSystemPrompt(),
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: parameters,
    })),
    ...defined({ transcript: sessionManager.getSessionFile() }),
  };
};

/** Usage of one answer in Anthropic's terms. */
const usageOf = ({ input = 0, output = 0, cacheRead = 0, cacheWrite = 0 }: JsonObject): JsonObject => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_input_tokens: cacheRead,
  cache_creation_input_tokens: cacheWrite,
});

class PiSession {
  readonly #host: PluginHost;
  /** What the session is told at its start; pi takes it with the first prompt. */
  #start: Promise<string> = Promise.resolve("");
  #prompt: string | undefined;

  constructor(host: PluginHost) {
    this.#host = host;
  }

  #hook(context: PiContext, event: string, more: JsonObject) {
    return this.#host.hook({ ...baseOf(context, event), ...defined({ prompt_id: this.#prompt }), ...more });
  }

  started({ reason }: JsonObject, context: PiContext): void {
    const { sessionManager } = context;
    this.#prompt = undefined;
    const hasHistory = sessionManager.getEntries().some(({ type }) => type === "message");
    const source = reason === "new" ? "clear" : hasHistory ? "resume" : "startup";
    this.#start = this.#hook(context, "SessionStart", { source });
  }

  async prompted({ prompt }: JsonObject, context: PiContext): Promise<string> {
    this.#prompt = piPromptId(context.sessionManager.getLeafId());
    const start = await this.#start;
    this.#start = Promise.resolve("");
    const told = await this.#hook(context, "UserPromptSubmit", { prompt });
    return [start, told].filter((text) => text !== "").join("\n\n");
  }

  stopped({ messages }: JsonObject, context: PiContext): void {
    const said = lastWords(messages);
    if (said !== "") void this.#hook(context, "Stop", { last_assistant_message: said });
  }

  compacted({ compactionEntry: entry }: JsonObject, context: PiContext): void {
    const summary = isObject(entry) ? givenText(entry.summary) : undefined;
    void this.#hook(context, "PostCompact", { trigger: "auto", ...defined({ compact_summary: summary }) });
  }

  async ended({ reason }: JsonObject, context: PiContext): Promise<void> {
    void this.#hook(context, "SessionEnd", { reason });
    // The process ends behind this: what a hook was not given by then is lost.
    await this.#host.settled();
  }
}

/** The conversation as the compaction sees it: every message of the branch, and the entry of each. */
function branchOf(event: JsonObject) {
  const entries = objects(event.branchEntries);
  const last = entries.findLastIndex(({ type }) => type === "compaction");
  const before = isObject(entries[last]) ? entries[last] : undefined;
  const from = before === undefined ? 0 : entries.findIndex(({ id }) => id === before.firstKeptEntryId);
  const kept = entries.slice(Math.max(0, from)).flatMap((entry) => {
    if (entry.type === "message" && isObject(entry.message))
      return [{ id: entry.id, message: entry.message }];
    if (entry.type === "custom_message")
      return [
        { id: entry.id, message: { role: "custom", content: entry.content, timestamp: entry.timestamp } },
      ];
    return [];
  });
  const summary = before && {
    id: before.id,
    message: { role: "compactionSummary", summary: before.summary },
  };
  return summary ? [summary, ...kept] : kept;
}

async function compaction(pi: PiApi, window: PluginWindow, event: JsonObject, context: PiContext) {
  const request = requestOf(pi, context);
  const preparation = isObject(event.preparation) ? event.preparation : {};
  if (!request) return undefined;
  const branch = branchOf(event);
  const made = await window.compacted(
    branch.map(({ message }) => message),
    request,
  );
  if (!made) return undefined;
  const { summary, firstKept } = made;
  const firstKeptEntryId = branch[firstKept]?.id ?? preparation.firstKeptEntryId;
  return { compaction: { summary, firstKeptEntryId, tokensBefore: preparation.tokensBefore } };
}

function registerTools(pi: PiApi, host: PluginHost, current: () => PiContext | undefined): void {
  for (const { name, description, inputSchema } of host.tools()) {
    pi.registerTool({
      ...{ name: `throughline_${name}`, label: `Throughline ${name}`, description, parameters: inputSchema },
      async execute(_id, input) {
        const context = current();
        const session = context?.sessionManager.getSessionId() ?? "";
        const { text, isError } = await host.tool({ session, project: context?.cwd ?? "" }, name, input);
        // pi takes a failure from what is thrown.
        if (isError) throw new Error(text);
        return { content: [{ type: "text", text }], details: {} };
      },
    });
  }
}

/** Called by the extension's file in pi's folder. */
export function throughline(pi: PiApi, options: Omit<PluginOptions, "agent">): void {
  const host = openHost({ agent: "pi", ...options });
  const session = new PiSession(host);
  let current: PiContext | undefined;
  const window = openWindow(host, piMessages, (line) => {
    if (current?.hasUI) current.ui.notify(line, "info");
  });
  const on = (name: string, handler: Handler) =>
    pi.on(name, (event, context) => {
      current = context;
      return handler(event, context);
    });
  registerTools(pi, host, () => current);
  on("session_start", (event, context) => session.started(event, context));
  on("before_agent_start", async (event, context) => {
    const content = await session.prompted(event, context);
    return content === "" ? undefined : { message: { customType: "throughline", content, display: false } };
  });
  on("tool_result", (event, context) => void host.hook(toolPayload(event, context)));
  on("agent_end", (event, context) => session.stopped(event, context));
  on("context", async (event, context) => {
    const request = requestOf(pi, context);
    const messages = objects(event.messages);
    return request && { messages: await window.edited(messages, request) };
  });
  on("message_end", ({ message }, context) => {
    const request = requestOf(pi, context);
    if (!request || !isObject(message) || message.role !== "assistant" || !isObject(message.usage)) return;
    window.observe(request, usageOf(message.usage));
  });
  on("session_before_compact", (event, context) => compaction(pi, window, event, context));
  on("session_compact", (event, context) => session.compacted(event, context));
  on("session_shutdown", (event, context) => session.ended(event, context));
}
