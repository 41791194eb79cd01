// The thread that looks into one session: one question when it starts, one answer before it ends.
import { parentPort, workerData } from "node:worker_threads";
import { errorText, ThroughlineError } from "../lib/index.ts";
import type { Answer, Findings, Question } from "./inspector.ts";
import { inspectHere } from "./inThread.ts";

const find = ({ session, about }: Question): Promise<Findings> =>
  typeof about === "object" ? inspectHere.event(session, about.event) : inspectHere[about](session);

async function answer(question: Question): Promise<Answer> {
  try {
    return { data: await find(question) };
  } catch (error) {
    const code = error instanceof ThroughlineError ? error.code : "internal";
    return { problem: { code, message: errorText(error) } };
  }
}

parentPort?.postMessage(await answer(workerData as Question));
