// The interface to a language model: one question in, one answer or one named failure out.
import { errorText, type JsonObject } from "../lib/index.ts";
import type { Block, Message, Usage } from "../messages/index.ts";

/** One question to a model. */
export interface ModelRequest {
  /** The caller, such as `compact` or `notes`: recorded with the spending. */
  readonly purpose: string;
  /** Overrides the configured model. */
  readonly model?: string;
  readonly system?: string | readonly Block[];
  readonly messages: readonly Message[];
  readonly tools?: readonly JsonObject[];
  /** The request keeps its tools, so that its prefix equals that of the call before it, but none may be called. */
  readonly toolChoice?: "none";
  readonly maxTokens: number;
  /** `off`, or the API's own `thinking` object; absent leaves it to the API. */
  readonly thinking?: "off" | JsonObject;
  readonly effort?: string;
  readonly betas?: readonly string[];
  /** Further fields of the request body, sent as they are by providers that speak the Messages API. */
  readonly body?: JsonObject;
  /** Asked within a model session, by providers that have them; the others answer each question by itself. */
  readonly session?: ModelSession;
}

/** A conversation with the model that goes on from question to question. */
export interface ModelSession {
  /** What the conversation is about: questions with the same key belong together. */
  readonly key: string;
  /** The id that the last reply gave: a process that has ended is continued by it. */
  readonly resume?: string;
}

/** A model session that has reached so many tokens is followed by a new one. */
export const SESSION_TOKENS = 30_000;

/** What a model answered. */
export interface ModelReply {
  /** All text blocks, joined. */
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly usage?: Usage;
  /** As the Messages API names them, for every provider. */
  readonly stopReason?: string;
  readonly model: string;
  /** The id of the model session that answered; providers without sessions give none. */
  readonly session?: string;
}

/** Why there is no answer. `message` is for people and names the setting to change, if one is known. */
export type ModelError =
  | {
      readonly kind: "prompt-too-long";
      readonly message: string;
      /** Tokens of the prompt and of the window, where the answer names them. */
      readonly tokens?: number;
      readonly limit?: number;
      /** How many tokens have to go. */
      readonly gap?: number;
    }
  | {
      readonly kind: "rate-limited" | "overloaded";
      readonly message: string;
      /** Milliseconds to wait, where the answer says so. */
      readonly retryAfter?: number;
    }
  | {
      readonly kind: "unavailable";
      readonly message: string;
      /** Worth another try: a cut connection or a fault of the server, not a missing program or setting. */
      readonly transient?: true;
    }
  | {
      readonly kind: "unauthorized" | "timeout" | "over-budget" | "malformed" | "refused" | "cancelled";
      readonly message: string;
    };

/** A reply, or why there is none. */
export type ModelOutcome =
  | { readonly ok: true; readonly reply: ModelReply }
  | { readonly ok: false; readonly error: ModelError };

/** A model that answers one request at a time. */
export interface LanguageModel {
  readonly name: string;
  /** `messages` sends tool pairs, thinking and images as they are; `text` turns them into plain text first. */
  readonly dialect: "messages" | "text";
  /** Never rejects: every failure is a value. */
  complete(request: ModelRequest, options?: { readonly signal?: AbortSignal }): Promise<ModelOutcome>;
  /** Ends the process of a model session, if one is open; the next question opens another. */
  close?(): Promise<void>;
}

export interface Provider {
  /** One attempt at one answer. Stops soon after the signal aborts; rejects only with unexpected errors. */
  (request: ModelRequest, signal: AbortSignal): Promise<ModelOutcome>;
  close?(): Promise<void>;
}

export const failed = (error: ModelError): ModelOutcome => ({ ok: false, error });

export const failedAs = (kind: ModelError["kind"], message: string): ModelOutcome =>
  failed({ kind, message });

/** A connection that broke or was refused: worth a retry. */
export const disconnected = (message: string): ModelError => ({
  kind: "unavailable",
  message,
  transient: true,
});

/** The message of an error with that of its cause: fetch reports only that it failed. */
export const withCause = (error: unknown) =>
  error instanceof Error && error.cause instanceof Error
    ? `${error.message}: ${error.cause.message}`
    : errorText(error);

export const defaults = {
  anthropic: { url: "https://api.anthropic.com", key: "ANTHROPIC_API_KEY" },
  "openai-compatible": { url: "http://127.0.0.1:11434/v1", key: "OPENAI_API_KEY" },
  ollama: { url: "http://127.0.0.1:11434/v1", key: "OPENAI_API_KEY" },
  command: "claude",
} as const;
