// What the store keeps: rows of sessions, prompts, observations, summaries and messages, and pages of them.
import type { ObservationType } from "../lib/index.ts";

export type SessionStatus = "active" | "completed";

/** The columns of every table. */
interface TableRow {
  readonly id: number;
  /** The agent's own session id: what `session` means everywhere in this contract. */
  readonly claudeSessionId: string;
  /** The session of a model that worked on this one; never the agent's. */
  readonly sdkSessionId?: string;
  readonly project: string;
  readonly createdAt: string;
  readonly createdAtEpoch: number;
}

export interface Session extends TableRow {
  readonly promptCounter: number;
  readonly status: SessionStatus;
  readonly lastActivityAt: string;
  readonly lastActivityEpoch: number;
  readonly completedAt?: string;
  readonly completedAtEpoch?: number;
  /** The coding agent, by the name of its adapter; the model and the machine that it first named. Absent before any event. */
  readonly client?: string;
  readonly model?: string;
  readonly machine?: string;
}

/** Which sessions a page holds. */
export interface SessionRequest extends PageRequest {
  readonly status?: SessionStatus;
  /** Those of one coding agent. */
  readonly client?: string;
}

interface StoredRow extends TableRow {
  /** Stable across export and import. */
  readonly uid: string;
  readonly promptNumber: number;
}

export interface UserPrompt extends StoredRow {
  readonly promptText: string;
}

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
  /** What it came from, such as an event's id; no spaces. */
  readonly correlationId?: string;
  /** The events it rests on, by their ids; kept in the column of `correlationId`, behind it. */
  readonly evidence?: readonly string[];
}

export interface Observation extends StoredRow, ObservationText {}

export interface SummaryText {
  readonly request?: string;
  readonly investigated?: string;
  readonly learned?: string;
  readonly completed?: string;
  readonly nextSteps?: string;
  readonly notes?: string;
}

export interface Summary extends StoredRow, SummaryText {}

/** The fields of every new row. A row whose `uid` is known is not added again. */
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

export interface StoredMessage extends NewMessage {
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

export interface Page<T> {
  readonly items: readonly T[];
  /** Absent on the last page. */
  readonly next?: string;
}

/** What a user does to one row: new text, or null to delete it. */
export type Correction = { readonly id: number } & (
  | { readonly kind: "observation"; readonly text: ObservationText | null }
  | { readonly kind: "summary"; readonly text: SummaryText | null }
);

/** What was made of events, and messages of past conversations. */
export interface KnowledgeStore {
  prompts(request?: PageRequest): Promise<Page<UserPrompt>>;
  promptsById(ids: readonly number[]): Promise<UserPrompt[]>;
  addObservations(observations: readonly NewObservation[]): Promise<Added>;
  observations(request?: PageRequest & { readonly type?: ObservationType }): Promise<Page<Observation>>;
  observationsById(ids: readonly number[]): Promise<Observation[]>;
  addSummaries(summaries: readonly NewSummary[]): Promise<Added>;
  summaries(request?: PageRequest): Promise<Page<Summary>>;
  summariesById(ids: readonly number[]): Promise<Summary[]>;
  /**
   * Replaces the text of a row or deletes it. An event of the kind `correction`, at the time of the row, holds the row as it was. A model
   * does not change a corrected row, and a deleted one is not added again. False when there is no such row.
   */
  correct(correction: Correction): Promise<boolean>;
  /** Restores a row as it was before its newest correction, under the same id. False when there is none. */
  undoCorrection(row: Pick<Correction, "kind" | "id">): Promise<boolean>;
  addMessages(messages: readonly NewMessage[]): Promise<Added>;
  messages(request?: PageRequest & { readonly role?: string }): Promise<Page<StoredMessage>>;
  messagesById(ids: readonly number[]): Promise<StoredMessage[]>;
}
