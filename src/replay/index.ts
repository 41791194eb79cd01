// Recorded sessions, request by request, through any policy: what would have been sent, cached, paid and forgotten.
export { PromptCache, type Ttl, ttlMilliseconds } from "./cache.ts";
export { managedPolicy } from "./managed.ts";
export { identifiersIn, readableText, stringsIn } from "./need.ts";
export { policies } from "./policies.ts";
export {
  baselineName,
  type Compaction,
  type Moment,
  type Origin,
  type Policy,
  type PolicyKind,
  type PolicyRun,
} from "./policy.ts";
export {
  type RecordedRequest,
  type RecordedSession,
  type RecordingOptions,
  recordSession,
} from "./recorded.ts";
export { type PolicyTotal, totalsByPolicy } from "./report.ts";
export { assumptions, type ReplayOptions, type ReplayResult, replay } from "./run.ts";
