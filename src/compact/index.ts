// Compaction: what stands for a history that left the window, with or without a model.

export { type Judgement, judgeAnswer, type Rejection, type RejectionReason } from "./answer.ts";
export {
  type Attachment,
  type AttachmentInput,
  type AttachmentKind,
  type AttachmentLimits,
  attachmentKinds,
  attachmentsFor,
  defaultAttachmentLimits,
  type InvokedSkill,
  type Offers,
  type RunningTask,
} from "./attachments.ts";
export {
  BOUNDARY_MARKER,
  type BoundaryRecord,
  boundaryMessage,
  boundaryRecord,
  type LinkedItem,
  type PreservedSegment,
  preservedSegment,
  type Relinked,
  relink,
} from "./boundary.ts";
export {
  type DeterministicInput,
  type DeterministicSummary,
  type Referred,
  summariseDeterministically,
} from "./deterministic.ts";
export { compactInstructions } from "./instructions.ts";
export {
  defaultKeepLimits,
  type KeepFrom,
  type KeepInput,
  type KeepLimits,
  type KeepReason,
  keepFrom,
  tailStart,
  withWholePairs,
} from "./keep.ts";
export {
  defaultNotesBudget,
  type NotesBudget,
  notesForWindow,
  type OverBudget,
  overBudget,
} from "./notes/budget.ts";
export {
  type ConversationSize,
  type NotesState,
  notesFile,
  notesFolder,
  readNotes,
  readNotesState,
  type SessionNotes,
} from "./notes/files.ts";
export { type ActivityUpdate, updateFromActivity } from "./notes/fromActivity.ts";
export {
  addSizes,
  type DueReason,
  defaultNotesRule,
  dueForUpdate,
  type NotesRule,
  nothingYet,
  type Progress,
  safeLastId,
  sizeOf,
  usedToolsLast,
} from "./notes/rule.ts";
export {
  type Acceptance,
  acceptUpdate,
  isEmptyTemplate,
  type NoteSection,
  type Notes,
  noteSections,
  parseNotes,
  renderNotes,
} from "./notes/template.ts";
export { type NotesUpdate, type NotesUpdated, updateNotes } from "./notes/update.ts";
export { compactOnDemand, ON_DEMAND_BETA, type OnDemandInput, type OnDemandOutcome } from "./onDemand.ts";
export {
  CONTINUATION_MARKER,
  type ContinuationInput,
  continuationText,
  SUMMARIZER_SYSTEM,
  type SummaryMode,
  summaryPrompt,
  summarySections,
  TRUNCATION_MARKER,
} from "./prompts.ts";
export {
  checkQuality,
  type Gap,
  type GapKind,
  PATCH_TOKENS,
  type Quality,
  type QualityInput,
} from "./quality.ts";
export { COLLAPSED, namesKnownFrom, namesUsedIn, type SpanInput, summariseSpan } from "./span.ts";
export {
  PROMPT_TOO_LONG_RETRIES,
  SUMMARY_TOKENS,
  type SummaryFailure,
  type SummaryInput,
  type SummaryOutcome,
  summarize,
} from "./summarize.ts";
export type { MainCall, SummaryForm } from "./summaryRequest.ts";
export { renderTranscript } from "./transcriptText.ts";
