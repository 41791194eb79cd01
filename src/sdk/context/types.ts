// What a context takes and gives, as structures: the official client's types fit without a cast, and none is imported.
import type { LedgerEntry } from "../../ledger/index.ts";
import type { ClientMessage, CompactionReceipt, Receipt } from "../../pipeline/index.ts";

/** The fields of a request that a context reads. All others are sent as they are. */
export interface RequestLike {
  readonly model: string;
  readonly messages: readonly ClientMessage[];
  readonly system?: string | readonly object[] | undefined;
  readonly tools?: readonly object[] | undefined;
  readonly thinking?: object | null | undefined;
  readonly output_config?: object | null | undefined;
}

/** The fields of a response that a context reads. */
export interface ResponseLike {
  readonly content: readonly object[];
  readonly usage: object;
  /** What the API did with the context before it answered. */
  readonly context_management?: object | null | undefined;
}

/** The client of `@anthropic-ai/sdk`, or one that is built like it. */
export interface MessagesClient {
  readonly middleware: readonly unknown[];
  readonly messages: {
    /** Sends a request. */
    create(params: never, options?: never): unknown;
  };
  /** A copy of the client with other options. */
  withOptions(options: object): unknown;
}

/** The message type of a client. */
export type MessageOf<Client extends MessagesClient> = Client["messages"]["create"] extends (
  params: infer Params,
  ...rest: never[]
) => unknown
  ? Params extends { messages: readonly (infer One)[] }
    ? One
    : ClientMessage
  : ClientMessage;

/** A tool as the API takes it, and as the tool runner of the official client runs it. */
export interface ContextTool {
  readonly name: ContextToolName;
  readonly description: string;
  readonly input_schema: {
    readonly type: "object";
    readonly properties: Readonly<Record<string, unknown>>;
    readonly required: string[];
    readonly [key: string]: unknown;
  };
  /** Never rejects: what cannot be answered is said in the answer. */
  run(input: unknown): Promise<string>;
  /** For the tool runner: the input as it is; `run` checks it. */
  parse(content: unknown): unknown;
}

/** The tools that a context offers. */
export type ContextToolName = "recall" | "search" | "snip" | "unsnip" | "notes";

/** A call that the model made, as it is in a response. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** The answer to a call: goes into the content of the next user message. */
export interface ToolAnswerBlock<Output> {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content: string | Output;
  readonly is_error?: true;
}

/** What happens in a context, by name. */
export interface ContextEvents {
  /** An entry of the ledger that was made with a request. */
  readonly edit: LedgerEntry;
  readonly compaction: CompactionReceipt & { readonly before: number; readonly after: number };
  /** The model asked for something that had left its window. */
  readonly recall: { readonly handle: string; readonly found: boolean };
  /** The account of every request that was prepared. */
  readonly receipt: Receipt;
  readonly warning: ContextWarning;
}

/** Something that went wrong and did not stop the agent. */
export interface ContextWarning {
  readonly code: "prompt-too-long" | "notes" | "summary" | "passed-through" | "response" | "listener";
  readonly message: string;
}

/** Called with every event of its name. */
export type ContextListener<Name extends keyof ContextEvents> = (event: ContextEvents[Name]) => void;

/** A search over what earlier sessions left: text for the model. */
export type SearchHandler = (query: string, limit: number) => string | Promise<string>;

/** A request as a context would send it. */
export interface PreparedRequest<Request extends RequestLike> {
  /** The request with the messages to send and the fields that the levels add. */
  readonly request: Request;
  /** Belong into the `anthropic-beta` header, with the fields they go with. */
  readonly betas: readonly string[];
  /** Absent where the request is passed through. */
  readonly receipt?: Receipt;
  /** Calls whose results the API is asked, for the first time, to delete from its cache. */
  readonly cacheEdits?: readonly string[];
}
