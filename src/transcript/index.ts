// Reading what agents leave on disk: rows, conversations, titles and boundaries, whatever state the file is in.
export { readConversation } from "./conversation.ts";
export { copiedEntries } from "./copies.ts";
export type { Entry, MessageEntry } from "./dialect.ts";
export { scanEntries } from "./entries.ts";
export { findTranscripts } from "./findTranscripts.ts";
export type { Conversation, TranscriptAttachment, TranscriptBoundary, TranscriptItem } from "./model.ts";
export type { Problem } from "./problems.ts";
export { type ScannedRow, scanRows } from "./rows.ts";
export { readTogether, type SessionFile, sessionFiles } from "./sessionFiles.ts";
export { type MeasuredSummary, summarizeTranscript } from "./summary.ts";
export { isRealModel } from "./tally.ts";
export { indexTitle, promptTitle, titleLine } from "./title.ts";
export { sendableItems, windowItems } from "./window.ts";
