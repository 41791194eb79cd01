// What to restore after a compaction: the snapshot, its reference in CLAUDE.md, and the decision to load it or clean it up.
export type { StartSource } from "./decision.ts";
export { digestOf } from "./digest.ts";
export { excludesSnapshots, includeSnapshots } from "./exclude.ts";
export { expireReferences } from "./expire.ts";
export { listSnapshots, readSnapshotLabel, type SnapshotFile, snapshotFolder } from "./folder.ts";
export { forgetSnapshots } from "./forget.ts";
export { gitState } from "./git.ts";
export { compactedPart, entryFor, type JournalEntry, journalIn, projectsIn, readJournal } from "./journal.ts";
export { pages, referenceIn } from "./page.ts";
export type { ProjectStateReader } from "./projectState.ts";
export { provenanceOf } from "./provenance.ts";
export { projectStateReaders } from "./readers.ts";
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
