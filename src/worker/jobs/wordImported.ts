// Imported turns in a model's words, when the user asks for it: newest session first, up to a number of tokens, and continued later.
import { z } from "zod";
import { check, errorText, sha256, usageError, withinTime } from "../../lib/index.ts";
import { promptTokens } from "../../messages/index.ts";
import type { LanguageModel } from "../../models/index.ts";
import type { EventOutline, EventStore, Job, JobQueue } from "../../store/index.ts";
import type { BackgroundJob } from "../backgroundJob.ts";
import type { JobHandler } from "../jobQueue.ts";
import { type ObservingParts, refineJobsOf } from "./observe.ts";
import { type RefiningParts, refiningHandlers } from "./refine.ts";

interface ImportedWordingParts
  extends Omit<ObservingParts, "hasModel" | "store">,
    Omit<RefiningParts, "redact" | "store"> {
  readonly store: ObservingParts["store"] &
    RefiningParts["store"] &
    Pick<EventStore, "sessions" | "eventOutlines" | "sourceState" | "finishSource"> &
    Pick<JobQueue, "completeJobs">;
  readonly redactText: (text: string) => string;
  readonly worker: string;
}

const wordRequest = z.object({ tokens: z.int().positive() }).readonly();

/** How far it is. `spent`: the tokens are used up; the next request goes on behind the last turn. */
export interface WordingProgress {
  readonly state: "running" | "done" | "spent" | "failed";
  readonly turns: number;
  readonly tokens: number;
  readonly problem?: string;
}

type Progress = { -readonly [K in keyof WordingProgress]: WordingProgress[K] };

/** A connection that is silent for a minute is closed: an answer comes after this time at the latest. */
const ANSWER_MS = 500;
const PAGE = 500;

/** Where the words of a session end: behind the turn that ended at this time. A hash: the name of a forgotten session must not stay. */
const wordedMark = (session: string) => `worded:${sha256(session)}`;

async function* stopsOf(store: ImportedWordingParts["store"], session: string, from: string | undefined) {
  const scope = { session, kind: "stop", lanes: ["import"], order: "oldest" as const, limit: PAGE };
  let cursor: string | undefined;
  do {
    const page = await store.eventOutlines({ ...scope, ...(from && { from }), ...(cursor && { cursor }) });
    yield* page.items;
    cursor = page.next;
  } while (cursor !== undefined);
}

async function* importedStops({ store }: ImportedWordingParts): AsyncGenerator<EventOutline> {
  let cursor: string | undefined;
  do {
    const page = await store.sessions({ limit: PAGE, ...(cursor && { cursor }) });
    for (const { claudeSessionId: session } of page.items) {
      const mark = await store.sourceState(wordedMark(session));
      const from = mark === undefined ? undefined : new Date(Date.parse(mark) + 1).toISOString();
      yield* stopsOf(store, session, from);
    }
    cursor = page.next;
  } while (cursor !== undefined);
}

/** The model, and what it took. */
function withUsageCounted(model: LanguageModel, progress: Progress): LanguageModel {
  return {
    ...model,
    complete: async (asked, options) => {
      const outcome = await model.complete(asked, options);
      const usage = outcome.ok ? outcome.reply.usage : undefined;
      if (usage) progress.tokens += promptTokens(usage) + usage.output;
      return outcome;
    },
  };
}

async function wordAll(parts: ImportedWordingParts, most: number, progress: Progress, signal: AbortSignal) {
  const { store, worker } = parts;
  const model = () => {
    const current = parts.model();
    return current && withUsageCounted(current, progress);
  };
  const handlers = refiningHandlers({ ...parts, redact: parts.redactText, model });
  const refine = handlers.get("refine") as JobHandler;
  for await (const stop of importedStops(parts)) {
    if (signal.aborted) return;
    if (progress.tokens >= most) {
      progress.state = "spent";
      return;
    }
    for (const job of await refineJobsOf({ ...parts, hasModel: () => true }, stop)) {
      const leased = { ...job, id: 0, state: "leased", attempts: 1, notBefore: 0, createdAtEpoch: 0 } as Job;
      const result = await refine(leased, { signal, join: async () => [] });
      await store.completeJobs({ ...result, ids: [], worker });
      progress.turns += 1;
    }
    await store.finishSource({ key: wordedMark(stop.session), state: stop.at });
  }
  progress.state = "done";
}

/** Takes what came over a wire. Begins, or joins what has begun, waits a moment, and tells how far it is. */
export function makeImportedWording(
  parts: ImportedWordingParts,
): Required<Pick<BackgroundJob, "busy" | "stop">> & { answer(given: unknown): Promise<WordingProgress> } {
  const stopping = new AbortController();
  let current: { readonly progress: Progress; readonly ended: Promise<void> } | undefined;
  const begin = (tokens: number) => {
    if (!parts.model())
      throw usageError(
        "no model is configured that could word imported sessions",
        "throughline config set llm.provider claude-cli",
      );
    const progress: Progress = { state: "running", turns: 0, tokens: 0 };
    const ended = wordAll(parts, tokens, progress, stopping.signal).catch((error: unknown) => {
      progress.state = "failed";
      progress.problem = errorText(error);
    });
    return { progress, ended };
  };
  return {
    async answer(given) {
      const { tokens } = check(wordRequest, given);
      current ??= begin(tokens);
      const { progress, ended } = current;
      await withinTime(ended, ANSWER_MS);
      if (progress.state !== "running") current = undefined;
      return { ...progress };
    },
    busy: () => current?.progress.state === "running",
    stop: async () => {
      stopping.abort();
      await current?.ended;
    },
  };
}
