// The part of snapshots that a hook needs when no worker answers: the decision, from files alone.
export { decide } from "./decision.ts";
export {
  CONTEXT_LIMIT,
  readSource,
  type StartOptions,
  type StartReport,
  startOutput,
  startSession,
} from "./start.ts";
