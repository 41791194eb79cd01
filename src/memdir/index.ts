// The memory directory: typed memories in Markdown, their index, and the rules that keep them small, true and safe.

export { indexText } from "./commit.ts";
export { type ConfirmOptions, type ConfirmOutcome, confirmQuarantined } from "./confirm.ts";
export {
  type Candidate,
  type CandidateRule,
  type Consolidation,
  candidateRules,
  consolidate,
} from "./consolidate.ts";
export type { DateChange } from "./dates.ts";
export { type Derivable, type DerivableKind, derivableKinds } from "./derivable.ts";
export { type ReadMemory, readMemory } from "./frontmatter.ts";
export {
  type ApproveOutcome,
  approveQuarantined,
  discardMemory,
  type EditOptions,
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
export { budget, type IndexLine, type IndexSize, indexLine, readIndex, sizeOfIndex } from "./indexFile.ts";
export type { Change, Step } from "./journal.ts";
export { type Finding, type FindingKind, findingKinds, type LintInput, lint } from "./lint.ts";
export {
  appendLog,
  type LogEntry,
  type LogOptions,
  type LogOutcome,
  type LogRequest,
  readLogs,
} from "./logs.ts";
export {
  type MemoryToolCommands,
  type MemoryToolHandlers,
  memoryTool,
  runMemoryTool,
} from "./memoryTool.ts";
export { type MendOptions, mend } from "./mend.ts";
export {
  type Author,
  authors,
  type HistoryRule,
  isActive,
  type KeptFields,
  limits,
  type MemoryContent,
  type MemoryPlace,
  type MemoryType,
  memoryTypes,
  type Provenance,
  type StoredMemory,
  type Trust,
} from "./model.ts";
export { claudeMemoryFolder, claudeProjectFolder, memoryPlace, type PlaceSources } from "./place.ts";
export {
  confirmedBodies,
  type Destination,
  dropQuarantined,
  findQuarantined,
  listQuarantine,
  type Quarantined,
} from "./quarantine.ts";
export {
  type MatchedLine,
  type MemoryMatch,
  rankMemories,
  type SearchOutcome,
  searchMemories,
} from "./rank.ts";
export { type Reference, type ReferenceKind, referencesIn } from "./references.ts";
export {
  type Repository,
  type RepositoryOptions,
  readRepository,
  readRepositoryBeside,
} from "./repository.ts";
export { historyRule } from "./retention.ts";
export {
  QUESTION,
  type SaveOptions,
  type SaveOutcome,
  type SaveRequest,
  saveMemory,
} from "./save.ts";
export type { Suspicion } from "./screen.ts";
export {
  type Folder,
  fileNameFor,
  findMemory,
  historyOf,
  type OutsideChange,
  openFolder,
  outsideChanges,
  readFolder,
  readMemoryFile,
  removeMemory,
  type UnreadableFile,
  undoChange,
  type Written,
  writeMemory,
} from "./store.ts";
export { tellable } from "./tellable.ts";
export { type Checked, checkMemory, checkTruth, claimsOf, type Standing, type Verdict } from "./truth.ts";
export {
  type MemoryAge,
  type MemoryDetail,
  type MemoryOverview,
  type MemoryVersion,
  readVersion,
  type ViewedMemory,
  type ViewOptions,
  verdictsOn,
  versionsOf,
  viewMemories,
  viewMemory,
} from "./viewing.ts";
export {
  inWords,
  keepWordings,
  readWordings,
  type Wording,
  type WordingOutcome,
  type Wordings,
  wordCandidates,
} from "./wording.ts";
export { ageInWords, staleBanner, standingLine, TRUST_HEADING, trustSection } from "./words.ts";
