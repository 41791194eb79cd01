// The resident process: stores what hooks have spooled, and answers over a socket and over HTTP.

export {
  archivableInProcess,
  forgetWithoutWorker,
  knownTranscripts,
  previewImport,
  runWorkerInProcess,
  updateNotesInProcess,
} from "./inProcess.ts";
export { type DeadJobs, listDeadJobs } from "./jobRetry.ts";
export type { WordingProgress } from "./jobs/wordImported.ts";
