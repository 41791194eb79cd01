// The size limits of notes: measured by section, enforced entry by entry, and cut at line ends for the window.

import { defined, sumOf } from "../../lib/index.ts";
import { estimateText } from "../../tokens/index.ts";
import {
  makeNotes,
  type NoteSection,
  type Notes,
  noteSections,
  parseNotes,
  sectionHead,
} from "./template.ts";

export interface NotesBudget {
  /** Tokens of one section. */
  readonly section: number;
  /** Tokens of all sections together. */
  readonly total: number;
}

export const defaultNotesBudget: NotesBudget = { section: 2_000, total: 12_000 };

/** By the tokenizer that makes more tokens of a text: a budget that holds there holds everywhere. */
export function notesTokens(text: string) {
  return estimateText(text, "new");
}

export interface OverBudget {
  /** Sections above their limit, the largest first. */
  readonly sections: readonly { readonly section: NoteSection; readonly tokens: number }[];
  /** Tokens of everything, when that is too much. */
  readonly total?: number;
}

/** What has to be shortened; undefined while everything is within its limits. */
export function overBudget(text: string, budget: NotesBudget = defaultNotesBudget): OverBudget | undefined {
  const notes = parseNotes(text);
  const sizes = noteSections.map((section) => ({ section, tokens: notesTokens(notes[section]) }));
  const sections = sizes.filter(({ tokens }) => tokens > budget.section).sort((a, b) => b.tokens - a.tokens);
  const total = notesTokens(text);
  if (sections.length === 0 && total <= budget.total) return undefined;
  return { sections, ...defined({ total: total > budget.total ? total : undefined }) };
}

/** The greatest length to which all may be cut so that together they take no more than `room`. */
export function commonLimit(sizes: readonly number[], room: number) {
  let left = room;
  const ascending = [...sizes].sort((a, b) => a - b);
  for (const [index, size] of ascending.entries()) {
    const share = left / (ascending.length - index);
    if (size > share) return Math.max(0, Math.floor(share));
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

/** What a line takes among others: its own tokens and the line end. */
const lineTokens = (line: string) => notesTokens(line) + 1;

const leftOut = (lines: number) => `[… ${lines} lines left out …]`;
const MARK_TOKENS = lineTokens(leftOut(9_999));

/** Whole lines from the beginning, or from the end, as far as the limit lets them; says how many are missing. */
function cutAtLines(body: string, limit: number, from: "beginning" | "end") {
  const lines = body.split("\n");
  if (sizeOfLines(lines) <= limit) return body;
  const ordered = from === "beginning" ? lines : lines.toReversed();
  let room = limit - MARK_TOKENS;
  const kept: string[] = [];
  for (const line of ordered) {
    room -= lineTokens(line);
    if (room < 0) break;
    kept.push(line);
  }
  const mark = leftOut(lines.length - kept.length);
  if (limit < MARK_TOKENS) return "";
  return from === "beginning" ? [...kept, mark].join("\n") : [mark, ...kept.reverse()].join("\n");
}

const sizeOfLines = (lines: readonly string[]) => sumOf(lines, lineTokens);

/**
 * The notes as they stand in for history: headings with what is written under them, no guidance, no empty sections.
 * Sections that are too long are cut at line ends, the longest first, so that all of it takes at most `budget`.
 */
export function notesForWindow(text: string, budget: number = defaultNotesBudget.total) {
  const notes = parseNotes(text);
  const written = noteSections.filter((section) => notes[section] !== "");
  const bodies = written.map((section) => sizeOfLines(notes[section].split("\n")));
  // Two line ends stand between sections.
  const heads = sumOf(written, (section) => lineTokens(`# ${section}`) + 2);
  const limit = Math.min(defaultNotesBudget.section, commonLimit(bodies, budget - heads));
  const parts = written.map((section) => sectionShown(section, notes, limit));
  return parts.join("\n\n");
}

/** Of a worklog the end tells where the work stands; everything else says what matters most first. */
function sectionShown(section: NoteSection, notes: Notes, limit: number) {
  return `# ${section}\n${cutAtLines(notes[section], limit, section === "Worklog" ? "end" : "beginning")}`;
}

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
function noteEntries(body: string) {
  const entries: string[][] = [];
  for (const line of body.split("\n")) {
    const last = entries.at(-1);
    if (last && /^(\s|$)/.test(line)) last.push(line);
    else if (line !== "") entries.push([line]);
  }
  return entries.map((lines) => lines.join("\n").trimEnd());
}

/** Sections that tell things in the order in which they happened. In all others the newest comes first. */
const chronologicalSections: ReadonlySet<NoteSection> = new Set<NoteSection>([
  "Task specification",
  "Worklog",
]);

/**
 * The section with facts from message `start` on, whatever is in it already. Facts from before only bring entries up
 * to date that are still there.
 */
export function withFacts(section: NoteSection, body: string, facts: readonly Fact[], start: number) {
  let known = noteEntries(body);
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
  return (chronologicalSections.has(section) ? [...known, ...fresh] : [...fresh.reverse(), ...known]).join(
    "\n",
  );
}

const entryTokens = (entry: string) => sumOf(entry.split("\n"), lineTokens);

/** As many entries as there is room for. What was asked first stays; otherwise the oldest go. */
function trimmed(section: NoteSection, body: string, limit: number) {
  const entries = noteEntries(body);
  const newestFirst = chronologicalSections.has(section) ? entries.toReversed() : entries;
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
  if (chronologicalSections.has(section)) kept.reverse();
  return (first === undefined ? kept : [first, ...kept]).join("\n");
}

/** Notes within their budget, cut entry by entry, the longest sections first. */
export function withinBudget(notes: Notes, budget: NotesBudget): Notes {
  const sizeOf = (section: NoteSection) => sumOf(noteEntries(notes[section]), entryTokens);
  // Three line ends stand around what is written in a section.
  const frame = sumOf(noteSections, (section) => notesTokens(sectionHead(section)) + 3);
  const capped = noteSections.map((section) => Math.min(sizeOf(section), budget.section));
  const limit = Math.min(budget.section, commonLimit(capped, budget.total - frame));
  return makeNotes((section) =>
    sizeOf(section) <= limit ? notes[section] : trimmed(section, notes[section], limit),
  );
}
