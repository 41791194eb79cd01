// Rows of all kinds as lines of a timeline, and rows whole by their refs.
import { defined, singleLine } from "../../lib/index.ts";
import { hitFrom, readRef, refOf, rowsOf } from "../../search/index.ts";
import type {
  ChronicleFilter,
  ChronicleRow,
  IndexedRow,
  KnowledgeStore,
  OverviewStore,
  PageRequest,
  SessionDigest,
} from "../../store/index.ts";
import type { Item, TimelinePage, TimelineRow } from "../wire.ts";

const LONGEST_TITLE = 120;

/** The text on one line, cut to fit a line of the page. */
function inOneLine(text: string) {
  const line = singleLine(text);
  const shown = [...line.slice(0, LONGEST_TITLE * 2)];
  return shown.length <= LONGEST_TITLE ? shown.join("") : `${shown.slice(0, LONGEST_TITLE - 1).join("")}…`;
}

/** A session is shown by its first prompt. */
export const sessionTitle = ({ firstPrompt = "" }: Pick<SessionDigest, "firstPrompt">) =>
  inOneLine(firstPrompt);

function timelineRow(indexed: ChronicleRow): TimelineRow {
  const { ref, title, at, project, session, tokens, files } = hitFrom(indexed, { layer: "index" });
  const { promptNumber } = indexed.row;
  const row = { ref, kind: indexed.kind, at, project, session, promptNumber, tokens };
  if (indexed.kind === "summary") return { ...row, title: inOneLine(indexed.row.completed ?? title) };
  if (indexed.kind === "prompt") return { ...row, title: inOneLine(indexed.row.promptText) };
  const { subtitle, type } = indexed.row;
  return { ...row, title, type, ...defined({ subtitle, files }) };
}

export async function timelinePage(
  store: Pick<OverviewStore, "chronicle" | "sessionDigests">,
  request: PageRequest & ChronicleFilter,
): Promise<TimelinePage> {
  const page = await store.chronicle(request);
  const items = page.items.map(timelineRow);
  const digests = await store.sessionDigests([...new Set(items.map(({ session }) => session))]);
  const sessions = Object.fromEntries(digests.map((digest) => [digest.session, sessionTitle(digest)]));
  return { ...page, items, sessions };
}

function timelineItem(ref: string, indexed: IndexedRow): Item {
  if (indexed.kind !== "message") return { ref, ...indexed };
  const { session, role, text, at, project } = indexed.row;
  return { ref, kind: "message", row: { session, role, text, at, project } };
}

/** In the order of the refs; what is not there is left out. */
export async function itemsOf(store: KnowledgeStore, refs: readonly string[]): Promise<Item[]> {
  const wanted = refs.flatMap((ref) => readRef(ref) ?? []);
  const rows = await rowsOf(store, wanted);
  return wanted.flatMap(({ kind, ref }) => {
    const name = refOf(kind, ref);
    const indexed = rows.get(name);
    return indexed ? timelineItem(name, indexed) : [];
  });
}
