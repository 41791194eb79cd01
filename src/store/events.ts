// Events and sessions: how the store takes them, keeps them, and returns them.
import type { JsonObject } from "../lib/index.ts";
import type {
  Added,
  Observation,
  Page,
  PageRequest,
  Session,
  SessionRequest,
  Summary,
  UserPrompt,
} from "./model.ts";

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
  /** The prompt of the session that the event belongs to, which the store counts; 0 before the first. */
  readonly promptNumber?: number;
}

/** What is known of an event without reading what it holds, which may be large. */
export interface EventOutline
  extends Pick<RedactedEvent, "id" | "kind" | "at" | "session" | "agent" | "cwd" | "project" | "lane"> {
  readonly promptNumber: number;
  /** How much it holds. */
  readonly bytes: number;
}

export type EventRequest = PageRequest & {
  readonly kind?: string;
  /** Those that came in by one of these ways. */
  readonly lanes?: readonly string[];
};

/** One change, in the order in which changes were committed. */
export type FeedItem = { readonly cursor: number; readonly project: string; readonly session: string } & (
  | { readonly kind: "event"; readonly row: RedactedEvent }
  | { readonly kind: "prompt"; readonly row: UserPrompt }
  | { readonly kind: "observation"; readonly row: Observation }
  | { readonly kind: "summary"; readonly row: Summary }
);

export interface RecordOptions {
  /**
   * Holds the work that the events ask for until their source is finished: a turn that is there by half must not be
   * observed. At most until this time, in milliseconds since the epoch, should the import never be finished.
   */
  readonly holdUntil?: number;
}

export interface FinishedSource {
  /** Identifies the source without its path: a hash of it, say. */
  readonly key: string;
  /** Its state when it was read. Absent when the next import must read it again. */
  readonly state?: string;
  /** The session whose held work can be done now. */
  readonly session?: string;
}

export interface EventStore {
  /**
   * Keeps events, their sessions and prompts, and queues the work they ask for, in one transaction.
   * An event whose id is known changes nothing; the order of ids in the answer is that of the events.
   */
  recordEvents(events: readonly RedactedEvent[], options?: RecordOptions): Promise<Added>;
  events(request?: EventRequest): Promise<Page<RedactedEvent>>;
  /** The same pages without payloads, for callers that look through many events and read few of them. */
  eventOutlines(request?: EventRequest): Promise<Page<EventOutline>>;
  /** In the order of the ids; ids that are not there are left out. */
  eventsById(ids: readonly string[]): Promise<RedactedEvent[]>;
  session(id: string): Promise<Session | undefined>;
  sessions(request?: SessionRequest): Promise<Page<Session>>;
  /** Changes after `cursor`, oldest first. Cursors only grow, also over restarts and deletions; 0 is the start. */
  feedSince(cursor: number, limit: number): Promise<FeedItem[]>;
  /** The cursor of the newest change there ever was. */
  feedHead(): Promise<number>;
  /** For each project the folder that its newest event came from; projects whose events name none are absent. */
  workFolders(): Promise<{ readonly project: string; readonly folder: string }[]>;
  /** The state of a source when it was finished; undefined when it must be read. */
  sourceState(key: string): Promise<string | undefined>;
  /** Records that a source is imported and releases its held jobs, in one transaction. */
  finishSource(source: FinishedSource): Promise<void>;
  /** Those of the messages that another session has too: a fork begins with a copy of its origin's. */
  messagesElsewhere(session: string, uuids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Those of the messages that are there. */
  knownMessages(session: string, uuids: readonly string[]): Promise<ReadonlySet<string>>;
}
