// What a session is told when it starts: the index of what earlier sessions in its project left behind.
import path from "node:path";
import { projectOf } from "../lib/index.ts";
import type { Observation, Store, Summary } from "../store/index.ts";
import { termsOf } from "../terms/index.ts";
import { branchWords, choose, type Work } from "./choose.ts";
import { type Look, renderIndex } from "./render.ts";

export type IndexStore = Pick<Store, "observations" | "observationsById" | "summaries" | "passages">;

export interface StartRequest extends Work, Look {
  /** The folder of work. */
  readonly folder: string;
}

/** Looked at: enough to choose from, few enough to cost the same in a large store. */
const OBSERVATIONS = 200;
const OLDER = 20;
const MOST_FILES = 5;
const SUMMARIES = 100;
const SESSIONS = 10;

/** The last summary of each session, newest first. */
function lastOfEach(summaries: readonly Summary[]): Summary[] {
  const sessions = new Map<string, Summary>();
  for (const summary of summaries)
    if (!sessions.has(summary.claudeSessionId)) sessions.set(summary.claudeSessionId, summary);
  return [...sessions.values()].slice(0, SESSIONS);
}

/** What is about the branch or the files at hand, however long ago. */
async function aboutWork(store: IndexStore, project: string, work: Work): Promise<Observation[]> {
  const files = (work.files ?? []).slice(0, MOST_FILES).map((file) => path.posix.basename(file));
  const phrases = [branchWords(work.branch), ...files].map(
    (words) => termsOf([words].flat().join(" ")).sequence,
  );
  const found = new Set<number>();
  for (const terms of phrases.filter(({ length }) => length > 0)) {
    const passages = await store.passages({
      projects: [project],
      kinds: ["observation"],
      terms,
      mode: "all",
      limit: OLDER,
    });
    for (const { entry } of passages) found.add(entry.ref);
  }
  return store.observationsById([...found]);
}

/** Empty where nothing is known. */
export async function startText(store: IndexStore, request: StartRequest): Promise<string> {
  const { id: project, name } = projectOf(request.folder);
  const newest = await store.observations({ project, limit: OBSERVATIONS });
  const older = newest.next === undefined ? [] : await aboutWork(store, project, request);
  const rows = new Map([...older, ...newest.items].map((row) => [row.id, row]));
  const summaries = await store.summaries({ project, limit: SUMMARIES });
  return renderIndex(
    {
      project: name,
      now: request.now,
      chosen: choose([...rows.values()], request),
      summaries: lastOfEach(summaries.items),
    },
    request,
  );
}
