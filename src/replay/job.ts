// One recorded session under some policies: what a thread is asked, what it does, and what it answers.
import { defined, type ErrorCode, errorText, notFoundError, ThroughlineError } from "../lib/index.ts";
import { findModel, type ModelOverrides } from "../tokens/index.ts";
import { readConversation } from "../transcript/index.ts";
import type { Ttl } from "./cache.ts";
import { policies } from "./policies.ts";
import { recordSession } from "./recorded.ts";
import { type Replayed, replayWithCourse } from "./run.ts";

/** What decides the numbers of a session, beside the session. */
export interface JobSettings {
  readonly ttl: Ttl;
  readonly overrides: ModelOverrides;
  readonly model?: string;
  readonly window?: number;
}

export interface ReplayJob {
  readonly file: string;
  /** What the session is called in the results. */
  readonly name: string;
  /** Names of policies. */
  readonly policies: readonly string[];
  readonly settings: JobSettings;
}

/** Why a session was not replayed. */
export interface ReplayRefusal {
  readonly reason: string;
  readonly code: ErrorCode;
  readonly fix?: string;
}

/** Plain values: an answer crosses from thread to thread. */
export type JobAnswer =
  | { readonly kind: "replayed"; readonly replayed: readonly Replayed[] }
  | ({ readonly kind: "left-out" } & ReplayRefusal);

function notReplayable(reason: string) {
  return notFoundError(
    reason,
    "give a transcript in which a model answered; `throughline transcript FILE` shows what one holds",
  );
}

async function readRecordedSession({ file, name, settings }: ReplayJob) {
  const conversation = await readConversation(file, { subagents: true });
  if (conversation.requests.length === 0) throw notReplayable("no answered request with usage");
  const isPriced = conversation.models.some((model) => findModel(model, settings.overrides));
  if (!settings.model && !isPriced)
    throw notReplayable(
      `no model of the table answered (${conversation.models.join(", ") || "none"}); use --model`,
    );
  return recordSession(name, conversation, settings);
}

/** Never rejects: one session that cannot be replayed must not cost the others their numbers. */
export async function runJob(job: ReplayJob): Promise<JobAnswer> {
  try {
    const session = await readRecordedSession(job);
    const chosen = policies.filter(({ name }) => job.policies.includes(name));
    const { ttl } = job.settings;
    return { kind: "replayed", replayed: chosen.map((policy) => replayWithCourse(session, policy, { ttl })) };
  } catch (error) {
    return { kind: "left-out", ...refusalOf(error) };
  }
}

export function refusalOf(error: unknown): ReplayRefusal {
  const reason = errorText(error);
  if (!(error instanceof ThroughlineError)) return { reason, code: "internal" };
  return defined({ reason, code: error.code, fix: error.fix });
}
