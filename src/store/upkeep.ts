// Upkeep of the store: statistics, forgetting, retention, checks, copies, export and import.
import type { JsonObject } from "../lib/index.ts";
import type { Scope } from "./model.ts";

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

export interface FileReport extends IntegrityReport {
  /** The full-text indexes that did not agree with their tables, and do now. */
  readonly rebuilt: readonly string[];
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

export interface UpkeepStore {
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
  /** Lines of one snapshot, while others write. The first line has the version. */
  exportLines(scope?: Scope): AsyncIterable<string>;
  /** Takes lines of `exportLines`; what is there already is left as it is. */
  importLines(lines: AsyncIterable<string>, options?: ImportOptions): Promise<ImportReport>;
}
