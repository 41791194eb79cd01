// One recorded session under some policies: what a thread is asked, what it does, and what it answers.
import { errorText, ThroughlineError } from "../lib/index.ts";
import { findModel, type ModelOverrides } from "../tokens/index.ts";
import { readConversation } from "../transcript/index.ts";
import type { Ttl } from "./cache.ts";
import { policies } from "./policies.ts";
import { type RecordedSession, recordSession } from "./recorded.ts";
import { type Replayed, replayWithCourse } from "./run.ts";

/** What decides the numbers of a session, beside the session. */
export interface JobSettings {
  readonly ttl: Ttl;
  readonly overrides: ModelOverrides;
  readonly model?: string;
  readonly window?: number;
}

export interface Job {
  readonly file: string;
  /** What the session is called in the results. */
  readonly name: string;
  /** Names of policies. */
  readonly policies: readonly string[];
  readonly settings: JobSettings;
}

export type JobAnswer =
  | { readonly kind: "replayed"; readonly replayed: readonly Replayed[] }
  | { readonly kind: "left-out"; readonly reason: string }
  | { readonly kind: "failed"; readonly error: ThroughlineError };

/** The session, or why it cannot be replayed. */
async function readSession({ file, name, settings }: Job): Promise<RecordedSession | string> {
  const conversation = await readConversation(file);
  if (conversation.requests.length === 0) return "no answered request with usage";
  if (settings.model || conversation.models.some((model) => findModel(model, settings.overrides)))
    return recordSession(name, conversation, settings);
  return `no model of the table answered (${conversation.models.join(", ") || "none"}); use --model`;
}

/** Never rejects: what went wrong is an answer. */
export async function runJob(job: Job): Promise<JobAnswer> {
  try {
    const session = await readSession(job);
    if (typeof session === "string") return { kind: "left-out", reason: session };
    const chosen = policies.filter(({ name }) => job.policies.includes(name));
    const { ttl } = job.settings;
    return { kind: "replayed", replayed: chosen.map((policy) => replayWithCourse(session, policy, { ttl })) };
  } catch (error) {
    // One session that fits into no window is no reason to measure none of the others.
    if (error instanceof ThroughlineError && error.code === "window-too-small")
      return { kind: "left-out", reason: error.message };
    return { kind: "failed", error: asExpected(error) };
  }
}

function asExpected(error: unknown): ThroughlineError {
  if (error instanceof ThroughlineError) return error;
  return new ThroughlineError("internal", errorText(error), { cause: error });
}
