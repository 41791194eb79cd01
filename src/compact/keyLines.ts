// The lines worth keeping: those that name what is likely to be needed next, each with where it stands.
import { defined, firstCharacters, isObject, type JsonObject, stringsIn, sumOf } from "../lib/index.ts";
import { blocksOf, type History, isText, isThinking, isToolUse, textOf } from "../messages/index.ts";

/** Words of at least eight signs, ids among them. */
const nameLike = /[A-Za-z0-9_$][\w$-]{6,}[\w$]/g;
const LONG_NAME = 14;
const plainWord = /^[A-Za-z]?[a-z]+$/;
/** A long name cannot be guessed again, a shorter one sometimes, a plain word mostly. */
const nameWeights = { long: 1, short: 0.25, word: 0.08 } as const;

function weightOf(name: string) {
  if (plainWord.test(name)) return nameWeights.word;
  return name.length >= LONG_NAME ? nameWeights.long : nameWeights.short;
}

function namesIn(text: string): Set<string> {
  return new Set(text.match(nameLike) ?? []);
}

/** One line and its place. */
interface KeyLine {
  /** A file, or what else the line was seen in. */
  readonly source: string;
  readonly text: string;
  /** Its number in the file, where the result gave one. */
  readonly number?: number;
}

/** How a line came to be seen, and how much that says about its being needed again. */
const seenWeights = {
  edited: 3,
  replaced: 1,
  written: 2,
  asked: 4,
  said: 2,
  thought: 1,
  called: 2,
  read: 0.7,
  returned: 0.8,
} as const;

type LineOccurrence = keyof typeof seenWeights;

interface SeenLine extends KeyLine {
  readonly at: number;
  readonly seen: LineOccurrence;
}

const SHORTEST_KEY_LINE = 14;
const LONGEST_KEY_LINE = 220;
/** Share of a history's length over which an occurrence loses most of its say, and what it never loses. */
const FADING = 0.25;
const LASTING = 0.1;
const LINE_CHARACTERS_PER_TOKEN = 2.9;
const LINE_FRAME = 4;

function lineCost(text: string) {
  return Math.ceil(text.length / LINE_CHARACTERS_PER_TOKEN) + LINE_FRAME;
}

const nameCost = (name: string) => Math.ceil(name.length / LINE_CHARACTERS_PER_TOKEN) + 1;

function* seenLines(history: History): Generator<SeenLine> {
  const calls = new Map<string, { readonly name: string; readonly source: string }>();
  for (const [at, { message }] of history.entries()) {
    for (const block of blocksOf(message)) {
      if (isToolUse(block)) {
        const input = isObject(block.input) ? block.input : {};
        const file = [input.file_path, input.notebook_path].find((value) => typeof value === "string");
        calls.set(block.id, { name: block.name, source: file ?? resultName(block.name, input) });
        yield* callLines(block.name, input, file, at);
      } else if (block.type === "tool_result") {
        const call = calls.get(String(block.tool_use_id));
        const seen = call?.name === "Read" ? "read" : "returned";
        yield* keyLinesIn(textOf(block.content), call?.source ?? "a tool's result", at, seen);
      } else if (isText(block)) {
        const isUser = message.role === "user";
        yield* keyLinesIn(
          block.text,
          isUser ? "what the user wrote" : "what the assistant said",
          at,
          isUser ? "asked" : "said",
        );
      } else if (isThinking(block) && typeof block.thinking === "string") {
        yield* keyLinesIn(block.thinking, "the assistant's thinking", at, "thought");
      }
    }
  }
}

const LONGEST_RESULT_NAME = 90;

/** A result by what was asked for: its lines would say little without it. */
function resultName(tool: string, input: JsonObject) {
  const asked = [input.command, input.pattern, input.query, input.url, input.description, input.path].find(
    (value) => typeof value === "string",
  );
  return asked === undefined
    ? `the result of ${tool}`
    : `the result of ${tool} ${firstCharacters(asked.replace(/\s+/g, " "), LONGEST_RESULT_NAME)}`;
}

function* callLines(
  name: string,
  input: JsonObject,
  file: string | undefined,
  at: number,
): Generator<SeenLine> {
  if (file !== undefined && typeof input.new_string === "string") {
    yield* keyLinesIn(input.new_string, file, at, "edited");
    if (typeof input.old_string === "string") yield* keyLinesIn(input.old_string, file, at, "replaced");
  } else if (file !== undefined && typeof input.content === "string") {
    yield* keyLinesIn(input.content, file, at, "written");
  } else
    for (const text of stringsIn(input)) yield* keyLinesIn(text, `what ${name} was asked for`, at, "called");
}

function* keyLinesIn(text: string, source: string, at: number, seen: LineOccurrence): Generator<SeenLine> {
  for (const raw of text.split("\n")) {
    const numbered = /^\s*(\d+)(?:→|\t)/.exec(raw);
    const line = (numbered ? raw.slice(numbered[0].length) : raw).trim();
    if (line.length >= SHORTEST_KEY_LINE && line.length <= LONGEST_KEY_LINE && !line.startsWith("<")) {
      yield {
        source,
        text: line,
        at,
        seen,
        ...defined({ number: numbered ? Number(numbered[1]) : undefined }),
      };
    }
  }
}

interface LineCandidate {
  readonly line: SeenLine;
  readonly names: readonly string[];
  readonly cost: number;
  worth: number;
}

/** What is worth keeping of a history: lines, and further names without theirs. */
interface KeyContent {
  readonly lines: readonly KeyLine[];
  /** By the source in which they were last seen. */
  readonly names: ReadonlyMap<string, readonly string[]>;
}

/** Lines alone, for at most `budget` tokens. */
export function chooseKeyLines(history: History, budget: number): readonly KeyLine[] {
  return keyContentOf(history)(budget, "", 0).lines;
}

/** Share of the tokens that goes to names alone: a name tells where to look, for a fifth of what its line costs. */
const NAMES_SHARE = 0.7;

/**
 * Chooses lines that together name as much as possible of what was in use, the more the later and the more often it
 * was, and that `shown` does not name, for at most `budget` tokens; then names for which no line is left. Grouped by
 * source in the order of their last appearance. The history is read once, for choices of several sizes.
 */
export function keyContentOf(
  history: History,
): (budget: number, shown: string, namesShare?: number) => KeyContent {
  const worthOf = new Map<string, number>();
  const sourceOf = new Map<string, string>();
  const counted = new Set<string>();
  const candidates = new Map<string, LineCandidate>();
  for (const line of seenLines(history)) {
    const names = [...namesIn(line.text)];
    if (names.length === 0) continue;
    const age = (history.length - line.at) / Math.max(1, history.length);
    for (const name of names) {
      const occurrence = `${line.at}\0${line.seen}\0${name}`;
      if (counted.has(occurrence)) continue;
      counted.add(occurrence);
      const worth = weightOf(name) * seenWeights[line.seen] * (LASTING + Math.exp(-age / FADING));
      worthOf.set(name, (worthOf.get(name) ?? 0) + worth);
      if (isPlace(line) || !sourceOf.has(name)) sourceOf.set(name, line.source);
    }
    // The latest sight of a line knows best where it stands; a line of a file beats the same words said about it.
    const known = candidates.get(line.text);
    if (!known || isPlace(line) || !isPlace(known.line)) {
      candidates.set(line.text, { line, names, cost: lineCost(line.text), worth: 0 });
    }
  }
  return (budget, shown, namesShare = NAMES_SHARE) => {
    const named = namesIn(shown);
    const lines = cover([...candidates.values()], worthOf, budget * (1 - namesShare), named);
    return { lines: bySource(lines), names: chooseNames(worthOf, sourceOf, budget * namesShare, named) };
  };
}

function chooseNames(
  worthOf: ReadonlyMap<string, number>,
  sourceOf: ReadonlyMap<string, string>,
  budget: number,
  named: ReadonlySet<string>,
): Map<string, string[]> {
  const chosen = new Map<string, string[]>();
  const ranked = [...worthOf]
    .filter(([name]) => !named.has(name))
    .sort(([a, one], [b, other]) => other - one || compareText(a, b));
  let left = budget;
  for (const [name] of ranked) {
    const source = sourceOf.get(name) ?? "";
    const names = chosen.get(source) ?? [];
    const cost = nameCost(name) + (names.length === 0 ? nameCost(source) : 0);
    if (cost > left) continue;
    left -= cost;
    chosen.set(source, [...names, name]);
  }
  return chosen;
}

function bySource(chosen: SeenLine[]): KeyLine[] {
  const last = new Map<string, number>();
  for (const { source, at } of chosen) last.set(source, Math.max(last.get(source) ?? 0, at));
  return chosen
    .sort(
      (a, b) =>
        (last.get(b.source) ?? 0) - (last.get(a.source) ?? 0) ||
        compareText(a.source, b.source) ||
        (a.number ?? 0) - (b.number ?? 0) ||
        a.at - b.at,
    )
    .map(({ source, text, number }) => defined({ source, text, number }));
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

function isPlace({ seen }: SeenLine) {
  return seen === "read" || seen === "edited" || seen === "written" || seen === "returned";
}

/** Greedy cover: always the line with the most new worth per token. A line's worth only falls, so stale ones wait. */
function cover(
  candidates: LineCandidate[],
  worthOf: ReadonlyMap<string, number>,
  budget: number,
  named: Set<string>,
) {
  const worthNow = ({ names, cost }: LineCandidate) =>
    sumOf(names, (name) => (named.has(name) ? 0 : (worthOf.get(name) ?? 0))) / cost;
  for (const candidate of candidates) candidate.worth = worthNow(candidate);
  const queue = candidates.sort((a, b) => a.worth - b.worth || compareText(a.line.text, b.line.text));
  const chosen: SeenLine[] = [];
  let left = budget;
  for (let next = queue.pop(); next && left > LINE_FRAME; next = queue.pop()) {
    const worth = worthNow(next);
    if (worth === 0) continue;
    if (worth < (queue.at(-1)?.worth ?? 0)) {
      next.worth = worth;
      queue.splice(placeFor(queue, worth), 0, next);
      continue;
    }
    if (next.cost > left) continue;
    left -= next.cost;
    chosen.push(next.line);
    for (const name of next.names) named.add(name);
  }
  return chosen;
}

function placeFor(queue: readonly LineCandidate[], worth: number) {
  let [low, high] = [0, queue.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((queue[middle]?.worth ?? 0) < worth) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The lines as text: a heading per source, each line with its number where it has one. */
export function renderKeyLines(lines: readonly KeyLine[], heading: (source: string) => string): string {
  const out: string[] = [];
  let source: string | undefined;
  for (const line of lines) {
    if (line.source !== source) out.push(heading(line.source));
    source = line.source;
    out.push(`  ${line.number === undefined ? "" : `${line.number}: `}${line.text}`);
  }
  return out.join("\n");
}

/** Names as text, a line for each place. */
export function renderNames(names: ReadonlyMap<string, readonly string[]>): string {
  return [...names].map(([source, found]) => `  ${source}: ${found.join(", ")}`).join("\n");
}
