// How long notes may be: measured by section, pointed out to whoever writes them, cut at line ends for the window.
import { estimateText } from "../../tokens/index.ts";
import { type NoteSection, type Notes, noteSections, parseNotes } from "./template.ts";

export interface NotesBudget {
  /** Tokens of one section. */
  readonly section: number;
  /** Tokens of all sections together. */
  readonly total: number;
}

export const defaultNotesBudget: NotesBudget = { section: 2_000, total: 12_000 };

/** By the tokenizer that makes more tokens of a text: a budget that holds there holds everywhere. */
export function notesTokens(text: string): number {
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
  return { sections, ...(total > budget.total ? { total } : {}) };
}

/** The greatest length to which all may be cut so that together they take no more than `room`. */
export function commonLimit(sizes: readonly number[], room: number): number {
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
export const lineTokens = (line: string): number => notesTokens(line) + 1;

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

const sizeOfLines = (lines: readonly string[]) => lines.reduce((sum, line) => sum + lineTokens(line), 0);

/**
 * The notes as they stand in for history: headings with what is written under them, no guidance, no empty sections.
 * Sections that are too long are cut at line ends, the longest first, so that all of it takes at most `budget`.
 */
export function notesForWindow(text: string, budget: number = defaultNotesBudget.total): string {
  const notes = parseNotes(text);
  const written = noteSections.filter((section) => notes[section] !== "");
  const bodies = written.map((section) => sizeOfLines(notes[section].split("\n")));
  // Two line ends stand between sections.
  const heads = written.reduce((sum, section) => sum + lineTokens(`# ${section}`) + 2, 0);
  const limit = Math.min(defaultNotesBudget.section, commonLimit(bodies, budget - heads));
  const parts = written.map((section) => shown(section, notes, limit));
  return parts.join("\n\n");
}

/** Of a worklog the end tells where the work stands; everything else says what matters most first. */
function shown(section: NoteSection, notes: Notes, limit: number) {
  return `# ${section}\n${cutAtLines(notes[section], limit, section === "Worklog" ? "end" : "beginning")}`;
}
