// A thread that replays sessions, one after the other, for as long as it is asked: an entry of its own in the build.
import { parentPort } from "node:worker_threads";
import { type ReplayJob, runJob } from "./job.ts";

parentPort?.on("message", async (job: ReplayJob) => {
  parentPort?.postMessage(await runJob(job));
});
