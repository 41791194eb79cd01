// What to restore after a compaction: the snapshot, its reference in CLAUDE.md, and the decision to load it or clean it up.
export type { StartSource } from "./decision.ts";
export { digestOf } from "./digest.ts";
export { type EvidencedStatement, readEvidence, statementsIn } from "./evidence.ts";
export { listSnapshots, readSnapshotLabel, type SnapshotFile, snapshotFolder } from "./folder.ts";
export { excludesSnapshots, gitState, includeSnapshots, provenanceOf } from "./git.ts";
export {
  compactedPart,
  entryFor,
  forgetSnapshots,
  type JournalEntry,
  journalIn,
  projectsIn,
  readJournal,
} from "./journal.ts";
export { expireReferences, pages, referenceIn } from "./page.ts";
export { type ProjectStateReader, projectStateReaders } from "./projectState.ts";
export { type SavedSnapshot, type SnapshotSettings, saveSnapshot } from "./save.ts";
export { readSnapshotKey, snapshotKey } from "./seal.ts";
export {
  CONTEXT_LIMIT,
  cleanSnapshots,
  readSource,
  type StartOptions,
  type StartReport,
  startOutput,
  startSession,
} from "./start.ts";
