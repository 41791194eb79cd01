// Exact recent code of the files in work: the lines around the latest edits and what was read last, whole and in order.
import { type KnownLine, type KnownPart, knownLines } from "../activity/index.ts";
import { stringsIn } from "../lib/index.ts";
import { blocksOf, type History, isText, isToolUse, type Message, textOf } from "../messages/index.ts";
import { estimateText, type TokenizerFamily } from "../tokens/index.ts";

export interface CodeInput {
  readonly history: History;
  /** What stays in view: its lines are not shown twice. */
  readonly kept: History;
  /** Tokens of all files, and of each. */
  readonly all: number;
  readonly each: number;
  readonly count: number;
  readonly family: TokenizerFamily;
  /** The file as it is now, undefined when it is gone. Without it the history's last sight of a file is shown. */
  readonly readFile?: (path: string) => string | undefined;
}

/** Lines around an edit that the next edit near it is likely to touch. */
const CONTEXT_LINES = 6;
/** Of a part that was only read, no more than this is worth showing before older edits are. */
const LONGEST_READ_PART = 60;

/** A run of lines that was touched at one time. */
interface Touched {
  readonly path: string;
  readonly part: KnownPart;
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

function touchedIn(path: string, part: KnownPart) {
  const runs: Touched[] = [];
  for (let from = 0; from < part.length; ) {
    const { at, isEdited } = part[from] as KnownLine;
    let to = from + 1;
    while (to < part.length && part[to]?.at === at && part[to]?.isEdited === isEdited) to++;
    const touched: Touched | undefined =
      at === UNSEEN_LINE
        ? undefined
        : isEdited
          ? {
              path,
              part,
              from: Math.max(0, from - CONTEXT_LINES),
              to: Math.min(part.length, to + CONTEXT_LINES),
              at,
            }
          : { path, part, from, to: Math.min(to, from + LONGEST_READ_PART), at };
    if (touched) runs.push(touched);
    from = to;
  }
  return runs;
}

/** A line of a file on the disk that the conversation never showed. */
const UNSEEN_LINE = -1;
const MOST_LINE_PLACES = 1_000;

/** Where the longest run of these lines stands in the file; nowhere, if as long a run stands there twice. */
function longestRunAt(lines: KnownPart, from: number, now: readonly KnownLine[], places: readonly number[]) {
  let [place, length, isSingle] = [0, 0, false];
  // A line that stands everywhere tells no place.
  for (const start of places.length > MOST_LINE_PLACES ? [] : places) {
    let same = 0;
    while (from + same < lines.length && lines[from + same]?.text === now[start + same]?.text) same++;
    isSingle = same > length || (isSingle && same < length);
    if (same > length) [place, length] = [start, same];
  }
  return { place, length, isSingle };
}

/** The file as it is now, each line with when the conversation touched it; what it knew and is gone is left out. */
function currentPart(parts: readonly KnownPart[], content: string): KnownPart {
  const now: KnownLine[] = content
    .split("\n")
    .map((text, index) => ({ text, number: index + 1, at: UNSEEN_LINE, isEdited: false }));
  const places = new Map<string, number[]>();
  for (const [index, { text }] of now.entries()) {
    const known = places.get(text);
    if (known) known.push(index);
    else places.set(text, [index]);
  }
  for (const part of parts)
    for (let from = 0; from < part.length; ) {
      const { place, length, isSingle } = longestRunAt(
        part,
        from,
        now,
        places.get(part[from]?.text ?? "") ?? [],
      );
      for (let index = 0; isSingle && index < length; index++) {
        const { at, isEdited } = part[from + index] as KnownLine;
        now[place + index] = { ...(now[place + index] as KnownLine), at, isEdited };
      }
      from += Math.max(1, length);
    }
  return now;
}

/** Files that are read from the disk: of those that were touched earlier nothing would be shown. */
const MOST_READ = 20;

/** What is known of each file, brought up to the disk where it can be read; files that are gone are left out. */
function filesOf({ history, readFile }: CodeInput): ReadonlyMap<string, readonly KnownPart[]> {
  const known = knownLines(history);
  if (!readFile) return known;
  const current = [...known].slice(-MOST_READ).flatMap(([path, parts]) => {
    const content = readFile(path);
    return content === undefined ? [] : [[path, [currentPart(parts, content)]] as const];
  });
  return new Map(current);
}

/** Everything that messages show: words, calls and results. */
export function shownText(messages: readonly Message[]) {
  const texts = messages.flatMap((message) =>
    blocksOf(message).flatMap((block) => {
      if (isText(block)) return [block.text];
      if (isToolUse(block)) return stringsIn(block.input);
      return block.type === "tool_result" ? [textOf(block.content)] : [];
    }),
  );
  return texts.join("\n");
}

/** Lines without indentation and without the numbers that readers put before them. */
function linesInView(kept: History) {
  const lines = shownText(kept.map(({ message }) => message)).split("\n");
  return new Set(lines.map((line) => line.replace(/^\s*\d+(?:→|\t)/, "").trim()));
}

/** One text a file, the last touched first. */
export function recentCode(input: CodeInput) {
  const { kept, all, each, count, family } = input;
  const inView = linesInView(kept);
  const chosen = new Map<string, Set<KnownLine>>();
  const spent = new Map<string, number>();
  const files = filesOf(input);
  const runs = [...files].flatMap(([path, parts]) => parts.flatMap((part) => touchedIn(path, part)));
  let left = all;
  for (const { path, part, from, to } of runs.sort((a, b) => b.at - a.at)) {
    const lines = chosen.get(path) ?? new Set();
    if (lines.size === 0 && chosen.size >= count) continue;
    let used = spent.get(path) ?? estimateText(`<attachment: ${path}>`, family) + FRAME;
    if (lines.size === 0) left -= used;
    for (const line of part.slice(from, to)) {
      if (lines.has(line) || isSeen(line, inView)) continue;
      const cost = estimateText(numberedLine(line), family) + 1;
      if (cost > left || used + cost > each) break;
      left -= cost;
      used += cost;
      lines.add(line);
    }
    if (lines.size === 0) {
      left += used;
      continue;
    }
    chosen.set(path, lines);
    spent.set(path, used);
  }
  return [...chosen].map(
    ([path, lines]) => `<attachment: ${path}>\n${textOfLines(files.get(path) ?? [], lines)}`,
  );
}

/** Tokens of what stands around the lines of a file. */
const FRAME = 8;
const GAP = "…";

const isSeen = ({ text }: KnownLine, inView: ReadonlySet<string>) =>
  text.trim() !== "" && inView.has(text.trim());
const numberedLine = ({ number, text }: KnownLine) => (number === undefined ? text : `${number}→${text}`);

function textOfLines(parts: readonly KnownPart[], chosen: ReadonlySet<KnownLine>) {
  const out: string[] = [];
  for (const part of parts) {
    let isGap = out.length > 0;
    for (const line of part) {
      if (!chosen.has(line)) {
        isGap = out.length > 0;
        continue;
      }
      if (isGap) out.push(GAP);
      isGap = false;
      out.push(numberedLine(line));
    }
  }
  return out.join("\n");
}
