// The inspector's thread: takes one request when it starts and posts one answer.
import { parentPort, workerData } from "node:worker_threads";
import { errorText, ThroughlineError } from "../lib/index.ts";
import type { Inspection, InspectionAnswer, InspectionRequest } from "./inspector.ts";
import { inspectInThread } from "./inThread.ts";

const find = ({ session, about }: InspectionRequest): Promise<Inspection> =>
  typeof about === "object" ? inspectInThread.event(session, about.event) : inspectInThread[about](session);

async function answer(question: InspectionRequest): Promise<InspectionAnswer> {
  try {
    return { data: await find(question) };
  } catch (error) {
    const code = error instanceof ThroughlineError ? error.code : "internal";
    return { problem: { code, message: errorText(error) } };
  }
}

parentPort?.postMessage(await answer(workerData as InspectionRequest));
