// Looks into sessions in a thread of its own: a long transcript holds up no hook, and its memory is gone with the thread.
import { Worker } from "node:worker_threads";
import { type ErrorCode, ThroughlineError } from "../../lib/index.ts";
import type { WindowEventDetail, WindowView } from "../http/wire.ts";
import type { InspectedSession } from "./view.ts";

export interface Inspector {
  view(session: InspectedSession): Promise<WindowView>;
  /** Rejects with `not-found` for an event that is not there. */
  event(session: InspectedSession, id: string): Promise<WindowEventDetail>;
}

/** What is asked of the thread, and what it answers. */
export type Question = { readonly session: InspectedSession; readonly event?: string };

export type Answer =
  | { readonly data: WindowView | WindowEventDetail }
  | { readonly problem: { readonly code: ErrorCode; readonly message: string } };

const MAX_HEAP_MB = 1_024;

function askThread(script: string, question: Question): Promise<WindowView | WindowEventDetail> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(script, {
      workerData: question,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    thread.once("message", (answer: Answer) => {
      if ("data" in answer) resolve(answer.data);
      else reject(new ThroughlineError(answer.problem.code, answer.problem.message));
    });
    thread.once("error", reject);
    // After an answer this changes nothing any more.
    thread.once("exit", (code) => reject(new Error(`the inspecting thread ended with ${code}`)));
  });
}

/** One question at a time: two long transcripts at once would need the memory of both. */
export function inspectAside(script: string): Inspector {
  let last: Promise<unknown> = Promise.resolve();
  const ask = (question: Question): Promise<WindowView | WindowEventDetail> => {
    const answer = last.then(() => askThread(script, question));
    last = answer.catch(() => undefined);
    return answer;
  };
  return {
    view: (session) => ask({ session }) as Promise<WindowView>,
    event: (session, event) => ask({ session, event }) as Promise<WindowEventDetail>,
  };
}
