// The live window: edits planned in the worker and applied by carriers to the bytes of requests.
export { type CarrierSeam, LiveCarrier, type RequestFacts } from "./carrier.ts";
export { compactionEvents } from "./events.ts";
export { type LiveHandlers, makeLiveHandlers } from "./handlers.ts";
export type { PlanAnswer, PlanQuestion } from "./protocol.ts";
export { sweepRecords } from "./record.ts";
