// The tools that a model has, one table for MCP and mods, and what answers them.

export { describeFailure } from "./failures.ts";
export { type Finder, type FinderAnswers, makeFinder } from "./finder.ts";
export { instructionsFor, memoryFolderFor } from "./memoryFolder.ts";
export { injectableMemories, memorySources } from "./memorySource.ts";
export { type Remembered, remember } from "./remember.ts";
export { type Tool, tools } from "./table.ts";
export type { ToolBackend, ToolContext } from "./tools.ts";
export { instructions } from "./words.ts";
