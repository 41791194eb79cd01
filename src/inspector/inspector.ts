// Inspects sessions in a thread of its own: a long transcript delays no hook, and its memory is freed with the thread.
import { Worker } from "node:worker_threads";
import { type ErrorCode, serialQueue, ThroughlineError } from "../lib/index.ts";
import type { ComputedAccount } from "./account.ts";
import type { CompactionPreview, WindowComparison, WindowEventDetail, WindowView } from "./model.ts";
import type { CallDetail, SessionTrace } from "./trace/model.ts";
import type { InspectedSession } from "./view.ts";

export interface Inspector {
  view(session: InspectedSession): Promise<WindowView>;
  /** Rejects with `not-found` for an event that is not there. */
  event(session: InspectedSession, id: string): Promise<WindowEventDetail>;
  /** What its requests cost, and what was kept out of them. */
  account(session: InspectedSession): Promise<ComputedAccount>;
  /** Its turns, and the steps of each. */
  trace(session: InspectedSession): Promise<SessionTrace>;
  /** Rejects with `not-found` for a call that is not there. */
  call(session: InspectedSession, id: string): Promise<CallDetail>;
  /** The windows of two requests, such as `4 20`. Rejects with `not-found` for a request that is not there. */
  compare(session: InspectedSession, requests: string): Promise<WindowComparison>;
  /** Rejects with `not-found` where there is no transcript. */
  preview(session: InspectedSession): Promise<CompactionPreview>;
}

export interface InspectionRequest {
  readonly method: keyof Inspector;
  /** The id is that of an event or of a call, or two requests; the other methods ignore it. */
  readonly args: readonly [session: InspectedSession, id: string];
}

type Inspection =
  | WindowView
  | WindowEventDetail
  | ComputedAccount
  | SessionTrace
  | CallDetail
  | WindowComparison
  | CompactionPreview;

export type InspectionAnswer =
  | { readonly data: Inspection }
  | { readonly problem: { readonly code: ErrorCode; readonly message: string } };

const MAX_HEAP_MB = 1_024;

function askThread(script: string, workerData: InspectionRequest) {
  return new Promise((resolve, reject) => {
    const thread = new Worker(script, {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    thread.once("message", (answer: InspectionAnswer) => {
      if ("data" in answer) resolve(answer.data);
      else reject(new ThroughlineError(answer.problem.code, answer.problem.message));
    });
    thread.once("error", reject);
    // Has no effect after an answer.
    thread.once("exit", (code) => reject(new Error(`the inspecting thread ended with ${code}`)));
  });
}

/** One request at a time: two long transcripts at once would need the memory of both. */
export function inspectInOtherThread(script: string): Inspector {
  const queue = serialQueue();
  const ask = (method: keyof Inspector, session: InspectedSession, id = "") =>
    queue.run(() => askThread(script, { method, args: [session, id] }));
  return {
    view: (session) => ask("view", session) as Promise<WindowView>,
    event: (session, event) => ask("event", session, event) as Promise<WindowEventDetail>,
    account: (session) => ask("account", session) as Promise<ComputedAccount>,
    trace: (session) => ask("trace", session) as Promise<SessionTrace>,
    call: (session, id) => ask("call", session, id) as Promise<CallDetail>,
    compare: (session, requests) => ask("compare", session, requests) as Promise<WindowComparison>,
    preview: (session) => ask("preview", session) as Promise<CompactionPreview>,
  };
}
