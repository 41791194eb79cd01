// What edits cost and save: the expected gain of a cut, how often cuts are looked at, a session's account, and a guard against losses.
export {
  type CacheOutlook,
  cacheOutlook,
  type EconomicsSettings,
  judge,
  learnedTtl,
} from "./cacheEconomics.ts";
export { afterRequest, guardReason, nothingSpent, type SpentSoFar } from "./costGuard.ts";
export { expectedGain, RECALL_OUTPUT } from "./expectedGain.ts";
export { addLooks, type LookCounts, lookRate, recentLooks, withCuts, withLook } from "./lookRates.ts";
export { plainRequest } from "./plainClient.ts";
export {
  accountAfter,
  accountGuard,
  addAccounts,
  readAccount,
  type SentRequest,
  type SessionAccount,
} from "./sessionAccount.ts";
