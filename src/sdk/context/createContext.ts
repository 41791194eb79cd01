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
import { defined, errorText, isObject } from "../../lib/index.ts";
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
  on<Name extends keyof ContextEvents>(name: Name, listener: ContextListener<Name>): () => void;
  /** Resolves when the notes are up to date: call it before the process ends. */
  idle(): Promise<void>;
}

/** A context with the client that goes through it. */
export interface ClientContext<Client extends MessagesClient> extends Context<MessageOf<Client>> {
  /** The client with every request prepared and every response observed: `messages.create`, `stream`, the tool runner. */
  readonly client: Client;
}

export function createContext<Client extends MessagesClient>(
  options: ContextOptions & { readonly client: Client },
): ClientContext<Client>;
export function createContext(options: ContextOptions): Context;
export function createContext(
  options: ContextOptions & { readonly client?: MessagesClient },
): Context | ClientContext<MessagesClient> {
  const { client, policy = "thrifty", search } = options;
  const emitter = contextEmitter();
  const place = placeOf(options);
  const own = client && clientModel(client, () => engine.model());
  const folder = place && notesFolder(place);
  const engine: ContextEngine = contextEngine({
    session: sessionOf(options, place, policy),
    folder: place?.folder,
    emitter,
    summaries: options.summaries === false ? undefined : (options.summaries ?? own),
    notes: notesOf(options, folder, policy, own),
    cache: options.cache === false ? undefined : (options.cache ?? "5m"),
    instructions: options.instructions,
    surroundings: options.surroundings,
  });
  const { notes } = engine;
  const tools = ownTools({
    session: () => engine.session(),
    model: () => engine.model(),
    notes: notes && (() => notes.read()?.text),
    search,
    emit: emitter.emit,
  });
  const context: Context = {
    session: engine.session(),
    notesFile: folder && notesFile(folder),
    tools,
    history: () => [...engine.conversation.messages],
    prepare: (request) => engine.prepare(request),
    observe: (response) => engine.observe(response),
    recover: (request, error, attempt) => engine.recover(request, error, attempt),
    answer: (response, run) => answerCalls(tools, response.content, run),
    on: emitter.on,
    idle: async () => notes?.idle(),
  };
  return client ? { ...context, client: throughContext(client, engine) } : context;
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
) {
  const options = { settings: contextSettings(policy, settings), ...defined({ models }) };
  return place ? openSession(place, { ...options, vault: place.vault }) : memorySession(session, options);
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
