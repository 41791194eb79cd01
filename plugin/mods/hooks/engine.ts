// The part of Claude Code's interface for mods that is used here, in types of our own: nothing of it exists at run time.

export type Json = Readonly<Record<string, unknown>>;

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

export interface HttpInit {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A text; of the engine's own requests also bytes, in another form. */
  readonly body: string;
  /** The way there, instead of the address's own. */
  readonly socketPath?: string;
}

/** A tool of the mod's own; the model knows it as `mcp__<plugin>__<name>`. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Json;
}

/** `$`: everything outside the mod's own environment. */
export interface Engine {
  readonly clock: {
    after(ms: number, run: () => void): { cancel(): void };
  };
  readonly env: {
    get(name: string): Promise<string | undefined>;
    set(name: string, value: string | undefined): Promise<unknown>;
  };
  readonly fs: {
    read(path: string): Promise<string>;
    write(path: string, text: string): Promise<void>;
    exists(path: string): Promise<boolean>;
  };
  readonly http: {
    /** Ends by itself after 30 s, and takes no more than 4 MiB. */
    fetch(url: string, init: HttpInit): Promise<HttpAnswer>;
  };
  readonly model: {
    /** The main thread's last request again, with these words behind it. Never rejects for what the API does. */
    fork(request: {
      readonly prompt: string;
    }): Promise<{ readonly isAnswered: boolean; readonly text?: string }>;
  };
  readonly process: {
    run(
      argv: readonly string[],
      init?: {
        readonly stdin?: string;
        readonly env?: Readonly<Record<string, string>>;
        readonly timeoutMs?: number;
      },
    ): Promise<{ readonly exitCode: number; readonly stdout: string }>;
  };
  readonly session: {
    id(): Promise<string>;
    root(): Promise<string>;
    model(): Promise<string>;
    version(): Promise<{ readonly version: string; readonly base?: string }>;
  };
  readonly tool: {
    register(tool: ToolSpec): Promise<unknown>;
  };
  readonly ui: {
    log(text: string, options?: { readonly to: string }): void;
    /** The elements of the surface that draws. */
    resolve(e: RenderEvent): {
      Box(props: Json): Drawn;
      Text(props: Json): Drawn;
    };
  };
}

export interface Next<E, R> {
  (e: E): Promise<R>;
  /** Which plugin raised the event; `engine` for Claude Code itself. */
  readonly origin?: { readonly plugin?: string };
}

/** The same for an event whose answer comes in pieces. */
export type StreamNext<E, R> = (e: E) => AsyncGenerator<unknown, R>;

/** What a command hook would read on stdin. */
export interface ClassicEvent extends Json {
  readonly session_id: string;
  readonly transcript_path: string;
  readonly cwd: string;
  readonly prompt_id?: string;
  readonly source?: string;
}

export interface ClassicResult extends Json {
  readonly additionalContext?: readonly string[];
}

/** A prompt before it enters; `context` is read by the model beside it. */
export interface PromptEvent extends Json {
  readonly text: string;
  readonly context?: readonly string[];
}

export interface FetchEvent extends Json {
  readonly url: string;
  readonly init?: HttpInit;
}

export type FetchResult = Json & { readonly value?: HttpAnswer & Json; readonly status?: number };

/** A request of a turn, and what it cost. */
export interface StepEvent extends Json {
  readonly model: string;
  readonly agentId?: string;
}

export type StepResult = Json & { readonly usage?: Json | null };

export interface ToolCallEvent extends Json {
  readonly tool: string;
  readonly tool_use_id: string;
  readonly agentId?: string;
}

/** `deny`: the model gets it as an error. */
export type ToolCallResult = { readonly result: string } | { readonly deny: string };

export interface ToolListResult extends Json {
  readonly value: readonly { readonly name: string; readonly [key: string]: unknown }[];
}

export interface ResultBlock extends Json {
  readonly type: string;
  readonly tool_use_id?: string;
  readonly content?: unknown;
}

/** A row that is about to be stored. */
export interface AppendEvent extends Json {
  readonly message: { readonly content: readonly ResultBlock[]; readonly [key: string]: unknown };
  readonly origin: { readonly kind: string; readonly tool?: string };
  readonly uuid: string;
  readonly agentId?: string;
}

export interface HostRow {
  readonly role: string;
  readonly text: string;
  readonly toolUses: readonly Json[];
  readonly toolResults?: readonly Json[];
  readonly handle?: string;
}

export interface CompactEvent extends Json {
  readonly trigger: string;
  readonly agentId?: string;
  readonly instructions?: string;
  readonly messages: readonly HostRow[];
}

export type CompactResult = { readonly messages: readonly HostRow[] } | { readonly skip: string };

/** A message of the person that is about to be drawn. */
export interface RenderEvent extends Json {
  readonly props: { readonly text: string; readonly isExpanded: boolean };
}

/** A tree of elements. */
export type Drawn = Json;

export interface ContextEvent extends Json {
  readonly blocks: readonly { readonly name: string; readonly text: string }[];
}

/** Adds a hook. Its names are read off the source: each is a literal where it is used. */
export interface On {
  (
    event: "turn.step",
    hook: (
      $: Engine,
      e: StepEvent,
      next: StreamNext<StepEvent, StepResult>,
    ) => AsyncGenerator<unknown, StepResult>,
  ): void;
  <E, R>(event: string, hook: ($: Engine, e: E, next: Next<E, R>) => R | Promise<R>): void;
  <E, R>(
    event: string,
    matcher: Readonly<Record<string, string | RegExp>>,
    hook: ($: Engine, e: E, next: Next<E, R>) => R | Promise<R>,
  ): void;
}
