// The message model: guards, identities, user turns, tool pairs and the API's invariants.
export { firstBrokenThinking } from "./binding.ts";
export { check, requestLimits, type Violation, type ViolationCode, violationMeanings } from "./check.ts";
export { chainedId, messageDigest, sameMessage } from "./identity.ts";
export {
  type Block,
  blocksOf,
  type History,
  type HistoryItem,
  isBlock,
  isServerToolResult,
  isText,
  isThinking,
  isToolResult,
  isToolUse,
  type Message,
  type Provenance,
  type ToolUseBlock,
  textOf,
} from "./model.ts";
export { type ToolPair, toolPairs } from "./pairs.ts";
export { isUserInput, userTurns, userWords, withoutReminders } from "./turns.ts";
export { promptTokens, readUsage, type Usage } from "./usage.ts";
