// Recorded sessions, request by request, through any policy: what would have been sent, cached, paid and forgotten.
export { type Batch, type BatchOptions, type ReplayProgress, replayBatch } from "./batch.ts";
export type { JobSettings } from "./job.ts";
export { contentDigest, KnownResults } from "./known.ts";
export { identifiersIn, readableText } from "./need.ts";
export type { PageData } from "./page/data.ts";
export { pageBeginning, replayPage } from "./page/page.ts";
export { baselineName, type Policy, policies } from "./policies.ts";
export { type RecordedRequest, type RecordedSession, recordSession } from "./recorded.ts";
export { type PolicyTotal, totalsByPolicy } from "./report.ts";
export { assumptions, type Replayed, type ReplayResult, replay, replayWithCourse } from "./run.ts";
