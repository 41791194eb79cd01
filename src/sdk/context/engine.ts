// Prepares the requests of one session and observes their responses: what every form of a context has in common.
import { defined, isObject, type JsonObject, notFoundError, ThroughlineError } from "../../lib/index.ts";
import { blocksOf, type Message, placeBreakpoints } from "../../messages/index.ts";
import type { LanguageModel } from "../../models/index.ts";
import {
  observeResponse,
  type Prepared,
  type PrepareInput,
  prepareWithModel,
  type Session,
  type SessionExtras,
  type Summariser,
} from "../../pipeline/index.ts";
import { lookupModel } from "../../tokens/index.ts";
import type { CacheEdits } from "./cacheEdits.ts";
import { readError } from "./clientModel.ts";
import { type ConversationLog, openConversation } from "./conversation.ts";
import type { ContextEmitter } from "./events.ts";
import { type BackgroundNotes, backgroundNotes } from "./sessionNotes.ts";
import type { ContextWarning, PreparedRequest, RequestLike, ResponseLike } from "./types.ts";

interface EngineParts {
  readonly session: Session;
  /** The session's folder; absent for a session in memory. */
  readonly folder: string | undefined;
  readonly emitter: ContextEmitter;
  /** Writes summaries. */
  readonly summaries: LanguageModel | undefined;
  /** The folder of the notes and who writes them; absent: there are none. */
  readonly notes: { readonly folder: string; readonly model: LanguageModel | undefined } | undefined;
  /** Lifetime of the cache breakpoints for requests that have none; undefined places none. */
  readonly cache: "5m" | "1h" | undefined;
  readonly instructions: readonly string[] | undefined;
  readonly surroundings: (() => SessionExtras) | undefined;
  /** The cached path of microcompact, where it is asked for. */
  readonly cacheEdits: CacheEdits | undefined;
}

export interface ContextEngine {
  readonly conversation: ConversationLog;
  readonly notes: BackgroundNotes | undefined;
  session(): Session;
  /** The model of the last request. */
  model(): string;
  prepare<Request extends RequestLike>(
    request: Request,
    call?: CallOptions,
  ): Promise<PreparedRequest<Request>>;
  observe(response: ResponseLike): void;
  /** The same request made smaller after the API refused it; undefined when it was refused for another reason or nothing helps. */
  recover<Request extends RequestLike>(
    request: Request,
    error: unknown,
    attempt: number,
    call?: CallOptions,
  ): Promise<PreparedRequest<Request> | undefined>;
  warn(warning: ContextWarning): void;
}

/** What a request carries beside its body. */
interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** The client's own `anthropic-beta` header. */
  readonly betas?: readonly string[] | undefined;
}

export function contextEngine(parts: EngineParts): ContextEngine {
  return new Engine(parts);
}

class Engine implements ContextEngine {
  readonly conversation: ConversationLog;
  readonly notes: BackgroundNotes | undefined;
  readonly #parts: EngineParts;
  #session: Session;
  #model = "";
  #tools: readonly object[] | undefined;
  #hasPassedThrough = false;

  constructor(parts: EngineParts) {
    const { session, folder, notes } = parts;
    this.#parts = parts;
    this.#session = session;
    this.conversation = openConversation(folder);
    this.notes = notes && backgroundNotes({ session, ...notes, warn: (warning) => this.warn(warning) });
  }

  warn(warning: ContextWarning) {
    this.#parts.emitter.emit("warning", warning);
  }

  session() {
    return this.#session;
  }

  model() {
    if (this.#model !== "") return this.#model;
    throw notFoundError("no request was prepared yet", "call prepare first");
  }

  async prepare<Request extends RequestLike>(
    request: Request,
    call: CallOptions = {},
    compact?: { to?: number },
  ) {
    const fields = request as unknown as JsonObject;
    // What the API holds itself and is not sent cannot be edited.
    if (isGiven(fields.thread)) return this.#passThrough(request);
    this.#model = request.model;
    const messages = request.messages as readonly Message[];
    this.conversation.record(messages);
    const prepared = await prepareWithModel(
      { ...this.#inputOf(request), ...defined({ compact }) },
      this.#summariser(fields, call),
    );
    this.#report(prepared);
    return this.#assemble(request, prepared);
  }

  observe({ content, usage, context_management: contextManagement }: ResponseLike) {
    const session = this.#session;
    const reply: Message = { role: "assistant", content: content as Message["content"] };
    observeResponse({ session, model: this.model(), usage, reply, contextManagement });
    if (blocksOf(reply).length === 0) return;
    this.conversation.add(reply);
    const { tokenizer } = lookupModel(this.model(), session.models);
    this.notes?.follow(session.runtime.lastHistory, reply, tokenizer);
  }

  async recover<Request extends RequestLike>(
    request: Request,
    error: unknown,
    attempt: number,
    call: CallOptions = {},
  ): Promise<PreparedRequest<Request> | undefined> {
    const failure = readError(error);
    if (failure.kind !== "prompt-too-long") return undefined;
    this.warn({ code: "prompt-too-long", message: failure.message });
    this.#learn(request.model, failure);
    const step = recoverySteps[failure.tokens === undefined ? attempt + 1 : attempt];
    if (!step) return undefined;
    const sent = this.#session.runtime.lastSent.items;
    try {
      const again = await this.prepare(request, call, step(this.#room(request.model)));
      if (this.#session.runtime.lastSent.items !== sent) return again;
    } catch (problem) {
      // The refusal says more to the caller than why it could not be helped.
      if (!(problem instanceof ThroughlineError)) throw problem;
      return undefined;
    }
    return this.recover(request, error, attempt + 1, call);
  }

  /** The API's own numbers: the exact size of what was sent, and a window that is smaller than the table says. */
  #learn(model: string, { tokens, limit }: { readonly tokens?: number; readonly limit?: number }) {
    const session = this.#session;
    if (tokens !== undefined)
      observeResponse({ session, model, usage: { input_tokens: tokens, output_tokens: 0 } });
    const known = lookupModel(model, session.models);
    if (limit === undefined || limit >= known.window) return;
    const models = { ...session.models, [model]: { ...session.models[model], window: limit } };
    this.#session = { ...session, models };
  }

  #room(model: string) {
    const { settings, models } = this.#session;
    const { outputReserve, buffer } = settings.autocompact;
    return Math.max(0, lookupModel(model, models).window - outputReserve - buffer);
  }

  #inputOf(request: RequestLike): PrepareInput {
    const { model, messages, system, tools } = request;
    const { thinking, context_management, compaction } = request as unknown as JsonObject;
    this.#tools = sameElements(this.#tools, tools) ? this.#tools : tools;
    return {
      session: this.#session,
      model,
      messages: messages as readonly Message[],
      body: defined({ thinking, context_management, compaction }),
      ...defined({
        system,
        tools: this.#tools,
        notes: this.notes?.read(),
        surroundings: this.#parts.surroundings?.(),
      }),
    };
  }

  #summariser(fields: JsonObject, { signal, betas }: CallOptions): Summariser | undefined {
    const { summaries, instructions } = this.#parts;
    if (!summaries) return undefined;
    const { thinking, output_config: output } = fields;
    const effort = isObject(output) && typeof output.effort === "string" ? output.effort : undefined;
    return {
      model: summaries,
      window: lookupModel(this.#model, this.#session.models).window,
      // The session's own client has sent all of it before.
      redact: (text) => text,
      main: defined({
        effort,
        thinking: isObject(thinking) ? thinking : undefined,
        betas,
      }),
      ...defined({ instructions, signal }),
    };
  }

  #report({ receipt }: Prepared) {
    const { emit } = this.#parts.emitter;
    for (const entry of receipt.edits) emit("edit", entry);
    const { compaction, tokens } = receipt;
    if (compaction) {
      emit("compaction", { ...compaction, before: tokens.before, after: tokens.after });
      for (const { from, why } of compaction.refused)
        emit("warning", { code: "summary", message: `${from}: ${why}` });
    }
    emit("receipt", receipt);
  }

  async #assemble<Request extends RequestLike>(
    request: Request,
    prepared: Prepared,
  ): Promise<PreparedRequest<Request>> {
    const { params, receipt } = prepared;
    const fields = request as unknown as JsonObject;
    const marked = this.#withBreakpoints(fields, prepared.messages);
    const edited = await this.#parts.cacheEdits?.carryOut(prepared, marked, request.model);
    return {
      request: { ...request, ...params.body, messages: edited?.messages ?? marked } as Request,
      betas: params.betas,
      receipt,
      ...(edited && { cacheEdits: edited.cacheEdits }),
    };
  }

  #withBreakpoints(fields: JsonObject, messages: readonly Message[]) {
    const { cache } = this.#parts;
    if (cache === undefined || carriesBreakpoint(fields)) return messages;
    // Everything before the last answer was sent with the last request.
    const sent = messages.findLastIndex(({ role }) => role === "assistant");
    return placeBreakpoints(messages, { ttl: cache, sent: Math.max(0, sent) });
  }

  #passThrough<Request extends RequestLike>(request: Request): PreparedRequest<Request> {
    if (!this.#hasPassedThrough)
      this.warn({
        code: "passed-through",
        message:
          "a request whose conversation the API keeps by itself (thread) is sent as it is; a tool runner takes thread: false",
      });
    this.#hasPassedThrough = true;
    return { request, betas: [] };
  }
}

/**
 * What is tried in turn after a refusal, each once: the levels' own rules with the size that the API named, a
 * compaction, and one to a quarter of the room.
 */
const recoverySteps: readonly ((room: number) => { to?: number } | undefined)[] = [
  () => undefined,
  () => ({}),
  (room) => ({ to: Math.floor(room / 4) }),
];

const isGiven = (value: unknown) => value !== undefined && value !== null;

function sameElements(one: readonly object[] | undefined, other: readonly object[] | undefined) {
  return one?.length === other?.length && (one ?? []).every((tool, at) => tool === other?.[at]);
}

function carriesBreakpoint({ cache_control: control, system, tools, messages }: JsonObject) {
  const has = (blocks: unknown) =>
    Array.isArray(blocks) && blocks.some((block) => isObject(block) && block.cache_control !== undefined);
  if (isGiven(control) || has(system) || has(tools)) return true;
  return Array.isArray(messages) && messages.some((message) => isObject(message) && has(message.content));
}
