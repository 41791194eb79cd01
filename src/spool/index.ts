// Events on their way from hooks to the worker: what they are, how they are written and how they are drained.
export { capturedHooks, captureEvent, persistedOutput } from "./capture.ts";
export { type DrainReport, drainSpool, isCapturedEvent, spoolBacklog } from "./drain.ts";
export { type CapturedEvent, type EventKind, type EventLane, eventId, eventKey } from "./event.ts";
export { clearLosses, type Losses, markLoss, readLosses, reserveLosses } from "./losses.ts";
export { writeEvent, writeEventAsync } from "./write.ts";
