// What to restore after a compaction: the snapshot, its reference in CLAUDE.md, and the decision to load it or clean it up.
export {
  type Action,
  type Decision,
  decide,
  type KnownReference,
  type KnownSnapshot,
  type Reason,
  type Situation,
  type StartSource,
} from "./decision.ts";
export { type DigestOptions, digestOf } from "./digest.ts";
export { listSnapshots, readSnapshotLabel, type SnapshotFile } from "./folder.ts";
export { forgetSnapshots } from "./forget.ts";
export { type GitState, gitState } from "./git.ts";
export {
  compactedPart,
  entryFor,
  type JournalEntry,
  journalIn,
  type Moment,
  projectsIn,
  readJournal,
} from "./journal.ts";
export { type Page, type PageOutcome, pages, referenceIn, removeReference } from "./page.ts";
export type { ProjectState, ProjectStateContext, ProjectStateReader } from "./projectState.ts";
export { projectStateReaders } from "./readers.ts";
export { type SavedSnapshot, type SaveOptions, type SnapshotSettings, saveSnapshot } from "./save.ts";
export {
  CONTEXT_LIMIT,
  cleanSnapshots,
  readSource,
  type StartOptions,
  type StartReport,
  startOutput,
  startSession,
} from "./start.ts";
