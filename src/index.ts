// The library's front: what every program that embeds Throughline needs, whichever part it uses.
export { type ErrorCode, errorCodes, ThroughlineError } from "./lib/index.ts";
