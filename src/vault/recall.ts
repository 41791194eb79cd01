// Brings stored bytes back: all of them, some lines or bytes, or the lines that match a pattern, in one blob or a session's.
import { ThroughlineError, usageError } from "../lib/index.ts";
import type { OriginEntry, ResolveOptions, Vault } from "./model.ts";
import { compilePattern, findMatchingLines, type PatternHit } from "./pattern.ts";
import { decodeText, encodeText } from "./text.ts";

/** Throws for a number that cannot count anything. */
function checkCounts(counts: { readonly [name: string]: number | undefined }) {
  for (const [name, value] of Object.entries(counts)) {
    if (value === undefined || (Number.isInteger(value) && value >= 0)) continue;
    throw usageError(`${name} is ${value}.`, "Give a whole number that is not negative.");
  }
}

/** A minified file is one line: of such a line only the part around the match is shown. */
const LONGEST_SHOWN_LINE = 2_000;
const BEFORE_MATCH = 500;
const CUT_MARK = "…";

const DEFAULT_MATCHES = 1_000;

/** A line that matches a pattern. */
export interface Match {
  /** 1-based. */
  readonly line: number;
  readonly text: string;
  /** The lines around it, as many as `context` asks for. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

interface MatchLimits {
  /** Lines shown around each match. */
  readonly context?: number;
  readonly maxMatches?: number;
}

function matchesIn(
  text: string,
  pattern: RegExp,
  { context = 0, maxMatches = DEFAULT_MATCHES }: MatchLimits,
): { matches: readonly Match[]; more: boolean } {
  const lines = splitLines(text);
  const { hits, more } = findMatchingLines(lines, pattern, maxMatches);
  const around = (from: number, to: number) =>
    lines.slice(Math.max(0, from), Math.max(0, to)).map((line) => clipLine(line));
  const matches = hits.map(({ line, column }: PatternHit) => ({
    line,
    text: clipLine(lines[line - 1] ?? "", column),
    before: around(line - 1 - context, line - 1),
    after: around(line, line + context),
  }));
  return { matches, more };
}

function splitLines(text: string) {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function clipLine(line: string, column = 0) {
  if (line.length <= LONGEST_SHOWN_LINE) return line;
  const from = Math.max(0, column - BEFORE_MATCH);
  const to = from + LONGEST_SHOWN_LINE;
  return (from > 0 ? CUT_MARK : "") + line.slice(from, to) + (to < line.length ? CUT_MARK : "");
}

/**
 * The matches as `grep -n` shows them: `12:` before a matching line, `11-` before one around it, `--` between
 * groups. Only whole lines, up to `maxBytes`; the matches that are in it come back with it.
 */
function excerptOf(matches: readonly Match[], maxBytes: number): { text: string; matches: readonly Match[] } {
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

/** Two numbers; which ends are meant is said where it is used. */
export type Range = readonly [from: number, to: number];

/** At most one of `lines`, `bytes` and `pattern`; none of them means everything. */
export interface Selection extends ResolveOptions, MatchLimits {
  /** 1-based, both ends included, each line with its line end. */
  readonly lines?: Range;
  /** 0-based, `to` not included, like `slice`. */
  readonly bytes?: Range;
  /** Tried on each line by itself. */
  readonly pattern?: string | RegExp;
  /** The most that may come back; `truncated` tells when it cut something off. */
  readonly maxBytes?: number;
}

/** What `recall` brought back of one blob. */
export interface Recalled {
  readonly handle: string;
  readonly totalBytes: number;
  readonly totalLines: number;
  /** Exactly what was stored. For a pattern: the excerpt that `text` shows. */
  readonly bytes: Uint8Array;
  /** The same as text; a string that was put comes back as that string. */
  readonly text: string;
  /** The part that really came back, in the unit asked for; absent when it is empty. */
  readonly from?: number;
  readonly to?: number;
  readonly matches?: readonly Match[];
  readonly truncated: boolean;
}

/** Throws what `vault.read` throws, and `usage` for a selection that makes no sense. */
export function recall(vault: Vault, ref: string, selection: Selection = {}): Recalled {
  checkSelection(selection);
  const { handle, sha256 } = vault.resolve(ref, selection);
  const content = vault.read(sha256);
  const starts = lineStarts(content);
  const whole = { handle, totalBytes: content.length, totalLines: starts.length };
  const { lines, bytes, pattern } = selection;
  if (pattern !== undefined) return { ...whole, ...selectMatches(content, pattern, selection) };
  if (lines) return { ...whole, ...selectLines(content, starts, lines, selection) };
  if (bytes) return { ...whole, ...selectBytes(content, bytes, selection) };
  return { ...whole, ...cutToBytes(content, selection) };
}

type RecalledPart = Omit<Recalled, "handle" | "totalBytes" | "totalLines">;

function selectLines(
  content: Uint8Array,
  starts: readonly number[],
  range: Range,
  limits: Selection,
): RecalledPart {
  const from = Math.max(1, range[0]);
  const begin = starts[from - 1] ?? content.length;
  const end = starts[Math.max(0, range[1])] ?? content.length;
  const part = cutToBytes(content.subarray(begin, Math.max(begin, end)), limits);
  const last = lineStarts(part.bytes).length;
  return last === 0 ? part : { ...part, from, to: from + last - 1 };
}

function selectBytes(content: Uint8Array, range: Range, limits: Selection): RecalledPart {
  const from = Math.max(0, range[0]);
  const part = cutToBytes(content.subarray(from, Math.max(from, range[1])), limits);
  return part.bytes.length === 0 ? part : { ...part, from, to: from + part.bytes.length };
}

function selectMatches(content: Uint8Array, pattern: string | RegExp, limits: Selection): RecalledPart {
  const { maxBytes = Number.POSITIVE_INFINITY } = limits;
  const found = matchesIn(decodeText(content), compilePattern(pattern), limits);
  const shown = excerptOf(found.matches, maxBytes);
  const bytes = encodeText(shown.text);
  const truncated = found.more || shown.matches.length < found.matches.length;
  return { bytes, text: shown.text, matches: shown.matches, truncated };
}

/** Cuts at `maxBytes`, a little earlier where that would split a character. */
function cutToBytes(content: Uint8Array, { maxBytes = Number.POSITIVE_INFINITY }: Selection): RecalledPart {
  if (content.length <= maxBytes) return { bytes: content, text: decodeText(content), truncated: false };
  let end = maxBytes;
  while (end > 0 && maxBytes - end < 3 && isContinuation(content[end])) end -= 1;
  const bytes = content.subarray(0, end);
  return { bytes, text: decodeText(bytes), truncated: true };
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** Where each line begins. A line end closes a line and does not open another. */
function lineStarts(content: Uint8Array) {
  const starts: number[] = [];
  for (let at = 0; at < content.length; ) {
    starts.push(at);
    const newline = content.indexOf(0x0a, at);
    at = newline < 0 ? content.length : newline + 1;
  }
  return starts;
}

function checkSelection(selection: Selection) {
  const { lines, bytes, pattern, context, maxMatches, maxBytes } = selection;
  if ([lines, bytes, pattern].filter((part) => part !== undefined).length > 1)
    throw usageError("Lines, bytes and a pattern cannot be asked for together.", "Choose one of them.");
  for (const [from, to] of [lines, bytes].filter((range) => range !== undefined)) {
    if (Number.isInteger(from) && Number.isInteger(to) && from <= to) continue;
    throw usageError(
      `${from}-${to} is not a range.`,
      "Give two whole numbers, the smaller one first, as in 10-20.",
    );
  }
  checkCounts({ context, maxMatches, maxBytes });
}

/** A pattern to look for in all blobs of a session. */
export interface SessionSearch extends MatchLimits {
  readonly pattern: string | RegExp;
}

/** A match, and the blob that it is in. */
export interface SessionMatch extends Match {
  readonly handle: string;
  /** The latest reason for which the session stored the blob. */
  readonly origin: OriginEntry;
}

/** The matches in all blobs of a session. */
export interface SessionRecall {
  readonly matches: readonly SessionMatch[];
  /** How many blobs were searched before the search was over. */
  readonly searched: number;
  /** Blobs of the session that are missing or damaged. */
  readonly unreadable: readonly string[];
  readonly truncated: boolean;
}

/** A pattern over everything that one session took out of the window, newest first. A blob that cannot be read is reported and does not end the search. */
export function recallSession(vault: Vault, session: string, search: SessionSearch): SessionRecall {
  const { context = 0, maxMatches = DEFAULT_MATCHES } = search;
  checkCounts({ context, maxMatches });
  const pattern = compilePattern(search.pattern);
  const matches: SessionMatch[] = [];
  const unreadable: string[] = [];
  let searched = 0;
  for (const { handle, sha256, origin } of newestFirst(vault, session)) {
    const content = readIfIntact(vault, sha256);
    if (!content) {
      unreadable.push(handle);
      continue;
    }
    searched += 1;
    const found = matchesIn(decodeText(content), pattern, {
      context,
      maxMatches: maxMatches - matches.length,
    });
    for (const match of found.matches) matches.push({ handle, origin, ...match });
    if (found.more) return { matches, searched, unreadable, truncated: true };
  }
  return { matches, searched, unreadable, truncated: false };
}

function newestFirst(vault: Vault, session: string) {
  const blobs = vault.list({ session }).flatMap(({ handle, sha256, origins }) => {
    const origin = origins.findLast((entry) => entry.session === session);
    return origin ? [{ handle, sha256, origin }] : [];
  });
  return blobs.sort((a, b) => b.origin.at - a.origin.at);
}

function readIfIntact(vault: Vault, sha256: string) {
  try {
    return vault.read(sha256);
  } catch (error) {
    const lost = error instanceof ThroughlineError && ["vault-corrupt", "not-found"].includes(error.code);
    if (lost) return undefined;
    throw error;
  }
}
