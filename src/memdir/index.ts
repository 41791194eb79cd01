// The memory directory: typed memories in Markdown, their index, and the rules that keep them small, true and safe.

export {
  checkMemory,
  checkTruth,
  claimsOf,
  findReferences,
  type Repository,
  readRepository,
  readRepositoryBeside,
} from "../claims/index.ts";
export type { ConfirmOutcome } from "./admit/confirm.ts";
export { candidateRules, consolidate, type MemoryCandidate } from "./admit/consolidate.ts";
export { memoryFromWords, withReason } from "./admit/fromWords.ts";
export {
  confirmedBodies,
  dropQuarantined,
  findQuarantined,
  listQuarantine,
  type Quarantined,
  screenFreeText,
} from "./admit/quarantine.ts";
export { type SaveOutcome, type SaveRequest, saveMemory } from "./admit/save.ts";
export { inWords, keepWordings, readWordings, type Wordings, wordCandidates } from "./admit/wording.ts";
export { indexText } from "./folder/commit.ts";
export {
  appendLog,
  type LogEntry,
  type LogOutcome,
  markConsolidated,
  type RecentLog,
  readLogs,
  recentLog,
} from "./folder/dailyLogs.ts";
export { folderTexts, INDEX_FILE, writeReceived } from "./folder/exchange.ts";
export { readMemory } from "./folder/frontmatter.ts";
export { indexBudget } from "./folder/indexFile.ts";
export { defaultHistoryRule } from "./folder/journal.ts";
export {
  authors,
  isActive,
  isGuidance,
  type MemoryContent,
  type MemoryPlace,
  type MemoryType,
  memoryTypes,
  type StoredMemory,
} from "./folder/model.ts";
export { claudeProjectFolder, memoryPlace } from "./folder/place.ts";
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
} from "./folder/store.ts";
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
} from "./tools/actions.ts";
export {
  type MemoryInstructionsOptions,
  memoryInstructions,
  memoryTypeDefinitions,
} from "./tools/instructions.ts";
export type { TypeDefinition } from "./tools/instructionsWords.ts";
export {
  type MemoryToolHandlers,
  type MemoryToolOptions,
  memoryTool,
  runMemoryTool,
} from "./tools/memoryTool.ts";
export {
  type MemoryDetail,
  type MemoryOverview,
  type RemovedMemory,
  readVersion,
  removedMemories,
  type ViewedMemory,
  type ViewOptions,
  verdictsOn,
  viewMemories,
  viewMemory,
} from "./tools/overview.ts";
export { searchMemories, selectInjectable } from "./tools/select.ts";
export { type LintFinding, lintMemories } from "./truth/lint.ts";
export { staleBanner, standingLine, TRUST_HEADING, trustSection } from "./truth/notes.ts";
export { applyFixes } from "./truth/repair.ts";
