// What the store promises: rows, queue, feed and upkeep behind one asynchronous contract that no engine shows through.
import type { JsonObject } from "../lib/index.ts";
import type { StoreAccounts } from "./accountModel.ts";
import type { EventOutline, RedactedEvent, StoredEvent } from "./eventModel.ts";
import type { RecordOptions, StoreImports } from "./importModel.ts";
import type { StoreIndex } from "./indexModel.ts";
import type { StoreOverview } from "./overviewModel.ts";
import type { StoreVectors } from "./vectorModel.ts";

export type SessionStatus = "active" | "completed";

export interface Session {
  readonly id: number;
  /** The agent's own session id: what `session` means everywhere in this contract. */
  readonly claudeSessionId: string;
  /** The session of a model that worked on this one; never the agent's. */
  readonly sdkSessionId?: string;
  readonly project: string;
  readonly promptCounter: number;
  readonly status: SessionStatus;
  readonly createdAt: string;
  readonly createdAtEpoch: number;
  readonly lastActivityAt: string;
  readonly lastActivityEpoch: number;
  readonly completedAt?: string;
  readonly completedAtEpoch?: number;
}

interface Row {
  readonly id: number;
  /** Stable across export and import. */
  readonly uid: string;
  readonly claudeSessionId: string;
  readonly sdkSessionId?: string;
  readonly project: string;
  readonly promptNumber: number;
  readonly createdAt: string;
  readonly createdAtEpoch: number;
}

export interface UserPrompt extends Row {
  readonly promptText: string;
}

export const observationTypes = ["decision", "bugfix", "feature", "refactor", "discovery", "change"] as const;

export type ObservationType = (typeof observationTypes)[number];

export interface ObservationText {
  readonly type: ObservationType;
  readonly title: string;
  readonly subtitle?: string;
  readonly narrative?: string;
  readonly text?: string;
  readonly facts?: readonly string[];
  readonly concepts?: readonly string[];
  readonly filesRead?: readonly string[];
  readonly filesModified?: readonly string[];
  readonly toolName?: string;
  /** What it came from, such as an event's id. */
  readonly correlationId?: string;
}

export interface Observation extends Row, ObservationText {}

export interface SummaryText {
  readonly request?: string;
  readonly investigated?: string;
  readonly learned?: string;
  readonly completed?: string;
  readonly nextSteps?: string;
  readonly notes?: string;
}

export interface Summary extends Row, SummaryText {}

/** What every new row says of itself; a `uid` that is known already makes it a row that is not added again. */
interface NewRow {
  readonly uid?: string;
  readonly session: string;
  readonly project: string;
  readonly promptNumber: number;
  /** ISO time. */
  readonly at: string;
}

export interface NewObservation extends NewRow, ObservationText {}
export interface NewSummary extends NewRow, SummaryText {}

/** A message of a past conversation; one per session and uuid. */
export interface NewMessage {
  readonly session: string;
  readonly uuid: string;
  readonly role: string;
  readonly text: string;
  readonly at: string;
  readonly project: string;
  readonly agent?: string;
}

export interface Message extends NewMessage {
  readonly id: number;
  readonly atEpoch: number;
}

export interface Added {
  /** What is new, by id or uid. */
  readonly added: readonly string[];
  /** What was there already. */
  readonly known: readonly string[];
}

/** Rows of a session, of a project, of a time; everything that is given must hold. `from` is in, `to` is out. */
export interface Scope {
  readonly session?: string;
  readonly project?: string;
  /** ISO time. */
  readonly from?: string;
  readonly to?: string;
}

export interface PageRequest extends Scope {
  /** From the page before; not to be read or made by hand. */
  readonly cursor?: string;
  /** 1 to 500; 50 unless given. */
  readonly limit?: number;
  /** `newest` first unless given. */
  readonly order?: "newest" | "oldest";
}

export type EventRequest = PageRequest & {
  readonly kind?: string;
  /** Those that came in by one of these ways. */
  readonly lanes?: readonly string[];
};

export interface Page<T> {
  readonly items: readonly T[];
  /** Absent on the last page. */
  readonly next?: string;
}

export interface NewJob {
  readonly kind: string;
  /** One job per kind and key: a second is not added while the first is there. */
  readonly key: string;
  readonly session?: string;
  readonly project?: string;
  readonly payload?: JsonObject;
  /** Milliseconds since the epoch; at once unless given. */
  readonly notBefore?: number;
}

/** `ready` also means: waiting for its time, or for the lease of a worker that died to run out. */
export type JobState = "ready" | "leased" | "dead";

export interface Job extends NewJob {
  readonly id: number;
  readonly state: JobState;
  readonly payload: JsonObject;
  /** Leases so far, this one among them. */
  readonly attempts: number;
  readonly notBefore: number;
  readonly leasedBy?: string;
  readonly leaseUntil?: number;
  readonly lastError?: string;
  readonly createdAtEpoch: number;
}

export interface LeaseRequest {
  readonly kinds: readonly string[];
  readonly worker: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly limit: number;
  /** A job whose lease ran out after so many attempts is dead: it may be what ends its workers. */
  readonly maxAttempts?: number;
  /** Only these, and at once: they wait for no time of theirs. What another worker holds stays with it. */
  readonly keys?: readonly string[];
}

export interface Completion {
  readonly ids: readonly number[];
  readonly worker: string;
  /** What the work gave, kept in the same transaction: a crash leaves both or neither. */
  readonly observations?: readonly NewObservation[];
  readonly summaries?: readonly NewSummary[];
  /** What rows say from now on, by uid; rows that are not there are passed over. */
  readonly revisions?: Revisions;
  /** Work that follows from this. */
  readonly jobs?: readonly NewJob[];
}

export interface Revisions {
  readonly observations?: readonly (ObservationText & { readonly uid: string })[];
  readonly summaries?: readonly (SummaryText & { readonly uid: string })[];
}

export interface Failure {
  readonly id: number;
  readonly worker: string;
  readonly now: number;
  readonly error: string;
  /** The next attempt waits `baseMs` × 2^(attempts − 1), at most `maxMs`; after `maxAttempts` the job is dead. */
  readonly backoff: { readonly baseMs: number; readonly maxMs: number; readonly maxAttempts: number };
}

export interface QueueStats {
  readonly ready: number;
  /** Ready, but not before a later time. */
  readonly delayed: number;
  readonly leased: number;
  readonly dead: number;
  readonly oldestReadyEpoch?: number;
  readonly byKind: Readonly<Record<string, { ready: number; leased: number; dead: number }>>;
}

/** One change, in the order in which changes were committed. */
export type FeedItem = { readonly cursor: number; readonly project: string; readonly session: string } & (
  | { readonly kind: "event"; readonly row: StoredEvent }
  | { readonly kind: "prompt"; readonly row: UserPrompt }
  | { readonly kind: "observation"; readonly row: Observation }
  | { readonly kind: "summary"; readonly row: Summary }
);

export const countedTables = [
  "sessions",
  "events",
  "prompts",
  "observations",
  "summaries",
  "messages",
  "jobs",
] as const;

export type Counts = Readonly<Record<(typeof countedTables)[number], number>>;

export interface StoreStats {
  readonly counts: Counts;
  /** On disk, with what is not folded into the main file yet. */
  readonly bytes: number;
  /** Of those, free for new rows. */
  readonly freeBytes: number;
  readonly projects: readonly {
    readonly project: string;
    readonly sessions: number;
    readonly events: number;
  }[];
  readonly observationsByType: Readonly<Record<string, number>>;
  readonly eventsByKind: Readonly<Record<string, number>>;
  /** UTC days, newest first, at most 30. */
  readonly days: readonly { readonly day: string; readonly events: number; readonly observations: number }[];
  readonly oldest?: string;
  readonly newest?: string;
}

export interface Forgotten {
  readonly deleted: Counts;
  /** Asked again afterwards: all zero. */
  readonly left: Counts;
  /** Whether old bytes are gone from the files too; false while another reader still holds them. */
  readonly erased: boolean;
}

/** 0 or absent keeps everything. */
export interface RetentionRules {
  /** Raw events and messages older than this go; observations, summaries and prompts stay. */
  readonly rawDays?: number;
  /** Everything older than this goes. */
  readonly days?: number;
  /** Above this size the oldest raw rows go first, then the oldest of the rest. */
  readonly maxBytes?: number;
}

export interface RetentionPreview {
  /** Raw rows before this time go. */
  readonly rawBefore?: string;
  /** All rows before this time go. */
  readonly allBefore?: string;
  readonly counts: Counts;
  /** Roughly what this frees. */
  readonly bytes: number;
}

export interface IntegrityReport {
  readonly ok: boolean;
  readonly problems: readonly string[];
}

export interface ImportReport {
  readonly added: Counts;
  readonly known: Counts;
  /** Lines that could not be used, with the reason; the first hundred. */
  readonly rejected: readonly { readonly line: number; readonly reason: string }[];
  readonly rejectedCount: number;
  /** Whether the file had its last line; a cut one has not. */
  readonly complete: boolean;
}

export interface ImportOptions {
  /** Runs over every value before it is kept; give the full scan for files of unknown origin. */
  readonly redact?: (value: JsonObject) => JsonObject | Promise<JsonObject>;
}

/** Every method either does all it says or throws and changes nothing. What has resolved survives a crash. */
export interface Store extends StoreIndex, StoreVectors, StoreOverview, StoreAccounts, StoreImports {
  /**
   * Keeps events, their sessions and prompts, and queues the work they ask for, in one transaction.
   * An event whose id is known changes nothing; the order of ids in the answer is that of the events.
   */
  recordEvents(events: readonly RedactedEvent[], options?: RecordOptions): Promise<Added>;
  events(request?: EventRequest): Promise<Page<StoredEvent>>;
  /** The same pages, for whoever has to look at many events and to read few of them. */
  eventOutlines(request?: EventRequest): Promise<Page<EventOutline>>;
  /** In the order of the ids; ids that are not there are left out. */
  eventsById(ids: readonly string[]): Promise<StoredEvent[]>;

  session(id: string): Promise<Session | undefined>;
  sessions(request?: PageRequest & { readonly status?: SessionStatus }): Promise<Page<Session>>;
  /** Notes which model session works on an agent's session. */
  setModelSession(session: string, sdkSessionId: string): Promise<void>;

  prompts(request?: PageRequest): Promise<Page<UserPrompt>>;
  promptsById(ids: readonly number[]): Promise<UserPrompt[]>;
  addObservations(observations: readonly NewObservation[]): Promise<Added>;
  observations(request?: PageRequest & { readonly type?: ObservationType }): Promise<Page<Observation>>;
  observationsById(ids: readonly number[]): Promise<Observation[]>;
  addSummaries(summaries: readonly NewSummary[]): Promise<Added>;
  summaries(request?: PageRequest): Promise<Page<Summary>>;
  summariesById(ids: readonly number[]): Promise<Summary[]>;
  addMessages(messages: readonly NewMessage[]): Promise<Added>;
  messages(request?: PageRequest & { readonly role?: string }): Promise<Page<Message>>;
  messagesById(ids: readonly number[]): Promise<Message[]>;

  /** How many were added. */
  enqueue(jobs: readonly NewJob[]): Promise<number>;
  /** Those that have been due longest. A job whose lease ran out is leased again. */
  lease(request: LeaseRequest): Promise<Job[]>;
  /** Ids that `worker` does not hold any more are passed over; gives those that were completed. */
  complete(completion: Completion): Promise<number[]>;
  /** Makes ready what all other workers hold, for one that knows it is alone; gives how many. */
  releaseOthers(worker: string): Promise<number>;
  /** The state the job is in now; undefined when `worker` does not hold it any more. */
  fail(failure: Failure): Promise<JobState | undefined>;
  deadJobs(request?: { readonly kind?: string; readonly limit?: number }): Promise<Job[]>;
  /** Dead jobs get all their attempts back; gives how many. */
  retryDead(request?: { readonly kind?: string; readonly ids?: readonly number[] }): Promise<number>;
  queueStats(now: number): Promise<QueueStats>;

  /** Changes after `cursor`, oldest first. Cursors only grow, also over restarts and deletions; 0 is the start. */
  feedSince(cursor: number, limit: number): Promise<FeedItem[]>;
  /** The cursor of the newest change there ever was. */
  feedHead(): Promise<number>;

  /** For each project the folder that its newest event came from; projects whose events name none are absent. */
  workFolders(): Promise<{ readonly project: string; readonly folder: string }[]>;

  stats(): Promise<StoreStats>;
  /** What `forget` would delete. Throws `usage` for a scope that is empty. */
  previewForget(scope: Scope): Promise<Counts>;
  /** Deletes rows, index entries and their bytes on the pages of the database, and looks again. */
  forget(scope: Scope): Promise<Forgotten>;
  previewRetention(rules: RetentionRules, now: number): Promise<RetentionPreview>;
  applyRetention(rules: RetentionRules, now: number): Promise<RetentionPreview>;
  integrityCheck(): Promise<IntegrityReport>;
  /** Gives free space back; the bytes before and after. */
  vacuum(): Promise<{ readonly before: number; readonly after: number }>;
  /** A whole copy at one instant, while others write; `file` must not exist. */
  backup(file: string): Promise<{ readonly bytes: number }>;
  /** Lines of one instant, while others write. The first says the version. */
  exportLines(scope?: Scope): AsyncIterable<string>;
  /** Takes lines of `exportLines`; what is there already is left as it is. */
  importLines(lines: AsyncIterable<string>, options?: ImportOptions): Promise<ImportReport>;
  close(): Promise<void>;
}
