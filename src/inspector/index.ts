// A session's window over time, its events and exact bytes, and the account of what edits saved.
export { type Accountant, makeAccountant, savingsFrom } from "./accountant.ts";
export { makeWindowHandlers, tracesOf, type WindowHandlers } from "./handlers.ts";
export { inspectInOtherThread } from "./inspector.ts";
export { inspectInThread } from "./inThread.ts";
export { liveAccount } from "./liveAccount.ts";
export type {
  CompactionPreview,
  LiveCost,
  RecallPage,
  Savings,
  SessionCost,
  Undoing,
  WindowComparison,
  WindowEvent,
  WindowEventDetail,
  WindowPart,
  WindowPoint,
  WindowText,
  WindowView,
} from "./model.ts";
export { compactionInput, modelOf } from "./preview.ts";
export { makeReplays, type ReplayScope, type ReplayState } from "./replays.ts";
export { type WindowGauge, windowGauge } from "./trace/gauge.ts";
export { makeTraceHandlers } from "./trace/handlers.ts";
export type {
  CallDetail,
  CallStep,
  EditStep,
  RequestStep,
  SessionTrace,
  TraceStep,
  TurnFigures,
} from "./trace/model.ts";
export { makeUsageBook, type UsagePeriod, type UsageSummary } from "./usageBook.ts";
