// Events on their way from hooks to the worker: what they are, how they are written and how they are drained.
export {
  type CaptureContext,
  type CapturedHook,
  capturedHooks,
  captureEvent,
  persistedOutput,
} from "./capture.ts";
export {
  type DrainOptions,
  type DrainReport,
  drainSpool,
  isCapturedEvent,
  type SpoolBacklog,
  spoolBacklog,
} from "./drain.ts";
export {
  type CapturedEvent,
  type EventIdentity,
  type EventKind,
  type EventLane,
  eventId,
  eventKey,
  eventKinds,
  eventLanes,
} from "./event.ts";
export { writeEvent } from "./write.ts";
export { writeEventBeside } from "./writeBeside.ts";
