// The block that refers to a snapshot in a project's CLAUDE.md: found, read, put in and taken out, to the byte.
// Texts are handled as one character a byte (latin1), so that whatever else stands in the file comes back as it was.

import type { Language } from "../home/index.ts";
import { HOUR } from "../lib/index.ts";
import { localStamp, readLocalStamp } from "./folder.ts";
import { blockWords } from "./words.ts";

const BLOCK_START = "<!-- TEMP_COMPACT_SNAPSHOT_START -->";
const BLOCK_END = "<!-- TEMP_COMPACT_SNAPSHOT_END -->";
const UTC = "<!-- TEMP_COMPACT_SNAPSHOT_UTC";
const BOM = "\xef\xbb\xbf";

/** What a block says. */
export interface Reference {
  /** Name of the snapshot's file; undefined when the block names none that could be one. */
  readonly name: string | undefined;
  /** Milliseconds since the epoch; undefined when the time cannot be read. */
  readonly at: number | undefined;
  /** The file was made for the block, and goes with it. */
  readonly created: boolean;
}

export interface NewReference {
  readonly name: string;
  readonly at: number;
  readonly hours: number;
  readonly language: Language;
}

export type PlaceProblem = "half-block" | "frontmatter-only" | "not-utf8";

interface TextSpan {
  readonly start: number;
  readonly end: number;
}

interface FoundBlocks {
  readonly blocks: readonly TextSpan[];
  /** A marker without its partner. */
  readonly half: boolean;
}

const bomOf = (text: string) => (text.startsWith(BOM) ? BOM.length : 0);

function* spanLines(text: string, from: number): Generator<TextSpan & { readonly line: string }> {
  for (let start = from; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    yield { start, end, line: text.slice(start, end).replace(/\r$/, "") };
    start = end + 1;
  }
}

/** The fence that is open after a line: a fence ends with at least as many of the same characters, and nothing else. */
function fenceAfter(open: string, line: string) {
  const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
  if (!mark) return open;
  const [, fence = "", rest = ""] = mark;
  if (open === "") return fence;
  return fence.startsWith(open) && rest.trim() === "" ? "" : open;
}

/**
 * Where the block goes: behind BOM and frontmatter. Undefined when frontmatter is all there is, without a line end.
 * A block between two rules at the top, as other scripts write it, is no frontmatter.
 */
function blockOffset(text: string) {
  const lines = spanLines(text, bomOf(text));
  const first = lines.next().value;
  if (first?.line.trimEnd() !== "---") return bomOf(text);
  for (const { end, line } of lines) {
    if (line.trimEnd() === BLOCK_START) break;
    if (line.trimEnd() !== "---") continue;
    return end < text.length ? end + 1 : undefined;
  }
  return bomOf(text);
}

/** Blocks whose markers stand alone on their lines and outside of code. */
function findBlocks(text: string): FoundBlocks {
  if (!text.includes(BLOCK_START) && !text.includes(BLOCK_END)) return { blocks: [], half: false };
  const blocks: TextSpan[] = [];
  let [open, half, fence] = [-1, false, ""];
  // What looks like a fence in frontmatter is none.
  for (const { start, line } of spanLines(text, blockOffset(text) ?? text.length)) {
    const wasCode = fence !== "";
    fence = fenceAfter(fence, line);
    const marker = line.trimEnd();
    if (wasCode || (marker !== BLOCK_START && marker !== BLOCK_END)) continue;
    if (marker === BLOCK_START) {
      half ||= open !== -1;
      open = start;
    } else if (open === -1) half = true;
    else {
      blocks.push({ start: open, end: start + line.length });
      open = -1;
    }
  }
  return { blocks, half: half || open !== -1 };
}

const lineEndOf = (text: string) => (/\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n");

const RULED = /<!-- TEMP_COMPACT_SNAPSHOT_UTC [^\n]* rules -->/;

/**
 * A block with the rule above and the rule below it. Other scripts put them too, without the empty line above; blocks of ours
 * that do not say so have none, and rules beside them are the user's.
 */
function withItsRules(text: string, block: TextSpan) {
  const { start, end } = block;
  const inside = text.slice(start, end);
  const isRuled = RULED.test(inside);
  if (!isRuled && inside.includes(UTC)) return block;
  const ruleAbove = isRuled ? /(?:^|\r?\n)---[ \t]*\r?\n$/ : /(?<=^|\n)---[ \t]*\r?\n$/;
  const above = ruleAbove.exec(text.slice(blockOffset(text) ?? 0, start))?.[0];
  const below = /[ \t]*\r?\n---[ \t]*(?=\r?\n|$)/y;
  below.lastIndex = end;
  if (above === undefined || !below.test(text)) return block;
  return { start: start - above.length, end: below.lastIndex };
}

/** Takes out every block with the line ends that were put behind it. */
function withoutBlocks(text: string, blocks: readonly TextSpan[]) {
  let result = "";
  let at = 0;
  for (const { start, end } of blocks.map((block) => withItsRules(text, block))) {
    result += text.slice(at, start);
    at = end + (/^[ \t]*(?:\r?\n){0,2}/.exec(text.slice(end, end + 64))?.[0].length ?? 0);
  }
  return result + text.slice(at);
}

function readBlock(bytes: string): Reference {
  const text = Buffer.from(bytes, "latin1").toString("utf8");
  const utc = /<!-- TEMP_COMPACT_SNAPSHOT_UTC (\S+?)( created)?(?: rules)? -->/.exec(text);
  const written = utc ? Date.parse(utc[1] ?? "") : Number.NaN;
  const local = utc ? undefined : readLocalStamp(/⏰[^\n]*/u.exec(text)?.[0] ?? text);
  return {
    name: /(?:^|[\s/\\])(compact-snapshot-\d{14}\.md)\b/.exec(text)?.[1],
    at: Number.isNaN(written) ? local : written,
    created: utc?.[2] !== undefined,
  };
}

interface ReadPage {
  /** What the block says; the last one where there are several. */
  readonly reference: Reference | undefined;
  readonly half: boolean;
}

/** `text` has one character a byte. */
export function readReference(text: string): ReadPage {
  const { blocks, half } = findBlocks(text);
  const last = blocks.at(-1);
  return { reference: last && readBlock(text.slice(last.start, last.end)), half };
}

function renderBlock(reference: NewReference, created: boolean, lineEnd: string) {
  const words = blockWords[reference.language];
  const stamp = localStamp(reference.at);
  const lines = [
    // A rule in the first line of a file may be taken for the beginning of frontmatter, and the block with it.
    "",
    "---",
    BLOCK_START,
    `# 🔄 ${words.title} [${stamp}]`,
    "",
    `**📎 ${words.file}**: .claude/${reference.name}`,
    `**⏰ ${words.time}**: ${stamp}`,
    `**⏱️ ${words.validity}**: ${words.hours(reference.hours)}`,
    // A model may read the block when no hook of ours runs any more: it can tell by itself that it is void.
    `**⌛ ${words.until}**: ${localStamp(reference.at + reference.hours * HOUR)}`,
    "",
    `⚠️ **${words.notes}**:`,
    ...words.threeNotes(reference.hours).map((note) => `- ${note}`),
    "",
    `${UTC} ${new Date(reference.at).toISOString()}${created ? " created" : ""} rules -->`,
    BLOCK_END,
    "---",
  ];
  return Buffer.from(lines.join("\n"), "utf8").toString("latin1").replaceAll("\n", lineEnd);
}

/** The text with this block and no other. `text` is undefined where there is no file yet. */
export function withReference(
  text: string | undefined,
  reference: NewReference,
): { readonly text: string } | { readonly refused: PlaceProblem } {
  const before = text ?? "";
  // UTF-16 has a zero in every ASCII character; a marker in it would not be seen, and ours would be noise.
  if (before.includes("\0")) return { refused: "not-utf8" };
  const { blocks, half } = findBlocks(before);
  if (half) return { refused: "half-block" };
  const created = text === undefined || readReference(before).reference?.created === true;
  const rest = withoutBlocks(before, blocks);
  const place = blockOffset(rest);
  if (place === undefined) return { refused: "frontmatter-only" };
  const lineEnd = lineEndOf(rest);
  const block = renderBlock(reference, created, lineEnd);
  return { text: rest.slice(0, place) + block + lineEnd + lineEnd + rest.slice(place) };
}

/** The text without blocks; undefined when the file was made for the block and holds nothing else. */
export function withoutReference(text: string) {
  const { blocks } = findBlocks(text);
  const rest = withoutBlocks(text, blocks);
  return rest === "" && readReference(text).reference?.created === true ? undefined : rest;
}
