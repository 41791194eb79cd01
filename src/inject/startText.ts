// What a session is told when it starts: the index of what earlier sessions in its project left behind.
import path from "node:path";
import { projectOf } from "../lib/index.ts";
import type { Store, Summary } from "../store/index.ts";
import { termsOf } from "../terms/index.ts";
import { branchWords, choose, type Work } from "./choose.ts";
import { type Look, renderIndex } from "./render.ts";

export type IndexStore = Pick<Store, "observations" | "observationsById" | "summaries">;

export interface StartRequest extends Work, Look {
  /** The folder of work. */
  readonly folder: string;
  /** Older observations to choose from too, by their ids: what `aboutWork` found. */
  readonly older?: readonly number[];
}

/** Looked at: enough to choose from, few enough to cost the same in a large store. */
const OBSERVATIONS = 200;
const SUMMARIES = 100;
const SESSIONS = 10;
const MOST_FILES = 5;
const FOUND_EACH = 10;

/** One for each session, newest first: what it was begun for, and where it stood at last. */
function ofSessions(newestFirst: readonly Summary[]): Summary[] {
  const sessions = new Map<string, Summary>();
  for (const earlier of newestFirst) {
    const last = sessions.get(earlier.claudeSessionId) ?? earlier;
    const { request = last.request } = earlier;
    sessions.set(earlier.claudeSessionId, request === undefined ? last : { ...last, request });
  }
  return [...sessions.values()].slice(0, SESSIONS);
}

/**
 * What is about the branch or the files at hand, however long ago, by ids. It costs a search in everything that is kept,
 * and so is done when nobody waits for it.
 */
export async function aboutWork(
  store: Pick<Store, "passages">,
  { folder, branch, files = [] }: Pick<StartRequest, "folder" | "branch" | "files">,
): Promise<number[]> {
  const { id: project } = projectOf(folder);
  const names = files.slice(0, MOST_FILES).map((file) => path.posix.basename(file));
  const found = new Set<number>();
  for (const words of [branchWords(branch).join(" "), ...names]) {
    const terms = termsOf(words).sequence;
    if (terms.length === 0) continue;
    const passages = await store.passages({
      projects: [project],
      kinds: ["observation"],
      terms,
      mode: "all",
      limit: FOUND_EACH,
    });
    for (const { entry } of passages) found.add(entry.ref);
  }
  return [...found];
}

/** Empty where nothing is known. */
export async function startText(store: IndexStore, request: StartRequest): Promise<string> {
  const { id: project, name } = projectOf(request.folder);
  const newest = await store.observations({ project, limit: OBSERVATIONS });
  const older = await store.observationsById(request.older ?? []);
  const own = older.filter((row) => row.project === project);
  const rows = new Map([...own, ...newest.items].map((row) => [row.id, row]));
  const summaries = await store.summaries({ project, limit: SUMMARIES });
  return renderIndex(
    {
      project: name,
      now: request.now,
      chosen: choose([...rows.values()], request),
      summaries: ofSessions(summaries.items),
    },
    request,
  );
}
