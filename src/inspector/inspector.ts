// Looks into sessions in a thread of its own: a long transcript holds up no hook, and its memory is gone with the thread.
import { Worker } from "node:worker_threads";
import { type ErrorCode, serialQueue, ThroughlineError } from "../lib/index.ts";
import type { DrawnAccount } from "./account.ts";
import type { WindowEventDetail, WindowView } from "./model.ts";
import type { InspectedSession } from "./view.ts";

export interface Inspector {
  view(session: InspectedSession): Promise<WindowView>;
  /** Rejects with `not-found` for an event that is not there. */
  event(session: InspectedSession, id: string): Promise<WindowEventDetail>;
  /** What its requests cost, and what was kept out of them. */
  account(session: InspectedSession): Promise<DrawnAccount>;
}

/** What is asked of the thread, and what it answers. */
export interface Question {
  readonly session: InspectedSession;
  readonly about: "view" | "account" | { readonly event: string };
}

export type Findings = WindowView | WindowEventDetail | DrawnAccount;

export type Answer =
  | { readonly data: Findings }
  | { readonly problem: { readonly code: ErrorCode; readonly message: string } };

const MAX_HEAP_MB = 1_024;

function askThread(script: string, question: Question): Promise<Findings> {
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
  const queue = serialQueue();
  const ask = (question: Question) => queue.run(() => askThread(script, question));
  return {
    view: (session) => ask({ session, about: "view" }) as Promise<WindowView>,
    event: (session, event) => ask({ session, about: { event } }) as Promise<WindowEventDetail>,
    account: (session) => ask({ session, about: "account" }) as Promise<DrawnAccount>,
  };
}
