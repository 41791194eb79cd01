// Matches and the lines around them, as a person or a model reads them.
import { type Hit, matchingLines } from "./pattern.ts";

/** A minified file is one line: of such a line only the part around the match is shown. */
const LONGEST_LINE = 2_000;
const BEFORE_MATCH = 500;
const CUT = "…";

export const DEFAULT_MATCHES = 1_000;

export interface Match {
  /** 1-based. */
  readonly line: number;
  readonly text: string;
  /** The lines around it, as many as `context` asks for. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

interface MatchLimits {
  readonly context?: number;
  readonly maxMatches?: number;
}

export function matchesIn(
  text: string,
  pattern: RegExp,
  { context = 0, maxMatches = DEFAULT_MATCHES }: MatchLimits,
): { matches: readonly Match[]; more: boolean } {
  const lines = splitLines(text);
  const { hits, more } = matchingLines(lines, pattern, maxMatches);
  const around = (from: number, to: number): string[] =>
    lines.slice(Math.max(0, from), Math.max(0, to)).map((line) => clip(line));
  const matches = hits.map(({ line, column }: Hit) => ({
    line,
    text: clip(lines[line - 1] ?? "", column),
    before: around(line - 1 - context, line - 1),
    after: around(line, line + context),
  }));
  return { matches, more };
}

function splitLines(text: string): readonly string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function clip(line: string, column = 0): string {
  if (line.length <= LONGEST_LINE) return line;
  const from = Math.max(0, column - BEFORE_MATCH);
  const to = from + LONGEST_LINE;
  return (from > 0 ? CUT : "") + line.slice(from, to) + (to < line.length ? CUT : "");
}

/**
 * The matches as `grep -n` shows them: `12:` before a matching line, `11-` before one around it, `--` between
 * groups. Only whole lines, up to `maxBytes`; the matches that are in it come back with it.
 */
export function excerpt(
  matches: readonly Match[],
  maxBytes: number,
): { text: string; matches: readonly Match[] } {
  const rows = new Map<number, string>();
  for (const { line, before, after } of matches) {
    for (const [i, text] of before.entries()) rows.set(line - before.length + i, `-${text}`);
    for (const [i, text] of after.entries()) rows.set(line + 1 + i, `-${text}`);
  }
  for (const { line, text } of matches) rows.set(line, `:${text}`);
  let text = "";
  let size = 0;
  let last: number | undefined;
  for (const [line, row] of [...rows].sort(([a], [b]) => a - b)) {
    const gap = last !== undefined && line > last + 1 ? "--\n" : "";
    const added = `${gap}${line}${row}\n`;
    size += Buffer.byteLength(added);
    if (size > maxBytes) break;
    text += added;
    last = line;
  }
  return { text, matches: matches.filter((match) => match.line <= (last ?? 0)) };
}
