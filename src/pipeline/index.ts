// The window flow: what the model sees next, level by level, with an account of every decision.

export {
  boundaryRecord,
  type MainCall,
  type Offers,
  type PreservedSegment,
  type Relinked,
  readNotes,
  relink,
  type SessionNotes,
} from "../compact/index.ts";
export {
  addLooks,
  afterRequest,
  type EconomicsSettings,
  guardReason,
  type LookCounts,
  nothingSpent,
  type SpentSoFar,
} from "../economics/index.ts";
export { type TranscriptRow, type TranscriptRowOptions, transcriptRows } from "../ledger/index.ts";
export { CONTEXT_MANAGEMENT_BETA } from "../legality/index.ts";
export { type BreakpointOptions, placeBreakpoints } from "../messages/index.ts";
export type { LanguageModel, ModelOutcome, ModelRequest } from "../models/index.ts";
export type { Summariser } from "./autocompact/ask.ts";
export type { ReadySummary, RefusedWords, SessionExtras, WordsFrom } from "./autocompact/candidates.ts";
export type { CompactNow } from "./autocompact/fitWindow.ts";
export {
  budgetForHost,
  type HostBudget,
  type HostBudgetOptions,
  type HostResult,
} from "./budget/host.ts";
export { cutOnArrival } from "./budget/plan.ts";
export { CLEARED } from "./microcompact/clear.ts";
export {
  type CacheEdit,
  CLEARING_NOTE,
  clearingDirectives,
  withCacheEdits,
} from "./microcompact/server.ts";
export { observeRecall } from "./observeRecall.ts";
export {
  type ClientMessage,
  commitRequest,
  type ObservedResponse,
  observeResponse,
  type Prepared,
  type PreparedFor,
  type PrepareFor,
  type PrepareInput,
  planRequest,
  prepare,
  type RequestPlan,
} from "./prepare.ts";
export { type HostSummary, prepareWithModel, prepareWithSummary } from "./prepareWithModel.ts";
export { recallTool } from "./recallTool.ts";
export type { CompactionReceipt, LevelReceipt, Receipt } from "./receipt.ts";
export {
  adopt,
  expand,
  type ListedTurn,
  listTurns,
  pin,
  type RequestOptions,
  snip,
  type Undone,
  undo,
  unpin,
  unsnip,
  type WordSpan,
  waitingMarks,
  wordStagedSpans,
} from "./requests.ts";
export {
  type DiskSessionOptions,
  memorySession,
  openSession,
  type Session,
  type SessionOptions,
  type StateStore,
  type WindowState,
} from "./session.ts";
export {
  type BudgetSettings,
  type CollapseSettings,
  compactsAt,
  type MicrocompactSettings,
  type PipelineSettings,
  type PolicyName,
  seedSettings,
  settingsFor,
  thriftySettings,
  withCollapse,
  withoutNewEdits,
} from "./settings.ts";
export { snipTool, type ToolAnswer, turnTags, unsnipTool } from "./snip/snip.ts";
