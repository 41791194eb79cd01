// The thread that looks into one session: one question when it starts, one answer before it ends.
import { parentPort, workerData } from "node:worker_threads";
import { errorText, ThroughlineError } from "../../lib/index.ts";
import { inspectHere } from "./here.ts";
import type { Answer, Question } from "./inspector.ts";

async function answer({ session, event }: Question): Promise<Answer> {
  try {
    return {
      data: await (event === undefined ? inspectHere.view(session) : inspectHere.event(session, event)),
    };
  } catch (error) {
    const code = error instanceof ThroughlineError ? error.code : "internal";
    return { problem: { code, message: errorText(error) } };
  }
}

parentPort?.postMessage(await answer(workerData as Question));
