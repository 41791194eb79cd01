// The door for programs that build their own agent.
export { type ErrorCode, ThroughlineError } from "../lib/index.ts";
export {
  type Folder,
  type MemoryPlace,
  type MemoryToolHandlers,
  memoryPlace,
  memoryTool,
  openFolder,
  runMemoryTool,
  type SaveOutcome,
  type SaveRequest,
  saveMemory,
  searchMemories,
} from "../memdir/index.ts";
export {
  type ArchiveOnCompactOptions,
  archiveOnCompact,
  type PreCompactCallback,
} from "./archiveOnCompact.ts";
