// What an event is, and what makes two of them the same.
import { type JsonObject, lightSha256 } from "../lib/index.ts";

export const eventKinds = [
  "session-start",
  "prompt",
  "tool",
  "tool-failure",
  "stop",
  "subagent-stop",
  "pre-compact",
  "post-compact",
  "session-end",
] as const;

export type EventKind = (typeof eventKinds)[number];

export const eventLanes = ["hooks", "mods", "transcript", "import", "gateway"] as const;

/** Which way an event came in. */
export type EventLane = (typeof eventLanes)[number];

/** One event of an agent, as it is written to disk before anything else is done with it. */
export interface CapturedEvent {
  readonly v: 1;
  readonly id: string;
  readonly kind: EventKind;
  /** ISO time at which it was captured. */
  readonly at: string;
  /** The agent's own session id. */
  readonly session: string;
  /** The subagent it happened in. */
  readonly agent?: string;
  readonly cwd?: string;
  /** The transcript of the session it belongs to. */
  readonly transcript?: string;
  readonly lane: EventLane;
  /** The version of Throughline that wrote it. */
  readonly writer: string;
  /** Milliseconds from the start of the hook until it wrote this. */
  readonly took?: number;
  /** What the agent handed over, with private text and obvious secrets already hidden. */
  readonly payload: JsonObject;
}

interface EventIdentity {
  readonly session: string;
  readonly agent?: string | undefined;
  readonly kind: EventKind;
  readonly key: string;
}

const EVENT_ID_DIGITS = 24;

/** The same event gives the same id, whichever way it comes in. */
export function eventId({ session, agent, kind, key }: EventIdentity) {
  const digest = lightSha256(JSON.stringify([session, agent ?? "", kind, key]));
  return `ev_${digest.slice(0, EVENT_ID_DIGITS)}`;
}

const KEY_DIGITS = 16;
const stringOrEmpty = (value: unknown) => (typeof value === "string" ? value : "");
const keyDigest = (value: unknown) => lightSha256(stringOrEmpty(value).trim()).slice(0, KEY_DIGITS);

/**
 * What tells this event from others of its kind in its session, read from a payload as the agent gives it,
 * before anything in it is hidden. There is no counter in it: each lane finds the same key.
 */
export function eventKey(kind: EventKind, payload: JsonObject, at: string) {
  const prompt = stringOrEmpty(payload.prompt_id);
  const trigger = stringOrEmpty(payload.trigger);
  const second = at.slice(0, "2026-01-01T00:00:00".length);
  switch (kind) {
    case "tool":
    case "tool-failure":
      // A tool call without an id is identified by its input and time.
      return (
        stringOrEmpty(payload.tool_use_id) ||
        `${keyDigest(JSON.stringify(payload.tool_input ?? null))}/${second}`
      );
    case "prompt":
      return prompt || keyDigest(payload.prompt);
    case "stop":
    case "subagent-stop":
      // A turn can stop more than once; what was said last tells the stops apart, and a transcript has it too.
      return `${prompt}/${keyDigest(payload.last_assistant_message)}`;
    case "pre-compact":
      return `${trigger}/${prompt}/${second}`;
    case "post-compact": {
      const { compact_summary: summary } = payload;
      // The user's own: each prompt compacts once, and a transcript has the summary without what was thought before it.
      const isTold = trigger === "manual" && prompt;
      return `${trigger}/${prompt}/${isTold ? "" : summary ? keyDigest(summary) : second}`;
    }
    case "session-start": {
      const source = stringOrEmpty(payload.source);
      // Only these two begin in a session that was there before; any other source has an id of its own.
      return source === "resume" || source === "compact" ? `${source}/${second}` : source || second;
    }
    case "session-end":
      // The prompt that came last before this end: no other end comes after the same one.
      return prompt || `${stringOrEmpty(payload.reason)}/${second}`;
  }
}
