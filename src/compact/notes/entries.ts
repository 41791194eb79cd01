// What stands in a section, entry by entry: new ones join it, later ones replace earlier ones, the oldest make room.
import { commonLimit, lineTokens, type NotesBudget, notesTokens } from "./budget.ts";
import { makeNotes, type NoteSection, type Notes, noteSections, sectionHead } from "./template.ts";

/** One entry to be noted. */
export interface Fact {
  /** Index of the message it comes from. */
  readonly at: number;
  readonly text: string;
  /** How every entry about the same thing begins. Without it only an entry of the same text is the same. */
  readonly key?: string;
  /** What to write when such an entry is there already; `text` without it. */
  readonly join?: (before: string) => string;
}

/** An entry begins in the first column; lines that are indented or blank go with the one above them. */
function entriesOf(body: string) {
  const entries: string[][] = [];
  for (const line of body.split("\n")) {
    const last = entries.at(-1);
    if (last && /^(\s|$)/.test(line)) last.push(line);
    else if (line !== "") entries.push([line]);
  }
  return entries.map((lines) => lines.join("\n").trimEnd());
}

/** Sections that tell things in the order in which they happened. In all others the newest comes first. */
const inOrder: ReadonlySet<NoteSection> = new Set<NoteSection>(["Task specification", "Worklog"]);

/**
 * The section with facts from message `start` on, whatever is in it already. Facts from before only bring entries up
 * to date that are still there.
 */
export function withFacts(section: NoteSection, body: string, facts: readonly Fact[], start: number): string {
  let known = entriesOf(body);
  const added = new Map<string, string>();
  for (const { at, key, text, join } of facts) {
    const found = known.findIndex((entry) => (key === undefined ? entry === text : entry.startsWith(key)));
    const before = known[found] ?? added.get(key ?? text);
    const entry = before !== undefined && join ? join(before) : text;
    if (at >= start) {
      known = known.filter((_, index) => index !== found);
      // Set anew, so that the map's order is that of the last mention.
      added.delete(key ?? text);
      added.set(key ?? text, entry);
    } else if (found >= 0) known = known.with(found, entry);
  }
  const fresh = [...added.values()];
  return (inOrder.has(section) ? [...known, ...fresh] : [...fresh.reverse(), ...known]).join("\n");
}

const entryTokens = (entry: string) => entry.split("\n").reduce((sum, line) => sum + lineTokens(line), 0);

/** As many entries as there is room for. What was asked first stays; otherwise the oldest go. */
function trimmed(section: NoteSection, body: string, limit: number) {
  const entries = entriesOf(body);
  const newestFirst = inOrder.has(section) ? entries.toReversed() : entries;
  const first = section === "Task specification" && entries.length > 1 ? newestFirst.pop() : undefined;
  let room = limit - (first === undefined ? 0 : entryTokens(first));
  const kept: string[] = [];
  for (const entry of newestFirst) {
    const tokens = entryTokens(entry);
    // A long entry makes way for shorter ones that are older, but never for nothing.
    if (tokens > room) continue;
    room -= tokens;
    kept.push(entry);
  }
  if (inOrder.has(section)) kept.reverse();
  return (first === undefined ? kept : [first, ...kept]).join("\n");
}

/** Notes within their budget, cut entry by entry, the longest sections first. */
export function withinBudget(notes: Notes, budget: NotesBudget): Notes {
  const sizeOf = (section: NoteSection) =>
    entriesOf(notes[section]).reduce((sum, entry) => sum + entryTokens(entry), 0);
  // Three line ends stand around what is written in a section.
  const frame = noteSections.reduce((sum, section) => sum + notesTokens(sectionHead(section)) + 3, 0);
  const capped = noteSections.map((section) => Math.min(sizeOf(section), budget.section));
  const limit = Math.min(budget.section, commonLimit(capped, budget.total - frame));
  return makeNotes((section) =>
    sizeOf(section) <= limit ? notes[section] : trimmed(section, notes[section], limit),
  );
}
