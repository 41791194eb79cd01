// The resident process: takes in what hooks have spooled, keeps it, and answers over a socket and over HTTP.

export { type GivenUpJobs, givenUpJobs } from "./givenUp.ts";
export {
  archivableHere,
  forgetWithoutWorker,
  knownTranscripts,
  previewImport,
  runHere,
  updateNotesHere,
} from "./here.ts";

export type { ImportAnswer, ImportedSource, ImportSource } from "./import/importer.ts";
export type { PreviewedSource } from "./import/preview.ts";
export { type FoundSource, type FoundSources, findSources, type PassedOver } from "./import/sources.ts";
export { UnreadableSource } from "./import/watch.ts";
export type { ModsDesk } from "./mods/desk.ts";
export { removeReadyAnswers } from "./readyAnswers.ts";
