// Recorded sessions, request by request, through any policy: what would have been sent, cached, paid and forgotten.
export { type Batch, type BatchOptions, type Progress, replayBatch } from "./batch.ts";
export { PromptCache, type Ttl, ttlMilliseconds } from "./cache.ts";
export type { JobSettings } from "./job.ts";
export { contentDigest, KnownResults } from "./known.ts";
export { managedPolicy } from "./managed.ts";
export { identifiersIn, readableText, stringsIn } from "./need.ts";
export type { PageData } from "./page/data.ts";
export { pageBeginning, replayPage } from "./page/page.ts";
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
export {
  assumptions,
  type Course,
  type Replayed,
  type ReplayOptions,
  type ReplayResult,
  replay,
  replayWithCourse,
} from "./run.ts";
