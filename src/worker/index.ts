// The resident process: stores what hooks have spooled, and answers over a socket and over HTTP.

export { type GivenUpJobs, givenUpJobs } from "./givenUp.ts";
export {
  archivableInProcess,
  forgetWithoutWorker,
  knownTranscripts,
  previewImport,
  runWorkerInProcess,
  updateNotesInProcess,
} from "./inProcess.ts";
