// Events as the store takes them, keeps them, and tells of them.
import type { JsonObject } from "../lib/index.ts";

/**
 * An event that is safe to keep: scanned for secrets and given its project.
 * The store keeps kinds it does not know. It gives meaning to `prompt` (numbered, kept as a user prompt),
 * `session-start` and `prompt` (the session is open) and `session-end` (it is completed).
 */
export interface RedactedEvent {
  readonly v: 1;
  readonly id: string;
  readonly kind: string;
  /** ISO time. */
  readonly at: string;
  /** The agent's session id. */
  readonly session: string;
  readonly agent?: string;
  readonly cwd?: string;
  readonly transcript?: string;
  readonly lane: string;
  readonly writer: string;
  readonly payload: JsonObject;
  readonly project: string;
}

export interface StoredEvent extends RedactedEvent {
  /** The prompt of the session that the event belongs to; 0 before the first. */
  readonly promptNumber: number;
}

/** What is known of an event without reading what it holds, which may be large. */
export interface EventOutline
  extends Pick<
    StoredEvent,
    "id" | "kind" | "at" | "session" | "agent" | "cwd" | "project" | "promptNumber" | "lane"
  > {
  /** How much it holds. */
  readonly bytes: number;
}
