// The log of the worker: one JSON line a record, redacted before it is written.
export { type Logger, openLog } from "./log.ts";
