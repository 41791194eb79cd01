// The inspector's thread: takes one request when it starts and posts one answer.
import { parentPort, workerData } from "node:worker_threads";
import { errorText, ThroughlineError } from "../lib/index.ts";
import type { InspectionAnswer, InspectionRequest } from "./inspector.ts";
import { inspectInThread } from "./inThread.ts";

async function answerInspection({ method, args }: InspectionRequest): Promise<InspectionAnswer> {
  try {
    return { data: await inspectInThread[method](...args) };
  } catch (error) {
    const code = error instanceof ThroughlineError ? error.code : "internal";
    return { problem: { code, message: errorText(error) } };
  }
}

parentPort?.postMessage(await answerInspection(workerData as InspectionRequest));
