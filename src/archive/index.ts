// Whole conversations as files, one a session, in groups that know nothing of each other.
export {
  type ArchiveOptions,
  type ArchiveOutcome,
  type ArchiveReport,
  archiveTranscript,
  conversationsFolder,
  type TranscriptFacts,
  transcriptFacts,
} from "./archive.ts";
export { escapeText } from "./escape.ts";
export { type ReadArchive, type ReadPart, readMarkdown } from "./markdown.ts";
export type { FormatName } from "./model.ts";
export { applyQuota, planQuota, type QuotaOptions, type QuotaPlan, type QuotaReport } from "./quota.ts";
export { type ArchiveSettings, archiveFolder, archiveOptions } from "./settings.ts";
export {
  type ArchivedSession,
  archivesOf,
  findArchive,
  listArchives,
  readArchive,
  removeArchive,
} from "./shelf.ts";
