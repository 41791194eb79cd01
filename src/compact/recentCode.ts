// Exact recent code of the files in work: the lines around the latest edits and what was read last, whole and in order.
import { type KnownFile, type KnownLine, type KnownPart, knownLines } from "../activity/index.ts";
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
  /** All that is known of the file, and the part of it that the run is of. */
  readonly parts: readonly KnownPart[];
  readonly part: KnownPart;
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

function touchedIn(path: string, parts: readonly KnownPart[], part: KnownPart) {
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
              parts,
              part,
              from: Math.max(0, from - CONTEXT_LINES),
              to: Math.min(part.length, to + CONTEXT_LINES),
              at,
            }
          : { path, parts, part, from, to: Math.min(to, from + LONGEST_READ_PART), at };
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

type CodeFile = KnownFile<readonly KnownPart[]>;

/** What is known of each file, brought up to the disk where it can be read; files that are gone are left out. */
function filesOf({ history, readFile }: CodeInput): readonly CodeFile[] {
  const known = knownLines(history);
  if (!readFile) return known;
  return known.slice(-MOST_READ).flatMap((file) => {
    const content = readFile(file.path);
    const parts = content === undefined ? undefined : file.known();
    if (content === undefined || !parts) return [];
    return [{ ...file, known: () => [currentPart(parts, content)] }];
  });
}

/** The runs of all files, the last touched first. A file is not looked at before one of its runs can be the next. */
function* runsIn(files: readonly CodeFile[], isMoreWanted: () => boolean) {
  let waiting: (Touched & { readonly order: number })[] = [];
  for (let order = files.length - 1; order >= 0; order--) {
    const { path, at, known } = files[order] as CodeFile;
    while ((waiting.at(-1)?.at ?? at) > at) yield waiting.pop() as Touched;
    if (!isMoreWanted()) continue;
    const parts = known() ?? [];
    const runs = parts.flatMap((part) => touchedIn(path, parts, part));
    waiting.push(...runs.map((run) => ({ ...run, order })).reverse());
    waiting = waiting.sort((a, b) => a.at - b.at || b.order - a.order);
  }
  yield* waiting.reverse();
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
  const chosen = new Map<string, ChosenCode>();
  let left = all;
  const isMoreWanted = () => chosen.size < count && left > FRAME;
  for (const { path, parts, part, from, to } of runsIn(filesOf(input), isMoreWanted)) {
    const known = chosen.get(path);
    if (!known && chosen.size >= count) continue;
    const lines = known?.lines ?? new Set();
    let used = known?.used ?? estimateText(`<attachment: ${path}>`, family) + FRAME;
    if (!known) left -= used;
    for (const line of part.slice(from, to)) {
      if (lines.has(line) || isSeen(line, inView)) continue;
      const cost = estimateText(numberedLine(line), family) + 1;
      if (cost > left || used + cost > each) break;
      left -= cost;
      used += cost;
      lines.add(line);
    }
    if (lines.size > 0) chosen.set(path, { lines, parts, used });
    else left += used;
  }
  return [...chosen].map(([path, { parts, lines }]) => `<attachment: ${path}>\n${textOfLines(parts, lines)}`);
}

/** What is shown of a file, and the tokens that it takes. */
interface ChosenCode {
  readonly lines: Set<KnownLine>;
  readonly parts: readonly KnownPart[];
  readonly used: number;
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
