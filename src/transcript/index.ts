// Reading what agents leave on disk: rows, conversations, titles and boundaries, whatever state the file is in.
export { type ReadOptions, readConversation } from "./conversation.ts";
export { copiedEntries } from "./copies.ts";
export type { Entry, MessageEntry, SessionFacts } from "./dialect.ts";
export { type ScannedEntries, scanEntries } from "./entries.ts";
export type {
  BoundaryFacts,
  CollapseCommit,
  CollapseSnapshot,
  CompactBoundary,
  Conversation,
  DialectName,
  MicrocompactBoundary,
  PairCounts,
  PreservedMessages,
  PreservedSegment,
  Sidechain,
  Title,
  TitleSource,
  TranscriptAttachment,
  TranscriptBoundary,
  TranscriptCounts,
  TranscriptItem,
  TranscriptRequest,
  TranscriptSummary,
} from "./model.ts";
export type { Problem, ProblemKind } from "./problems.ts";
export { type ScannedRow, type ScanOptions, scanRows } from "./rows.ts";
export { readTogether, type SessionFile, sessionFiles } from "./sessionFiles.ts";
export { type MeasuredSummary, type SummaryOptions, summarizeTranscript } from "./summary.ts";
export { isRealModel } from "./tally.ts";
export { indexTitle, promptTitle, titleLine } from "./title.ts";
export { windowItems } from "./window.ts";
