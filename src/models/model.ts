// The interface to a language model: one question in, one answer or one named failure out.
import type { JsonObject } from "../lib/index.ts";
import type { Block, Message, Usage } from "../messages/index.ts";

export interface ModelRequest {
  /** Who asks, such as `compact` or `notes`: for the accounts, and so that no call triggers itself. */
  readonly purpose: string;
  /** Overrides the configured model. */
  readonly model?: string;
  readonly system?: string | readonly Block[];
  readonly messages: readonly Message[];
  readonly tools?: readonly JsonObject[];
  /** Tools stay in the request, so that its prefix is the same as that of the call before it, but none may be called. */
  readonly toolChoice?: "none";
  readonly maxTokens: number;
  /** `off`, or the API's own `thinking` object; absent leaves it to the API. */
  readonly thinking?: "off" | JsonObject;
  readonly effort?: string;
  readonly betas?: readonly string[];
  /** Further fields of the request body, sent as they are by providers that speak the Messages API. */
  readonly body?: JsonObject;
}

export interface ModelReply {
  /** All text blocks, joined. */
  readonly text: string;
  readonly blocks: readonly Block[];
  readonly usage?: Usage;
  /** As the Messages API names them, for every provider. */
  readonly stopReason?: string;
  readonly model: string;
}

/** Why there is no answer. `message` is for people and names what to change where that is known. */
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

export type ModelOutcome =
  | { readonly ok: true; readonly reply: ModelReply }
  | { readonly ok: false; readonly error: ModelError };

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/**
 * `messages` carries tool pairs, thinking and images as they are; `text` turns all of it into words first, so that
 * a caller that needs the exact text renders it first.
 */
type Dialect = "messages" | "text";

export interface LanguageModel {
  readonly name: string;
  readonly dialect: Dialect;
  /** Never rejects: every failure is a value. */
  complete(request: ModelRequest, options?: CallOptions): Promise<ModelOutcome>;
}

/** One attempt at one answer. Stops soon after the signal does; may reject only for unexpected errors. */
export type Provider = (request: ModelRequest, signal: AbortSignal) => Promise<ModelOutcome>;

export const failed = (error: ModelError): ModelOutcome => ({ ok: false, error });

export const usual = {
  anthropic: { place: "https://api.anthropic.com", key: "ANTHROPIC_API_KEY" },
  "openai-compatible": { place: "http://127.0.0.1:11434/v1", key: "OPENAI_API_KEY" },
} as const;

export const USUAL_COMMAND = "claude";
