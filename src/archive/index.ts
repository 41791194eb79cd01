// Whole conversations as files, one a session, in groups that know nothing of each other.
export {
  type ArchiveOptions,
  type ArchiveReport,
  archiveFolder,
  archiveOptions,
  archiveTranscript,
  conversationsFolder,
  type TranscriptFacts,
  transcriptFacts,
} from "./archive.ts";
export {
  type ArchivedSession,
  applyQuota,
  archivesOf,
  findArchive,
  listArchives,
  planQuota,
  readArchive,
  removeArchive,
} from "./archiveIndex.ts";
export { readMarkdown } from "./formats.ts";
export type { ArchiveContent, ArchiveFormatName, ArchiveOutcome, ArchiveRequest } from "./model.ts";
export { archiveName } from "./name.ts";
export { searchArchives } from "./searching.ts";
