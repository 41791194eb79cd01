// What the proxy asks of the part that decides about the window. The proxy carries; it decides nothing.

/** The answer to a request that was sent upstream. */
export interface Answer {
  readonly status: number;
  readonly body: Buffer;
}

/** A request for the model, or for its count of tokens. */
export interface ModelRequest {
  /** With its query. */
  readonly path: string;
  /** By lower-case name, without credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** As the client sent it. */
  readonly body: Buffer;
  /** Sends another body with the same headers on a connection of its own, for a summary for example. */
  ask(body: Buffer): Promise<Answer>;
}

/** What a response said, as far as it came. */
export interface Outcome {
  readonly status: number;
  /** The newest `usage` of the response, as the API wrote it. */
  readonly usage?: Readonly<Record<string, unknown>>;
  readonly stopReason?: string;
  readonly diagnostics?: unknown;
  /** What the API says that it cleared by itself. */
  readonly contextManagement?: unknown;
  /** Whether the response came to its end. */
  readonly isWhole: boolean;
}

export interface Refusal extends Answer {
  /** How often this request was sent before. */
  readonly attempt: number;
}

/** Every function may reject: the request or the refusal then goes on as it came. */
export interface WindowEngine {
  /** The body to send instead; undefined leaves the bytes as they came. */
  edit(request: ModelRequest): Promise<Buffer | undefined>;
  /** The body to send after the API refused one; undefined hands the refusal to the client. */
  recover(request: ModelRequest, refusal: Refusal): Promise<Buffer | undefined>;
  /** Told once at the end of every response. The request has no body any more. */
  observe(request: ModelRequest, outcome: Outcome): void;
}
