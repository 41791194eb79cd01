// Whole conversations as files, one a session, in groups that know nothing of each other.
export {
  type ArchiveOptions,
  type ArchiveReport,
  archiveTranscript,
  conversationsFolder,
  type TranscriptFacts,
  transcriptFacts,
} from "./archive.ts";
export {
  type ArchivedSession,
  archivesOf,
  findArchive,
  listArchives,
  readArchive,
  removeArchive,
} from "./archiveIndex.ts";
export { readMarkdown } from "./markdown.ts";
export type { FormatName } from "./model.ts";
export { applyQuota, planQuota } from "./quota.ts";
export type { ArchiveOutcome, ArchiveRequest } from "./request.ts";
export { archiveFolder, archiveOptions } from "./settings.ts";
