// The memory directory: typed memories in Markdown, their index, and the rules that keep them small, true and safe.

export { indexText } from "./commit.ts";
export type { ConfirmOutcome } from "./confirm.ts";
export { type Candidate, candidateRules, consolidate } from "./consolidate.ts";
export { screenFreeText } from "./freeText.ts";
export { readMemory } from "./frontmatter.ts";
export {
  type ApproveOutcome,
  approveQuarantined,
  discardMemory,
  type EditOutcome,
  editMemory,
  type MemoryEdit,
  type Obstacle,
  type RejectOutcome,
  type RemoveOutcome,
  rejectQuarantined,
  takeBack,
  type UndoOutcome,
} from "./handling.ts";
export { budget } from "./indexFile.ts";
export { type Finding, lint } from "./lint.ts";
export { appendLog, type LogEntry, type LogOutcome, readLogs } from "./logs.ts";
export { type MemoryToolHandlers, memoryTool, runMemoryTool } from "./memoryTool.ts";
export { mend } from "./mend.ts";
export {
  authors,
  isActive,
  isGuidance,
  type MemoryContent,
  type MemoryPlace,
  type MemoryType,
  memoryTypes,
  type StoredMemory,
} from "./model.ts";
export { claudeProjectFolder, memoryPlace } from "./place.ts";
export {
  confirmedBodies,
  dropQuarantined,
  findQuarantined,
  listQuarantine,
  type Quarantined,
} from "./quarantine.ts";
export { searchMemories } from "./rank.ts";
export { referencesIn } from "./references.ts";
export { type Repository, readRepository, readRepositoryBeside } from "./repository.ts";
export { historyRule } from "./retention.ts";
export { type SaveOutcome, type SaveRequest, saveMemory } from "./save.ts";
export {
  type Folder,
  fileNameFor,
  findMemory,
  historyOf,
  openFolder,
  outsideChanges,
  readFolder,
  readMemoryFile,
  removeMemory,
  undoChange,
  writeMemory,
} from "./store.ts";
export { tellable } from "./tellable.ts";
export { checkMemory, checkTruth, claimsOf } from "./truth.ts";
export {
  type MemoryDetail,
  type MemoryOverview,
  readVersion,
  type ViewedMemory,
  type ViewOptions,
  verdictsOn,
  viewMemories,
  viewMemory,
} from "./viewing.ts";
export { inWords, keepWordings, readWordings, type Wordings, wordCandidates } from "./wording.ts";
export { staleBanner, standingLine, TRUST_HEADING, trustSection } from "./words.ts";
