// Past sessions and other memories brought in: transcripts of agents and databases of claude-mem.

export {
  type ImportAnswer,
  type ImportedSource,
  type ImportSource,
  makeImporter,
} from "./importer.ts";
export { UnreadableSource } from "./model.ts";
export { writeOutOpenCode } from "./openCodeSessions.ts";
export { openPreview, type Preview, type PreviewedSource } from "./preview.ts";
export { type FoundSource, type FoundSources, findSources, type PassedOver } from "./sources.ts";
