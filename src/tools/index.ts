// The tools that a model has, one table for MCP and mods, and what answers them.

export { type Corrected, correct } from "./correct.ts";
export { type Finder, type FinderAnswers, finderAnswers, makeFinder } from "./finder.ts";
export { instructionsFor, memoryFolderFor } from "./memoryFolder.ts";
export { findStale, injectableMemories, memorySources, type StaleMemories } from "./memorySource.ts";
export { remember, rememberedSchema } from "./remember.ts";
export { describeFailure } from "./texts.ts";
export { type Tool, type ToolBackend, type ToolContext, tools } from "./tools.ts";
export { answerTurns, readTurnsRequest, transcriptTurns, turnsAnswer } from "./turns.ts";
export { workflow } from "./words.ts";
