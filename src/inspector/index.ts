// A session's window over time, its events and exact bytes, and the account of what edits saved.
export { type Accountant, makeAccountant } from "./accountant.ts";
export { makeWindowHandlers, tracesOf, type WindowHandlers } from "./handlers.ts";
export { inspectInOtherThread } from "./inspector.ts";
export { liveAccount } from "./liveAccount.ts";
export type {
  LiveCost,
  RecallPage,
  Savings,
  SessionCost,
  Undoing,
  WindowEvent,
  WindowEventDetail,
  WindowPart,
  WindowPoint,
  WindowText,
  WindowView,
} from "./model.ts";
