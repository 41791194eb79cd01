// Events on their way from hooks to the worker: what they are, how they are written and how they are drained.
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
