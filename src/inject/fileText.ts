// What earlier sessions learned about a file that is being opened: three observations at most, and silence where there are none.

import path from "node:path";
import { calendarOf } from "../dates/index.ts";
import { type Language, projectOf } from "../home/index.ts";
import { ownContextMark } from "../lib/index.ts";
import type { KnowledgeStore, Observation, SearchIndex } from "../store/index.ts";
import { estimateText } from "../tokens/index.ts";
import { cut, lineOf } from "./quote.ts";
import { injectWords } from "./words.ts";

interface FileRequest {
  /** As the agent names it. */
  readonly file: string;
  readonly folder: string;
  /** Its own observations are in the conversation already. */
  readonly session: string;
  readonly language: Language;
  readonly nonce: string;
  readonly timeZone?: string;
}

const MOST_SHOWN = 3;
const MOST_TOKENS = 300;
/** So many of the newest about the file are compared. */
const LOOKED_AT = 40;
const TITLE_WIDTH = 90;
const SUBTITLE_WIDTH = 110;

const worth: Readonly<Record<Observation["type"], number>> = {
  decision: 3,
  bugfix: 3,
  feature: 2,
  refactor: 2,
  change: 1,
  discovery: 1,
};

/** Work on the file before what only looked at it, with few other files before many; of equals the newest. */
function relevance({ type, filesModified = [] }: Observation, file: string) {
  const changed = filesModified.some((one) => file.endsWith(one) || one.endsWith(file));
  return worth[type] + (changed ? 3 + 1 / filesModified.length : 0);
}

function entryText(row: Observation, { language, timeZone }: FileRequest) {
  const { withheld } = injectWords[language];
  const shown = (text: string, width: number) => cut(lineOf(text, withheld), width);
  const head = `#${row.id} (${calendarOf(language, timeZone).day(row.createdAtEpoch)}): ${shown(row.title, TITLE_WIDTH)}`;
  const more = row.subtitle ?? row.facts?.[0];
  return more ? `${head}\n  ${shown(more, SUBTITLE_WIDTH)}` : head;
}

/** Empty where no earlier session of the project worked on the file. */
export async function fileText(
  store: Pick<KnowledgeStore, "observationsById"> & Pick<SearchIndex, "entries">,
  request: FileRequest,
) {
  const { folder, session, language, nonce } = request;
  const within = path.relative(folder, path.resolve(folder, request.file));
  const file = within === "" || within.startsWith("..") ? request.file : within;
  const filter = { projects: [projectOf(folder).id], kinds: ["observation" as const], file };
  const found = await store.entries(filter, LOOKED_AT);
  const rows = await store.observationsById(found.map(({ ref }) => ref));
  const best = rows
    .filter((row) => row.claudeSessionId !== session)
    .toSorted((one, other) => relevance(other, file) - relevance(one, file) || other.id - one.id)
    .slice(0, MOST_SHOWN)
    .map((row) => entryText(row, request));
  const { fileIntro, end } = injectWords[language];
  for (; best.length > 0; best.pop()) {
    const open = `<${ownContextMark.name} kind="memory" nonce="${nonce}">`;
    const text = [open, fileIntro, ...best, `${end(nonce)}\n${ownContextMark.close}`].join("\n");
    if (estimateText(text, "new") <= MOST_TOKENS) return text;
  }
  return "";
}
