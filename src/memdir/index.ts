// The memory directory: typed memories in Markdown, their index, and the rules that keep them small, true and safe.

export type { DateChange } from "./dates.ts";
export { type Derivable, type DerivableKind, derivableKinds } from "./derivable.ts";
export { budget, type IndexLine, type IndexSize, indexLine, readIndex, sizeOfIndex } from "./indexFile.ts";
export type { Change, Step } from "./journal.ts";
export {
  type Author,
  authors,
  isActive,
  limits,
  type MemoryContent,
  type MemoryPlace,
  type MemoryType,
  memoryTypes,
  type Provenance,
  type StoredMemory,
  type Trust,
} from "./model.ts";
export { dropQuarantined, findQuarantined, listQuarantine, type Quarantined } from "./quarantine.ts";
export { type Reference, type ReferenceKind, referencesIn } from "./references.ts";
export { type Repository, type RepositoryOptions, readRepository } from "./repository.ts";
export {
  confirmQuarantined,
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
export { type Checked, checkTruth, type Standing, type Verdict } from "./truth.ts";
