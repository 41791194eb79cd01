// The model of a transcript, for every agent: a conversation with its boundaries, requests and counts.
import type { HistoryItem, Usage } from "../messages/index.ts";
import type { Problem } from "./rows.ts";

export type DialectName = "claude-code" | "pi";

export interface TranscriptItem extends HistoryItem {
  /** Ids of all rows that this message was merged from. */
  readonly uuids: readonly string[];
  /** The row that the first of them follows. */
  readonly parent?: string;
  /** Where the agent was when they were written. */
  readonly folders?: readonly string[];
  readonly model?: string;
  /** Claude Code writes `output` as of the stream's start on all but the last row: a lower bound. */
  readonly usage?: Usage;
  readonly requestId?: string;
  readonly messageId?: string;
  readonly stopReason?: string;
  /** The client's note of a failed request; no model wrote it and none is shown it. */
  readonly isApiError?: boolean;
  /** A compaction put it back: it was said before, and stands before as well. */
  readonly isCopy?: boolean;
}

interface PreservedSegment {
  readonly headUuid: string;
  readonly tailUuid: string;
  /** The row that the segment is shown behind. */
  readonly anchorUuid?: string;
}

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

export type BoundaryFacts = CompactBoundary | MicrocompactBoundary | CollapseCommit | CollapseSnapshot;

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

type TitleSource = "custom" | "ai" | "summary" | "index" | "prompt";

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

export interface Conversation extends TranscriptSummary {
  /** The main thread across all compactions, oldest first. */
  readonly items: readonly TranscriptItem[];
  readonly attachments: readonly TranscriptAttachment[];
  readonly sidechains: readonly Sidechain[];
  readonly requests: readonly TranscriptRequest[];
}
