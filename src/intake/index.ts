// Events from spool, transcripts and hosts on their way into the store: each once, redacted, with its project.

export type { HookTimes } from "./hookTimes.ts";
export {
  fairTurns,
  type IngestParts,
  keepMessages,
  makeIngest,
  projectFinder,
  type RedactPayload,
} from "./ingest.ts";
export { type Intake, startIntake } from "./intake.ts";
export { type LifecycleEvent, type LifecycleListener, lifecycleEventOf, makeLifecycle } from "./lifecycle.ts";
export { wholeOutput } from "./outputs.ts";
export { beginning, keepMissed, missedOf } from "./transcripts/reconcile.ts";
export { lossReport } from "./transcripts/refill.ts";
export { archivable, openMarks, type TranscriptMarks } from "./transcripts/transcriptMarks.ts";
export { messageReader, type SaidMessage } from "./transcripts/transcriptMessages.ts";
export {
  blocksOf,
  copyWatch,
  promptOf,
  type RowSource,
  rowReader,
  type SeenEvent,
} from "./transcripts/transcriptRows.ts";
