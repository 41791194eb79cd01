// The store: what was captured and what was made of it, behind one asynchronous contract.

export type { Account, AccountSums, DueAccount, StoreAccounts } from "./accountModel.ts";
export type { EventOutline, RedactedEvent, StoredEvent } from "./eventModel.ts";
export type { FinishedSource, RecordOptions, StoreImports } from "./importModel.ts";
export {
  type Entry,
  type EntryFilter,
  type EntryKind,
  entryKinds,
  type FoundPassage,
  namedFields,
  type PassageRequest,
  type StoreIndex,
  type Surroundings,
  type TermStatistics,
  type TimelineRequest,
  type WordCondition,
} from "./indexModel.ts";
export {
  type Added,
  type Completion,
  type Counts,
  countedTables,
  type EventRequest,
  type Failure,
  type FeedItem,
  type Forgotten,
  type ImportOptions,
  type ImportReport,
  type IntegrityReport,
  type Job,
  type JobState,
  type LeaseRequest,
  type Message,
  type NewJob,
  type NewMessage,
  type NewObservation,
  type NewSummary,
  type Observation,
  type ObservationText,
  type ObservationType,
  observationTypes,
  type Page,
  type PageRequest,
  type QueueStats,
  type RetentionPreview,
  type RetentionRules,
  type Revisions,
  type Scope,
  type Session,
  type SessionStatus,
  type Store,
  type StoreStats,
  type Summary,
  type SummaryText,
  type UserPrompt,
} from "./model.ts";
export {
  type ChronicleDay,
  type ChronicleFilter,
  type ChronicleKind,
  type ChronicleRow,
  chronicleKinds,
  type ProjectDigest,
  type SessionDigest,
  type StoreOverview,
  type TouchedFile,
} from "./overviewModel.ts";
export { prepareStore } from "./salvage/prepare.ts";
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
export { type DailyBackup, makeDailyBackup, requireIntact, whyNoBackup } from "./sqlite/backup/autoBackup.ts";
export {
  type AutomaticBackup,
  automaticBackups,
  defaultLimits,
  newestBackup,
} from "./sqlite/backup/backupFiles.ts";
export { clearDamage, filesBeside, markDamaged } from "./sqlite/backup/examine.ts";
export {
  forgetHeld,
  type HeldCounts,
  type HeldState,
  type HeldTable,
  isAsClosed,
  readHeld,
} from "./sqlite/backup/held.ts";
export { type Restored, restoreStore } from "./sqlite/backup/restore.ts";
export { requireClosed, requireUsable } from "./sqlite/backup/usable.ts";
export { openStore, type StoreOptions } from "./sqlite/engine.ts";
export { isStoreTrouble } from "./sqlite/failures.ts";
export { type ForeignDatabase, type ForeignRow, openForeign } from "./sqlite/foreign.ts";
export { checkFile } from "./sqlite/upkeep/upkeep.ts";
export type {
  BarePassage,
  NearPassage,
  NearRequest,
  NewVectors,
  StoreVectors,
  VectorModel,
} from "./vectorModel.ts";
export { workFor } from "./work.ts";
