// The resident process: takes in what hooks have spooled, keeps it, and answers over a socket and over HTTP.

export { type FinderAnswers, makeFinder } from "./finder.ts";

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

export { instructionsFor, memoryFolderFor } from "./memories/memoryFolder.ts";
export { memorySources } from "./memories/memorySource.ts";
export { removeReadyAnswers } from "./readyAnswers.ts";
export type { Remembered } from "./remember.ts";
export { describeFailure } from "./tools/failures.ts";
export { type Tool, tools } from "./tools/table.ts";
export type { ToolBackend, ToolSurroundings } from "./tools/tools.ts";
export { instructions } from "./tools/words.ts";
