// The model of a transcript, for every agent: a conversation with its boundaries, requests and counts; and the dialect that turns the rows of one agent into entries that all readers share.

import { defined, isObject, type JsonObject } from "../lib/index.ts";
import { type HistoryItem, isBlock, type Message, type Usage } from "../messages/index.ts";
import type { Problem } from "./rows.ts";

/** The agents whose transcripts are read. */
export type DialectName = "claude-code" | "pi" | "codex" | "opencode";

/** A message of the main thread, with the rows that it was merged from. */
export interface TranscriptItem extends HistoryItem, Omit<ResponseFacts, "key" | "blockIndex"> {
  /** Ids of all rows that this message was merged from. */
  readonly uuids: readonly string[];
  /** The row that the first of them follows. */
  readonly parent?: string;
  /** Where the agent was when they were written. */
  readonly folders?: readonly string[];
  /** The client's note of a failed request; no model wrote it and none is shown it. */
  readonly isApiError?: boolean;
  /** A compaction put it back: it was said before, and stands before as well. */
  readonly isCopy?: boolean;
}

/** Messages that stayed in view behind a compaction, by the first and the last. */
interface PreservedSegment {
  readonly headUuid: string;
  readonly tailUuid: string;
  /** The row that the segment is shown behind. */
  readonly anchorUuid?: string;
}

/** Messages that stayed in view behind a compaction, by id. */
interface PreservedMessages {
  readonly uuids: readonly string[];
  readonly anchorUuid?: string;
}

/** History before this point was replaced by a summary. */
export interface CompactBoundary {
  readonly kind: "compact";
  readonly trigger?: string;
  readonly preTokens?: number;
  readonly postTokens?: number;
  readonly preservedSegment?: PreservedSegment;
  readonly preservedMessages?: PreservedMessages;
}

/** Results of old calls were emptied. */
interface MicrocompactBoundary {
  readonly kind: "microcompact";
  readonly trigger?: string;
  readonly preTokens?: number;
  readonly tokensSaved?: number;
  readonly compactedToolIds: readonly string[];
  readonly clearedAttachmentUuids: readonly string[];
}

/** A span of history was replaced by a placeholder. */
interface CollapseCommit {
  readonly kind: "collapse-commit";
  readonly collapseId?: string;
  readonly summaryUuid?: string;
  /** Absent in a summary of the transcript, which keeps no contents. */
  readonly summaryContent?: string;
  readonly firstArchivedUuid?: string;
  readonly lastArchivedUuid?: string;
}

/** Spans that are ready to be collapsed; only the last snapshot counts. */
interface CollapseSnapshot {
  readonly kind: "collapse-snapshot";
  /** As written. Empty in a summary of the transcript, which keeps no contents. */
  readonly spans: readonly unknown[];
  readonly armed: boolean;
  readonly lastSpawnTokens?: number;
}

/** Messages that the model named as no longer needed: they are in the file and in no later request. */
interface SnipBoundary {
  readonly kind: "snip";
  readonly removedUuids: readonly string[];
}

/** What was done to the history at a boundary. */
export type BoundaryFacts =
  | CompactBoundary
  | MicrocompactBoundary
  | CollapseCommit
  | CollapseSnapshot
  | SnipBoundary;

/** A compaction in the transcript, and its place among the items. */
export type TranscriptBoundary = BoundaryFacts & {
  /** Number of items before it. */
  readonly index: number;
  readonly uuid?: string;
  readonly at?: number;
  /** Ids of earlier items that stay in view behind a compaction, oldest first. */
  readonly preserved: readonly string[];
};

/** Text that the client put before the model beside the messages. */
export interface TranscriptAttachment {
  readonly type: string;
  readonly uuid: string;
  /** Number of items before it. */
  readonly index: number;
  /** What the model was shown. Older versions did not write it down. */
  readonly text?: string;
  readonly role?: string;
}

/** The conversation of a subagent. */
export interface Sidechain {
  readonly agentId: string;
  /** The subagent's own file; absent when its rows are in the main transcript. */
  readonly file?: string;
  readonly items: readonly TranscriptItem[];
}

/** One answered request. */
export interface TranscriptRequest {
  readonly messageId?: string;
  /** Index of the assistant item that answers it. */
  readonly itemIndex: number;
  readonly at?: number;
  readonly model?: string;
  readonly usage: Usage;
}

/** Where a title comes from. */
type TitleSource = "custom" | "ai" | "summary" | "index" | "prompt";

/** The title of a conversation, and where it comes from. */
export interface Title {
  readonly text: string;
  readonly source: TitleSource;
}

/** Calls of any tool on the main thread. */
export interface PairCounts {
  readonly matched: number;
  /** Calls without a result. */
  readonly unanswered: number;
  /** Results without a call. */
  readonly orphan: number;
}

/** What one row at a time shows. */
export const rowCounts = [
  "rows",
  "userRows",
  "assistantRows",
  "systemRows",
  "attachmentRows",
  "sidechainRows",
  "toolUses",
  "toolResults",
  "thinkingBlocks",
  "compactBoundaries",
  "microcompactBoundaries",
  "collapseCommits",
  "collapseSnapshots",
  "snipBoundaries",
  "apiRequests",
  /** Rows that hold the parts which `api-request` rows point at. */
  "apiRequestParts",
  "unknownRows",
  "duplicateRows",
] as const;

export type RowCount = (typeof rowCounts)[number];

/** Counts over the whole file: every thread and every branch, equal uuids once. */
interface TranscriptCounts extends Readonly<Record<RowCount, number>> {
  /** Message rows of the main thread on branches that were left. */
  readonly abandonedRows: number;
  /** Rows of all threads whose parent is not in the file. */
  readonly missingParents: number;
  /** Messages of the main thread without any content; they are not among the items. */
  readonly emptyMessages: number;
  readonly brokenLines: number;
  readonly longLines: number;
}

/** What can be told of a transcript without keeping its contents. */
export interface TranscriptSummary {
  /** Undefined when no row was understood. */
  readonly dialect: DialectName | undefined;
  /** As in the last row that says it: a resumed session may carry rows of the one before. */
  readonly sessionId: string | undefined;
  /** As in the first row that says it: later ones follow the agent's `cd`. */
  readonly cwd: string | undefined;
  /** As in the last row that says it. */
  readonly gitBranch: string | undefined;
  readonly versions: readonly string[];
  /** Models that answered, in order of appearance. */
  readonly models: readonly string[];
  readonly title: Title | undefined;
  readonly firstAt: number | undefined;
  readonly lastAt: number | undefined;
  /** Real user inputs on the main thread. */
  readonly turns: number;
  /** Messages of the main thread. */
  readonly messages: number;
  readonly pairs: PairCounts;
  readonly boundaries: readonly TranscriptBoundary[];
  readonly counts: TranscriptCounts;
  /** The first ones; `counts` has all of them. */
  readonly problems: readonly Problem[];
  /** Byte offset behind the last finished line: pass it to `scanRows` as `from`. */
  readonly end: number;
}

/** A whole session: the main thread, its subagents, attachments and requests. */
export interface Conversation extends TranscriptSummary {
  /** The main thread across all compactions, oldest first. */
  readonly items: readonly TranscriptItem[];
  readonly attachments: readonly TranscriptAttachment[];
  readonly sidechains: readonly Sidechain[];
  readonly requests: readonly TranscriptRequest[];
}

/** Where an entry stands among the others. */
export interface Links {
  /** Without an id an entry is of no thread, unless it is a boundary: that stands behind the row before it. */
  readonly id?: string;
  /** The entry it follows: null for a root; absent when it does not say, and follows the row before it. */
  readonly parent?: string | null;
  readonly sidechain?: boolean;
  /** The subagent that a sidechain belongs to. */
  readonly agentId?: string;
  readonly at?: number;
}

/** Of the API response that an assistant row is a part of. */
export interface ResponseFacts {
  /** Equal on all rows of one response; absent when the row is the whole response. */
  readonly key?: string;
  readonly messageId?: string;
  readonly requestId?: string;
  /** Place of the row's block in the response. */
  readonly blockIndex?: number;
  readonly model?: string;
  /** Claude Code writes `output` as of the stream's start on all but the last row: a lower bound. */
  readonly usage?: Usage;
  readonly stopReason?: string;
}

/** A row that holds a message. */
export interface MessageEntry {
  readonly kind: "message";
  readonly message: Message;
  readonly meta?: boolean;
  readonly compactSummary?: boolean;
  readonly isApiError?: boolean;
  readonly response?: ResponseFacts;
  /** The call that brought this message along, for what a client adds to a result. */
  readonly broughtBy?: string;
}

/** A row that records a compaction, a collapse or a snip. */
interface BoundaryEntry {
  readonly kind: "boundary";
  readonly boundary: BoundaryFacts;
}

/** A row with text that the client put before the model. */
interface AttachmentEntry {
  readonly kind: "attachment";
  readonly type: string;
  readonly text?: string;
  readonly role?: string;
}

/** A row that gives the conversation a title. */
export interface TitleEntry {
  readonly kind: "title";
  readonly source: "custom" | "ai" | "summary";
  readonly text: string;
  /** The row that a summary was made of. */
  readonly leaf?: string;
}

/** A row that only links others or keeps the agent's own books. */
interface OtherEntry {
  readonly kind: "system" | "api-request" | "api-request-part" | "bookkeeping" | "unknown";
}

/** What a row says of the session as a whole. */
export interface SessionFacts {
  readonly sessionId?: string;
  readonly cwd?: string;
  readonly gitBranch?: string;
  readonly version?: string;
}

/** What a row holds, by kind. */
export type EntryContent = MessageEntry | BoundaryEntry | AttachmentEntry | TitleEntry | OtherEntry;

/** What one row of a transcript says. */
export type TranscriptEntry = Links & EntryContent & { readonly session?: SessionFacts };

/** Reads the rows of one file in order. Total: whatever a row holds, it answers and does not throw. */
export type RowReader = (row: JsonObject, start: number) => readonly TranscriptEntry[];

export interface Dialect {
  readonly name: DialectName;
  /** True when the row is written in this dialect. The first row that any dialect understands decides for its file. */
  understands(row: JsonObject): boolean;
  /** A reader for one file; it may remember what it has seen. */
  open(): RowReader;
}

/** Turns the rows of one file into rows of Claude Code's form, in order. Total: whatever a row holds, it does not throw. */
type TranslateRow = (row: JsonObject, start: number) => readonly JsonObject[];

export interface RowTranslator {
  readonly dialect: DialectName;
  /** Whether a file that begins with this row is written in the dialect. */
  understands(firstRow: JsonObject): boolean;
  /** A text that the first bytes of every such file hold: looked for before its first row is read. */
  readonly head: string;
  /** A translator for one file. It remembers what earlier rows say of later ones; every row gives at least one. */
  open(): TranslateRow;
}

/** A string that is not empty. */
export function textField(row: JsonObject, key: string) {
  const value = row[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function numberField(row: JsonObject, key: string) {
  const value = row[key];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** The fields of these names that are there, each read by `read`. */
const fieldsBy =
  <V>(read: (row: JsonObject, key: string) => V | undefined) =>
  <K extends string>(row: JsonObject, ...keys: readonly K[]) =>
    defined(Object.fromEntries(keys.map((key) => [key, read(row, key)])) as Record<K, V | undefined>);

export const textFields = fieldsBy(textField);
export const numberFields = fieldsBy(numberField);

export function objectField(row: JsonObject, key: string) {
  const value = row[key];
  return isObject(value) ? value : undefined;
}

export function textsField(row: JsonObject, key: string) {
  const value = row[key];
  return Array.isArray(value) ? value.filter((part) => typeof part === "string") : [];
}

/** Milliseconds since the epoch of an ISO date or a number of milliseconds. */
export function timeField(row: JsonObject, key: string) {
  const value = row[key];
  const time = typeof value === "string" ? Date.parse(value) : value;
  // A number beyond what a date can be would throw wherever the time is formatted.
  return typeof time === "number" && !Number.isNaN(new Date(time).valueOf()) ? time : undefined;
}

/** Message content; anything that is neither text nor blocks is left out. */
export function contentField(row: JsonObject, key: string) {
  const value = row[key];
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.filter(isBlock) : [];
}
