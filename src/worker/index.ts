// The resident process: takes in what hooks have spooled, keeps it, and answers over a socket and over HTTP.

export { type GivenUpJobs, givenUpJobs } from "./givenUp.ts";
export {
  archivableInProcess,
  forgetWithoutWorker,
  knownTranscripts,
  previewImport,
  runWorkerInProcess,
  updateNotesInProcess,
} from "./inProcess.ts";
