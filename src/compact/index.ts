// Compaction: what stands for a history that left the window, with or without a model.

export { type AttachmentInput, attachmentsFor, defaultAttachmentLimits, type Offers } from "./attachments.ts";
export {
  boundaryMessage,
  boundaryRecord,
  type PreservedSegment,
  preservedSegment,
  type Relinked,
  relink,
} from "./boundary.ts";
export { type Referred, referenceTo, summariseDeterministically, verbatimAddition } from "./deterministic.ts";
export { keepFrom, tailStart, withWholePairs } from "./keep.ts";
export { defaultNotesBudget, notesForWindow } from "./notes/budget.ts";
export {
  type ConversationSize,
  type NotesState,
  notesFile,
  notesFolder,
  readNotes,
  readNotesState,
  type SessionNotes,
} from "./notes/files.ts";
export { addSizes, type DueReason, dueForUpdate, nothingYet, sizeOf, usedToolsLast } from "./notes/rule.ts";
export { noteSections, parseNotes, renderNotes } from "./notes/template.ts";
export { type NotesUpdated, updateNotes } from "./notes/update.ts";
export {
  CONTINUATION_MARKER,
  compactInstructions,
  continuationText,
  howToGoOn,
  type SummaryMode,
  summaryPrompt,
} from "./prompts.ts";
export { checkQuality, type Gap } from "./quality.ts";
export { ConversationReading, type ReadingStore, readingFile } from "./readAhead.ts";
export { shownText } from "./recentCode.ts";
export { COLLAPSED, namesKnownFrom, namesUsedIn, summariseSpan } from "./span.ts";
export { compactOnDemand, ON_DEMAND_BETA, SUMMARY_TOKENS, summarize } from "./summarize.ts";
export type { MainCall } from "./summaryRequest.ts";
export { transcriptContent } from "./transcriptText.ts";
