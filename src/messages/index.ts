// The message model: guards, identities, user turns, tool pairs and the API's invariants.

export {
  type BreakpointOptions,
  placeBreakpoints,
  putBackBreakpoints,
} from "./breakpoints.ts";
export {
  check,
  contentLength,
  requestLimits,
  type Violation,
  type ViolationCode,
  violationMeanings,
} from "./check.ts";
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
export { MessageReader, type Received } from "./received.ts";
export { isOpenEnd, type Repair, repair } from "./repair.ts";
export {
  beginsTurn,
  isUserInput,
  type StoppingPoint,
  stoppingPoint,
  type ToolPair,
  toolPairs,
  typedCommand,
  userTurns,
  userWords,
  withoutReminders,
} from "./turns.ts";
export { promptTokens, readUsage, type Usage } from "./usage.ts";
