// The store: what was captured and what was made of it, behind one asynchronous contract.

export type { Account, AccountStore, AccountSums, DueAccount } from "./accounts.ts";
export type {
  EventOutline,
  EventRequest,
  EventStore,
  FeedItem,
  FinishedSource,
  RecordOptions,
  RedactedEvent,
} from "./events.ts";
export {
  type Completion,
  type Job,
  type JobQueue,
  type JobState,
  type LeaseRequest,
  type NewJob,
  type QueueStats,
  type Revisions,
  workFor,
} from "./jobQueue.ts";
export type {
  Added,
  Correction,
  KnowledgeStore,
  NewMessage,
  NewObservation,
  NewSummary,
  Observation,
  ObservationText,
  Page,
  PageRequest,
  Scope,
  Session,
  SessionStatus,
  StoredMessage,
  Summary,
  SummaryText,
  UserPrompt,
} from "./model.ts";
export {
  type ChronicleDay,
  type ChronicleFilter,
  type ChronicleKind,
  type ChronicleRow,
  chronicleKinds,
  type OverviewStore,
  type ProjectDigest,
  type SessionDigest,
  type TouchedFile,
} from "./overview.ts";
export { prepareStore } from "./salvage/place.ts";
export {
  countUntil,
  namedTranscripts,
  type SalvagePosition,
  type SalvageRequest,
  salvage,
  salvageStart,
  withFileRead,
  withNote,
} from "./salvage/salvage.ts";
export { type IndexedRow, searchableText } from "./searchableText.ts";
export {
  type BarePassage,
  type EntryFilter,
  type EntryKind,
  type EntryNeighbours,
  type EntryTimelineRequest,
  entryKinds,
  type FoundPassage,
  type IndexEntry,
  type NearPassage,
  type NearRequest,
  type NewVectors,
  namedFields,
  type PassageRequest,
  type SearchIndex,
  type TermStatistics,
  type VectorModel,
  type WordCondition,
} from "./searchIndex.ts";
export {
  type AutomaticBackup,
  automaticBackups,
  type DailyBackup,
  defaultLimits,
  makeDailyBackup,
  newestBackup,
  requireIntact,
  whyNoBackup,
} from "./sqlite/backup/autoBackup.ts";
export {
  clearDamage,
  filesBeside,
  forgetHeld,
  type HeldCounts,
  type HeldState,
  type HeldTable,
  isAsClosed,
  markDamaged,
  readHeld,
} from "./sqlite/backup/held.ts";
export { type Restored, requireClosed, requireUsable, restoreStore } from "./sqlite/backup/restore.ts";
export { openStore, type StoreOptions } from "./sqlite/engine.ts";
export { isStoreTrouble } from "./sqlite/failures.ts";
export { type ForeignDatabase, type ForeignRow, openForeign } from "./sqlite/foreign.ts";
export { checkFile } from "./sqlite/upkeep/upkeep.ts";
export { everyRow, type Store } from "./store.ts";
export {
  type Change,
  type ChangeableKind,
  type ChangeFrom,
  type ChangePage,
  changeableKinds,
  type ProjectIdentity,
  type SyncStore,
} from "./sync.ts";
export {
  type Counts,
  countedTables,
  type FileReport,
  type Forgotten,
  type ImportOptions,
  type ImportReport,
  type RetentionPreview,
  type RetentionRules,
  type StoreStats,
  type UpkeepStore,
} from "./upkeep.ts";
