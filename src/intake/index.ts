// Events from spool, transcripts and hosts on their way into the store: each once, redacted, with its project.

export { fairTurns } from "./fairTurns.ts";
export type { HookTimes } from "./hookTimes.ts";
export { keepMessages, makeIngest, projectFinder, type RedactPayload } from "./ingest.ts";
export { type Intake, startIntake } from "./intake.ts";
export { type LifecycleEvent, type LifecycleListener, lifecycleEventOf, makeLifecycle } from "./lifecycle.ts";
export { wholeOutput } from "./outputs.ts";
export { archivable } from "./transcripts/archivable.ts";
export { keepMissed, missedOf } from "./transcripts/missed.ts";
export { beginning } from "./transcripts/reconcile.ts";
export { lossReport } from "./transcripts/refill.ts";
export { openMarks, type TranscriptMarks } from "./transcripts/transcriptMarks.ts";
export { messageReader, type SaidMessage } from "./transcripts/transcriptMessages.ts";
export {
  blocksOf,
  copyWatch,
  promptOf,
  type RowSource,
  rowReader,
  type SeenEvent,
} from "./transcripts/transcriptRows.ts";
