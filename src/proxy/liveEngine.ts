// The live window in the proxy: tells requests apart, asks the worker for edits and applies them.
import { AsyncLocalStorage } from "node:async_hooks";
import { isUtf8 } from "node:buffer";
import { existsSync } from "node:fs";
import path from "node:path";
import { claudeFolders, type Environment } from "../home/index.ts";
import { defined, isObject, parseJson, sha256, withinTime } from "../lib/index.ts";
import { type CarrierSeam, LiveCarrier, type RequestFacts } from "../live/carrier.ts";
import type { ModelRequest, Outcome, Refusal, WindowEngine } from "./engine.ts";

type EditedRequest = Awaited<ReturnType<LiveCarrier["edited"]>>;
type Refused = Parameters<LiveCarrier["recovered"]>[2];

interface LiveEngineOptions {
  /** How the worker and the records are reached. */
  readonly seam: Pick<CarrierSeam, "ask" | "tell" | "record" | "say">;
  /** The folder of the work. */
  readonly project: string;
  /** The client's. */
  readonly env: Environment;
}

/** Claude Code's questions on the side have a beta of their own. */
const SIDE_QUERY = "claude-code-side-query";
/** Stands in Claude Code's request for a summary, near its end, and in no other. */
const SUMMARY_WANTED = "CRITICAL: Respond with TEXT ONLY";
const TAIL = 20_000;
/** The least that Claude Code takes for its window, and the one it has without the long context. */
const SMALLEST_CLIENT_WINDOW = 100_000;
const USUAL_WINDOW = 200_000;
const SUMMARY_MS = 180_000;

/** The API holds the conversation, and the request has only what is new: there is nothing to edit. */
function isThread(text: string) {
  if (!/"thread"\s*:\s*\{/.test(text)) return false;
  const body = parseJson(text);
  return isObject(body) && isObject(body.thread);
}

function kindOf({ path: url, headers }: ModelRequest, text: string): RequestFacts["kind"] {
  if (url.includes("/count_tokens")) return "count";
  if (isThread(text)) return "side";
  // Another client sends what it means.
  if (headers["x-claude-code-session-id"] === undefined) return "main";
  if (headers["anthropic-beta"]?.includes(SIDE_QUERY) || !text.includes('"tools":[{')) return "side";
  if (text.includes(SUMMARY_WANTED, text.length - TAIL)) return "branch";
  return headers["x-claude-code-agent-id"] === undefined ? "main" : "subagent";
}

/** The window that Claude Code keeps to; undefined where it is the model's own. */
function clientWindow(env: Environment) {
  const set = Number(env.CLAUDE_CODE_AUTO_COMPACT_WINDOW);
  if (set > 0) return Math.max(set, SMALLEST_CLIENT_WINDOW);
  return env.CLAUDE_CODE_DISABLE_1M_CONTEXT ? USUAL_WINDOW : undefined;
}

/** A client that names no session has one for each conversation: its first message names it. */
function sessionOf({ headers }: ModelRequest, text: string) {
  const named = headers["x-claude-code-session-id"];
  if (named !== undefined) return named;
  const body = parseJson(text);
  const messages = isObject(body) && Array.isArray(body.messages) ? body.messages : [];
  return `proxy-${sha256(JSON.stringify(messages[0] ?? null)).slice(0, 32)}`;
}

/** Clients write the model before the messages; only where it stands behind them everything is read. */
function modelOf(text: string) {
  const named = /"model"\s*:\s*"([^"\\]*)"/.exec(text);
  const messages = text.indexOf('"messages"');
  if (named !== null && named.index < messages) return named[1] ?? "";
  const body = parseJson(text);
  return isObject(body) && typeof body.model === "string" ? body.model : "";
}

/** Where Claude Code keeps the session's transcript, if it does. */
function transcriptOf(session: string, project: string, env: Environment) {
  const [folder] = claudeFolders(env);
  const file = path.join(folder ?? "", "projects", project.replace(/[^A-Za-z0-9]/g, "-"), `${session}.jsonl`);
  return existsSync(file) ? file : undefined;
}

/** The refusals that a smaller or a repaired conversation can answer. */
export function readRefusal({ body, attempt }: Refusal): Refused | undefined {
  const parsed = parseJson(body.toString("utf8"));
  const error = isObject(parsed) && isObject(parsed.error) ? parsed.error : {};
  const message = typeof error.message === "string" ? error.message : "";
  const [, tokens, limit] = /prompt is too long: (\d+) tokens > (\d+) maximum/i.exec(message) ?? [];
  if (tokens !== undefined) return { attempt, tokens: Number(tokens), limit: Number(limit) };
  const [, input, , most] =
    /input length and `?max_tokens`? exceed context limit: (\d+) \+ (\d+) > (\d+)/i.exec(message) ?? [];
  if (input !== undefined) return { attempt, tokens: Number(input), limit: Number(most) };
  if (/prompt is too long|exceed context limit/i.test(message)) return { attempt };
  const isThinking = /thinking/i.test(message) && /signature|bound|binding|cannot be modified/i.test(message);
  return isThinking ? { attempt, isThinking } : undefined;
}

/** The request for a summary: the client's own, with the conversation to summarise and our words behind it. */
export function summaryBody(
  text: string,
  wanted: Parameters<CarrierSeam["summarise"]>[0],
): Buffer | undefined {
  const body = parseJson(text);
  if (!isObject(body)) return undefined;
  const { stream: _stream, diagnostics: _diagnostics, ...kept } = body;
  const messages = wanted.messages.map(parseJson);
  const asked: Record<string, unknown> = {
    ...kept,
    messages: messages.map((message, at) => (at === messages.length - 2 ? withBreakpoint(message) : message)),
    max_tokens: wanted.maxTokens,
  };
  // The API wants more tokens in all than for thinking.
  if (isObject(kept.thinking) && Number(kept.thinking.budget_tokens) >= wanted.maxTokens)
    delete asked.thinking;
  return Buffer.from(JSON.stringify(asked));
}

/** The rows of a window have none: without it nothing of the conversation would be read from the cache. */
function withBreakpoint(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { content } = message;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const last = Array.isArray(blocks) ? blocks.at(-1) : undefined;
  // Thinking takes no breakpoint.
  if (!Array.isArray(blocks) || !isObject(last) || /thinking/.test(String(last.type))) return message;
  return { ...message, content: [...blocks.slice(0, -1), { ...last, cache_control: { type: "ephemeral" } }] };
}

function wordsOf(answer: Buffer) {
  const message = parseJson(answer.toString("utf8"));
  const content = isObject(message) && Array.isArray(message.content) ? message.content : [];
  const texts = content.flatMap((block) =>
    isObject(block) && typeof block.text === "string" ? [block.text] : [],
  );
  return texts.join("\n") || undefined;
}

class LiveWindowEngine implements WindowEngine {
  readonly #options: LiveEngineOptions;
  readonly #carrier: LiveCarrier;
  readonly #current = new AsyncLocalStorage<ModelRequest>();
  readonly #facts = new WeakMap<ModelRequest, { readonly facts: RequestFacts; readonly model: string }>();
  /** By the body that came: it goes when nothing can be refused any more. */
  readonly #edited = new WeakMap<Buffer, EditedRequest>();

  constructor(options: LiveEngineOptions) {
    this.#options = options;
    const summarise: CarrierSeam["summarise"] = (wanted, text) => this.#summarise(wanted, text);
    const deadline = Number(options.env.THROUGHLINE_LIVE_DEADLINE_MS) || undefined;
    this.#carrier = new LiveCarrier("proxy", { ...options.seam, summarise }, deadline);
  }

  async edit(request: ModelRequest): Promise<Buffer | undefined> {
    // Bytes that are no text could not be given back.
    if (!isUtf8(request.body)) return undefined;
    const text = request.body.toString("utf8");
    const facts = this.#factsOf(request, text);
    const edited = await this.#current.run(request, () => this.#carrier.edited(text, facts));
    this.#facts.set(request, { facts, model: modelOf(text) });
    this.#edited.set(request.body, edited);
    return edited.text === text ? undefined : Buffer.from(edited.text);
  }

  async recover(request: ModelRequest, refusal: Refusal): Promise<Buffer | undefined> {
    const { facts } = this.#facts.get(request) ?? {};
    const edited = this.#edited.get(request.body);
    const refused = readRefusal(refusal);
    if (!facts || !edited || !refused) return undefined;
    const text = request.body.toString("utf8");
    const again = await this.#current.run(request, () =>
      this.#carrier.recovered(text, facts, refused, edited),
    );
    if (!again) return undefined;
    this.#edited.set(request.body, again);
    return Buffer.from(again.text);
  }

  observe(request: ModelRequest, { status, usage, contextManagement, diagnostics }: Outcome): void {
    const { facts, model = "" } = this.#facts.get(request) ?? {};
    if (status !== 200 || !usage || (facts?.kind !== "main" && facts?.kind !== "subagent")) return;
    const cacheMiss = isObject(diagnostics) ? diagnostics.cache_miss_reason : undefined;
    this.#carrier.observe(facts, { model, ...defined({ usage, contextManagement, cacheMiss }) });
  }

  #factsOf(request: ModelRequest, text: string): RequestFacts {
    const { project, env } = this.#options;
    const { headers } = request;
    const kind = kindOf(request, text);
    const session = sessionOf(request, text);
    return {
      kind,
      session,
      project,
      ...defined({
        agent: kind === "subagent" ? headers["x-claude-code-agent-id"] : undefined,
        client: headers["user-agent"]?.split(" ")[0],
        betas: headers["anthropic-beta"]?.split(",").map((beta) => beta.trim()),
        window: clientWindow(env),
        transcript: transcriptOf(session, project, env),
      }),
    };
  }

  async #summarise(
    wanted: Parameters<CarrierSeam["summarise"]>[0],
    text: string,
  ): Promise<string | undefined> {
    const request = this.#current.getStore();
    const body = summaryBody(text, wanted);
    if (!request || !body) return undefined;
    const answer = await withinTime(
      request.ask(body).catch(() => undefined),
      SUMMARY_MS,
    );
    return answer !== "late" && answer?.status === 200 ? wordsOf(answer.body) : undefined;
  }
}

/** The engine for the clients of one proxy. */
export const liveEngine = (options: LiveEngineOptions): WindowEngine => new LiveWindowEngine(options);
