// Whole conversations as files, one a session, in groups that know nothing of each other.
export {
  type ArchiveOptions,
  type ArchiveOutcome,
  type ArchiveReport,
  archiveTranscript,
  conversationsFolder,
  sessionOf,
} from "./archive.ts";
export { escapeText, unescapeText } from "./escape.ts";
export { type ReadArchive, type ReadPart, readMarkdown } from "./markdown.ts";
export type { FormatName, Part } from "./model.ts";
export { DEFAULT_NAME, slugOf } from "./name.ts";
