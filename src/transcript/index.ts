// Reading what agents leave on disk: rows, conversations, titles and boundaries, whatever state the file is in.
export {
  copiedEntries,
  type MeasuredSummary,
  readConversation,
  summarizeTranscript,
} from "./conversation.ts";
export { findTranscripts } from "./findTranscripts.ts";
export type {
  Conversation,
  MessageEntry,
  TranscriptBoundary,
  TranscriptEntry,
  TranscriptItem,
} from "./model.ts";
export type { Problem } from "./rows.ts";
export { type ScannedRow, scanEntries, scanRows } from "./rows.ts";
export { readTogether, type SessionFile, sessionFiles } from "./sessionFiles.ts";
export { isRealModel } from "./skeleton.ts";
export { indexTitle, promptTitle, titleLine } from "./title.ts";
export { sendableItems, windowItems } from "./window.ts";
