// What a session is told when it starts: the index of what earlier sessions in its project left behind.

import path from "node:path";
import { projectOf } from "../home/index.ts";
import { defined, ownContextMark, UNDONE } from "../lib/index.ts";
import type { EventStore, KnowledgeStore, Observation, SearchIndex, Summary } from "../store/index.ts";
import { termsOf } from "../terms/index.ts";
import { branchWords, choose, outcomesOf, type Work } from "./choose.ts";
import { type ProjectLineStore, projectLines } from "./projectLine.ts";
import { type Look, renderIndex } from "./render.ts";
import { injectWords } from "./words.ts";

type IndexStore = Pick<KnowledgeStore, "observations" | "observationsById" | "summaries"> &
  Pick<EventStore, "sessions"> &
  ProjectLineStore;

export interface StartRequest extends Work, Look {
  /** The folder of work. */
  readonly folder: string;
  /** Older observations to choose from too, by their ids: what `aboutWork` found. */
  readonly older?: readonly number[];
}

/** Looked at: enough to choose from, few enough to cost the same in a large store. */
const OBSERVATIONS = 200;
const SUMMARIES = 10;
const SHOWN_SESSIONS = 10;
const MOST_TURN_FILES = 5;
const FOUND_EACH = 10;
const MOST_OUTCOMES = 4;

/** What a session was begun for, what was done last, and where it stood. */
function wholeOf(newestFirst: readonly Summary[]): Summary | undefined {
  const [last] = newestFirst;
  const request = newestFirst.findLast((one) => one.request !== undefined)?.request;
  const completed = newestFirst.find((one) => one.completed !== undefined)?.completed;
  return last && { ...last, ...defined({ request, completed }) };
}

/** One summary for each of the latest sessions that have any, newest first. A session may have hundreds. */
async function latestSessions(store: IndexStore, project: string) {
  const { items: sessions } = await store.sessions({ project, limit: SHOWN_SESSIONS * 3 });
  const found: Summary[] = [];
  for (const { claudeSessionId: session } of sessions) {
    const newest = await store.summaries({ project, session, limit: SUMMARIES });
    const oldest = await store.summaries({ project, session, order: "oldest", limit: 1 });
    const whole = wholeOf([...newest.items, ...oldest.items]);
    if (whole) found.push(whole);
    if (found.length === SHOWN_SESSIONS) break;
  }
  return found;
}

/**
 * What is about the branch or the files at hand, however long ago, by ids. It costs a search in everything that is kept,
 * and so is done in the background.
 */
export async function aboutWork(
  store: Pick<SearchIndex, "passages">,
  { folder, branch, files = [] }: Pick<StartRequest, "folder" | "branch" | "files">,
): Promise<number[]> {
  const { id: project } = projectOf(folder);
  const names = files.slice(0, MOST_TURN_FILES).map((file) => path.posix.basename(file));
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

/** What was done in a session, as its observations say, the weightiest first; where nothing was done, what was decided or found last. */
function withOutcome(summary: Summary, newestFirst: readonly Observation[]): Summary {
  const own = newestFirst.filter(({ claudeSessionId }) => claudeSessionId === summary.claudeSessionId);
  const isWork = ({ type, concepts }: Observation) =>
    type !== "discovery" && type !== "decision" && !concepts?.includes(UNDONE);
  const work = outcomesOf(own.filter(isWork));
  const told = work.length > 0 ? work.slice(0, MOST_OUTCOMES) : own.slice(0, 1);
  return told.length > 0 ? { ...summary, completed: told.map(({ title }) => title).join("\n") } : summary;
}

/** The project in one line, for where the index has no room; empty where that has none either. */
async function lineAlone(store: IndexStore, project: string, look: Look) {
  const words = injectWords[look.language];
  const [line] = await projectLines(store, (id) => id === project, 1, look.language, look.timeZone);
  if (line === undefined) return "";
  const text = [
    `<${ownContextMark.name} kind="memory" nonce="${look.nonce}">`,
    words.projectIntro,
    line,
    `${words.end(look.nonce)}\n${ownContextMark.close}`,
  ].join("\n");
  return text.length <= look.characters ? text : "";
}

/** The index; where its budget is too small or nothing, one line. Empty where nothing is known. */
export async function startText(store: IndexStore, request: StartRequest) {
  const { id: project, name } = projectOf(request.folder);
  const newest = await store.observations({ project, limit: OBSERVATIONS });
  const older = await store.observationsById(request.older ?? []);
  const own = older.filter((row) => row.project === project);
  const rows = new Map([...own, ...newest.items].map((row) => [row.id, row]));
  const summaries = (await latestSessions(store, project)).map((one) => withOutcome(one, newest.items));
  const chosen = choose([...rows.values()], request);
  const index = renderIndex({ project: name, now: request.now, chosen, summaries }, request);
  return index === "" ? lineAlone(store, project, request) : index;
}
