// A project in one line of at most 60 tokens: how much is known of it, what was done last, and what it is about.
import path from "node:path";
import { type Calendar, calendarOf } from "../dates/index.ts";
import type { Language } from "../home/index.ts";
import type { KnowledgeStore, Observation, OverviewStore } from "../store/index.ts";
import { queryTerms } from "../terms/index.ts";
import { estimateText } from "../tokens/index.ts";
import { cut, lineOf } from "./quote.ts";
import { type InjectWords, injectWords } from "./words.ts";

const MOST_TOKENS = 60;
const NAME_WIDTH = 40;
const WIDEST_TITLE = 100;
const NARROWEST_TITLE = 20;
const TITLE_STEP = 10;
const TOPICS = 4;
/** What is named once is no topic. */
const FEWEST_TIMES = 2;
const READ_OBSERVATIONS = 100;

function mostFrequent(words: readonly string[]) {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count >= FEWEST_TIMES)
    .sort((a, b) => b[1] - a[1])
    .map(([word]) => word);
}

/** Words of the titles but for the first, which says what was done; then the files that were changed most. */
function topicsOf(rows: readonly Observation[]) {
  const words = rows.flatMap(({ title }) =>
    queryTerms(title.replace(/^\S+\s/, ""))
      .map(({ word }) => word)
      .filter((word) => /^[a-z]{3,}$/.test(word)),
  );
  const files = rows.flatMap(({ filesModified = [] }) =>
    filesModified.map((file) => path.posix.basename(file)),
  );
  return [...new Set([...mostFrequent(words), ...mostFrequent(files)])].slice(0, TOPICS);
}

/** The latest comes first; empty where there is none. */
function lineFrom(
  name: string,
  counts: { readonly observations: number; readonly sessions: number },
  rows: readonly Observation[],
  { words, calendar }: { readonly words: InjectWords; readonly calendar: Calendar },
) {
  const [latest] = rows;
  if (latest === undefined) return "";
  const title = lineOf(latest.title, words.withheld);
  const topics = topicsOf(rows).map((topic) => lineOf(topic, words.withheld));
  const said = (width: number, named: readonly string[]) =>
    words.project({
      ...{ name: cut(lineOf(name, "project"), NAME_WIDTH), ...counts, topics: named.join(", ") },
      ...{ day: calendar.shortDay(latest.createdAtEpoch), title: cut(title, width) },
    });
  for (let named = topics.length; named >= 0; named -= 1)
    for (let width = WIDEST_TITLE; width >= NARROWEST_TITLE; width -= TITLE_STEP) {
      const line = said(width, topics.slice(0, named));
      if (estimateText(line, "new") <= MOST_TOKENS) return line;
    }
  return cut(said(NARROWEST_TITLE, []), WIDEST_TITLE);
}

export type ProjectLineStore = Pick<KnowledgeStore, "observations"> & Pick<OverviewStore, "projectDigests">;

/** One line for each of the projects that are wanted, last active first; those without an observation have none. */
export async function projectLines(
  store: ProjectLineStore,
  isWanted: (project: string) => boolean,
  most: number,
  language: Language,
  timeZone?: string,
): Promise<string[]> {
  const look = { words: injectWords[language], calendar: calendarOf(language, timeZone) };
  const lines: string[] = [];
  for (const { project, observations, sessions } of await store.projectDigests()) {
    if (lines.length >= most) break;
    if (!isWanted(project)) continue;
    const { items } = await store.observations({ project, limit: READ_OBSERVATIONS });
    const name = project.replace(/-[0-9a-f]{8}$/, "");
    const line = lineFrom(name, { observations, sessions }, items, look);
    if (line !== "") lines.push(line);
  }
  return lines;
}
