// What a session is told when it starts: the index of what earlier sessions in its project left behind.
import { projectOf } from "../lib/index.ts";
import type { Store, Summary } from "../store/index.ts";
import { choose, type Work } from "./choose.ts";
import { type Look, renderIndex } from "./render.ts";

export type IndexStore = Pick<Store, "observations" | "summaries">;

export interface StartRequest extends Work, Look {
  /** The folder of work. */
  readonly folder: string;
}

/** Looked at: enough for the files at hand to be found among them, few enough to cost the same in a large store. */
const OBSERVATIONS = 200;
const SUMMARIES = 100;
const SESSIONS = 10;

/** The last summary of each session, newest first. */
function lastOfEach(summaries: readonly Summary[]): Summary[] {
  const sessions = new Map<string, Summary>();
  for (const summary of summaries)
    if (!sessions.has(summary.claudeSessionId)) sessions.set(summary.claudeSessionId, summary);
  return [...sessions.values()].slice(0, SESSIONS);
}

/** Empty where nothing is known. */
export async function startText(store: IndexStore, request: StartRequest): Promise<string> {
  const { id: project, name } = projectOf(request.folder);
  const [observations, summaries] = await Promise.all([
    store.observations({ project, limit: OBSERVATIONS }),
    store.summaries({ project, limit: SUMMARIES }),
  ]);
  return renderIndex(
    {
      project: name,
      now: request.now,
      chosen: choose(observations.items, request),
      summaries: lastOfEach(summaries.items),
    },
    request,
  );
}
