// `createContext`: the context of one session for programs that build an agent on the official client or on their own.
import path from "node:path";
import { notesFile, notesFolder } from "../../compact/index.ts";
import {
  type Home,
  projectOf,
  resolveHome,
  type SessionPlace,
  sessionPlace,
  vaultFolder,
} from "../../home/index.ts";
import { defined, errorText, isObject, usageError } from "../../lib/index.ts";
import type { LanguageModel } from "../../models/index.ts";
import {
  type ClientMessage,
  memorySession,
  openSession,
  type PipelineSettings,
  type PolicyName,
  type Session,
  type SessionExtras,
  settingsFor,
} from "../../pipeline/index.ts";
import type { ModelOverrides } from "../../tokens/index.ts";
import { type CacheEdits, cacheEdits } from "./cacheEdits.ts";
import { clientModel } from "./clientModel.ts";
import { throughContext } from "./clientSeam.ts";
import { type ContextEngine, contextEngine } from "./engine.ts";
import { contextEmitter } from "./events.ts";
import { ownTools } from "./ownTools.ts";
import type {
  ContextEvents,
  ContextListener,
  ContextTool,
  MessageOf,
  MessagesClient,
  PreparedRequest,
  RequestLike,
  ResponseLike,
  SearchHandler,
  ToolAnswerBlock,
  ToolCall,
} from "./types.ts";

/** Options of `createContext`. */
export interface ContextOptions {
  /** Names the session: the same name resumes it. */
  readonly session: string;
  /** Folder for all sessions and their vault; Throughline's own data folder without it. `memory` keeps nothing on disk. */
  readonly folder?: string | "memory";
  /** Groups sessions; the project of the working folder without it. */
  readonly project?: string;
  readonly policy?: PolicyName;
  /** Changes to the numbers of the policy. */
  readonly settings?: Partial<Omit<PipelineSettings, "policy">>;
  /** Changes to the model table, and models that it does not know. */
  readonly models?: ModelOverrides;
  /** Writes the words of a compaction. The client itself without it; `false` asks no model. */
  readonly summaries?: LanguageModel | false;
  /** Who writes the session notes: a model, or what happened (`activity`, the default under `thrifty`). `false` keeps none. */
  readonly notes?: "model" | "activity" | false;
  /** Lifetime of the cache breakpoints for requests that have none of their own. Default `5m`; `false` places none. */
  readonly cache?: "5m" | "1h" | false;
  /**
   * Under `seed`, with a client: asks the API to delete old results inside its cache by `cache_edits`. They are not published, so
   * that one small request probes first whether the account takes them; where it does not, nothing is sent. Default false.
   */
  readonly cacheEdits?: boolean;
  /** Offers `search` to the model. */
  readonly search?: SearchHandler;
  /** Further instructions for summaries. */
  readonly instructions?: readonly string[];
  /** What a compacted window is given beside the summary: files, plan, skills, tasks. Called when a request is prepared. */
  readonly surroundings?: () => SessionExtras;
}

/** The context of one session. Use one object per session and process. */
export interface Context<Message = ClientMessage> {
  readonly session: Session;
  /** `<project>/<session>/session-memory/summary.md`; undefined for a session in memory. */
  readonly notesFile: string | undefined;
  /** Tools for the model: pass them with your own to `create`, `stream` or the tool runner. */
  readonly tools: readonly ContextTool[];
  /** The conversation so far, with the last response: an array of your own, to go on with. */
  history(): Message[];
  /** The request to send instead of this one. For clients that `createContext` does not know. */
  prepare<Request extends RequestLike>(request: Request): Promise<PreparedRequest<Request>>;
  /** Call it with the response to a request that was prepared. */
  observe(response: ResponseLike): void;
  /** After an error: the request made smaller if it was too long, undefined if there is nothing to be done. */
  recover<Request extends RequestLike>(
    request: Request,
    error: unknown,
    attempt: number,
  ): Promise<PreparedRequest<Request> | undefined>;
  /**
   * Answers the tool calls of a response: the context's own by itself, the others by `run`. Calls run at once; one that
   * throws is answered with its message as an error.
   */
  answer<Output extends string | object[]>(
    response: { readonly content: readonly object[] },
    run: (call: ToolCall) => Output | Promise<Output>,
  ): Promise<ToolAnswerBlock<Output>[]>;
  /** Calls the listener with every event of this name; returns a function that removes it. */
  on<Name extends keyof ContextEvents>(name: Name, listener: ContextListener<Name>): () => void;
  /** Resolves when the notes are up to date: call it before the process ends. */
  idle(): Promise<void>;
  /**
   * The context of a subagent: a session `<session>--<name>` with a window of its own. It is compacted like every session, keeps no
   * notes, and under `seed` its results are not cleared by time.
   */
  subagent(name: string): Context<Message>;
  /**
   * A subagent that begins with this conversation: what it sends first are the same bytes, so that it reads the same cache. From there on
   * both go their own ways. A fork of that name that is on disk is resumed.
   */
  fork(name: string): Context<Message>;
}

/** A context with the client that goes through it. */
export interface ClientContext<Client extends MessagesClient> extends Context<MessageOf<Client>> {
  /** The client with every request prepared and every response observed: `messages.create`, `stream`, the tool runner. */
  readonly client: Client;
  subagent(name: string): ClientContext<Client>;
  fork(name: string): ClientContext<Client>;
}

/**
 * Opens or resumes the context of a session. With a `client` of `@anthropic-ai/sdk` the context has one that prepares every
 * request and observes every response; without it call `prepare` and `observe`.
 */
export function createContext<Client extends MessagesClient>(
  options: ContextOptions & { readonly client: Client },
): ClientContext<Client>;
export function createContext(options: ContextOptions): Context;
export function createContext(options: AnyOptions): Context | ClientContext<MessagesClient> {
  return openContext(options);
}

type AnyOptions = ContextOptions & { readonly client?: MessagesClient };

/** What a fork begins with. */
interface Origin {
  readonly engine: ContextEngine;
  readonly cacheEdits: CacheEdits | undefined;
}

function openContext(options: AnyOptions, origin?: Origin): Context | ClientContext<MessagesClient> {
  const { client, policy = "thrifty", search } = options;
  const emitter = contextEmitter();
  const place = placeOf(options);
  const cache = options.cache === false ? undefined : (options.cache ?? "5m");
  const own = client && clientModel(client, () => engine.model(), cache);
  const folder = place && notesFolder(place);
  const session = sessionOf(options, place, policy, origin);
  const edits = cacheEditsOf(options, session, place, origin);
  const engine: ContextEngine = contextEngine({
    session,
    folder: place?.folder,
    emitter,
    summaries: options.summaries === false ? undefined : (options.summaries ?? own),
    notes: notesOf(options, folder, policy, own),
    cache,
    instructions: options.instructions,
    surroundings: options.surroundings,
    cacheEdits: edits,
  });
  if (origin && engine.conversation.messages.length === 0) beginWith(engine, origin);
  const { notes } = engine;
  const tools = ownTools({
    session: () => engine.session(),
    ...(origin && { before: origin.engine.session().id }),
    model: () => engine.model(),
    notes: notes && (() => notes.read()?.text),
    search,
    emit: emitter.emit,
  });
  const side = (name: string, from?: Origin) => openContext(sideOptions(options, policy, name), from);
  const context: Context = {
    session,
    notesFile: folder && notesFile(folder),
    tools,
    history: () => [...engine.conversation.messages],
    prepare: (request) => engine.prepare(request),
    observe: (response) => engine.observe(response),
    recover: (request, error, attempt) => engine.recover(request, error, attempt),
    answer: (response, run) => answerCalls(tools, response.content, run),
    on: emitter.on,
    idle: async () => notes?.idle(),
    subagent: (name) => side(name),
    fork: (name) => side(name, { engine, cacheEdits: edits }),
  };
  return client
    ? ({ ...context, client: throughContext(client, engine) } as ClientContext<MessagesClient>)
    : context;
}

/** Beside the main thread nothing is noted down, and the time path of `seed` does not act. */
function sideOptions(options: AnyOptions, policy: PolicyName, name: string): AnyOptions {
  const { microcompact = settingsFor(policy).microcompact } = options.settings ?? {};
  const idle = policy === "seed" ? Number.POSITIVE_INFINITY : microcompact.idle;
  return {
    ...options,
    session: `${options.session}--${name}`,
    notes: false,
    settings: { ...options.settings, microcompact: { ...microcompact, idle } },
  };
}

/** The edits so far, what was learned of sizes and cache, and the messages. */
function beginWith(engine: ContextEngine, { engine: from }: Origin) {
  const { ledger, runtime } = from.session();
  const session = engine.session();
  session.ledger.append(ledger.entries());
  session.state.save(runtime.state);
  engine.conversation.record(from.conversation.messages);
}

function cacheEditsOf(
  { client, cacheEdits: isWanted = false, policy }: AnyOptions,
  session: Session,
  place: KeptAt | undefined,
  origin: Origin | undefined,
) {
  if (!isWanted || policy !== "seed") return undefined;
  if (client) return cacheEdits(client, session, place?.folder, origin?.cacheEdits);
  throw usageError("cacheEdits needs a client for its probe", "pass client, or leave it out");
}

interface KeptAt extends SessionPlace {
  readonly vault: string;
}

function placeOf({
  session,
  folder,
  project = projectOf(process.cwd()).id,
}: ContextOptions): KeptAt | undefined {
  if (folder === "memory") return undefined;
  const data = folder === undefined ? undefined : path.resolve(folder);
  const home: Home = data === undefined ? resolveHome() : { config: data, data, state: data };
  return { ...sessionPlace(home, project, session), vault: vaultFolder(home) };
}

function sessionOf(
  { session, settings, models }: ContextOptions,
  place: KeptAt | undefined,
  policy: PolicyName,
  origin: Origin | undefined,
) {
  const options = { settings: contextSettings(policy, settings), ...defined({ models }) };
  if (place) return openSession(place, { ...options, vault: place.vault });
  const own = memorySession(session, options);
  return origin ? { ...own, vault: origin.engine.session().vault } : own;
}

/** Tools of a context beside those that the settings know. */
const furtherTools = ["search", "notes"];

/** `seed` clears the results of the tools it lists; an agent of one's own may call them anything. */
function contextSettings(policy: PolicyName, changes: ContextOptions["settings"] = {}): PipelineSettings {
  const base = settingsFor(policy);
  const { budget, microcompact } = base;
  return {
    ...base,
    budget: { ...budget, exempt: [...budget.exempt, ...furtherTools] },
    microcompact: {
      ...microcompact,
      ...(policy === "seed" ? {} : { tools: ["*"] }),
      exempt: [...microcompact.exempt, ...furtherTools],
    },
    ...changes,
  };
}

function notesOf(
  { notes, summaries }: ContextOptions,
  folder: string | undefined,
  policy: PolicyName,
  own: LanguageModel | undefined,
) {
  const by = notes ?? (policy === "seed" ? "model" : "activity");
  if (by === false || folder === undefined) return undefined;
  return { folder, model: by === "model" && summaries !== false ? (summaries ?? own) : undefined };
}

async function answerCalls<Output extends string | object[]>(
  tools: readonly ContextTool[],
  content: readonly object[],
  run: (call: ToolCall) => Output | Promise<Output>,
): Promise<ToolAnswerBlock<Output>[]> {
  const calls = content.filter(isCall);
  return Promise.all(
    calls.map(async (call): Promise<ToolAnswerBlock<Output>> => {
      const answer = { type: "tool_result", tool_use_id: call.id } as const;
      const own = tools.find(({ name }) => name === call.name);
      try {
        return { ...answer, content: own ? await own.run(call.input) : await run(call) };
      } catch (error) {
        return { ...answer, content: errorText(error), is_error: true };
      }
    }),
  );
}

const isCall = (block: object): block is ToolCall =>
  isObject(block) && block.type === "tool_use" && typeof block.id === "string";
