// What edits cost and save: the expected gain of a cut, how often cuts are looked at, and a guard against losses.
export { afterRequest, guardReason, nothingSpent, type SpentSoFar } from "./costGuard.ts";
export { expectedGain } from "./expectedGain.ts";
export { addLooks, type LookCounts, lookRate, withCuts, withLook } from "./lookRates.ts";
