// The door for programs that build their own agent.
export { type ErrorCode, ThroughlineError } from "../lib/index.ts";
export {
  type ArchiveOnCompactOptions,
  archiveOnCompact,
  type PreCompactCallback,
} from "./archiveOnCompact.ts";
