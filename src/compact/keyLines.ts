// The lines worth keeping: those that name what is likely to be needed next, each with where it stands.
import { defined, firstCharacters, isObject, type JsonObject, stringsIn, sumOf } from "../lib/index.ts";
import { blocksOf, type History, isText, isThinking, isToolUse, textOf } from "../messages/index.ts";

/** Names of at least 14 characters: too long to be guessed again. */
const longIdentifier = /[A-Za-z_][\w-]{12,}\w/g;

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

/**
 * Chooses lines that together name as much as possible of what was in use, the more the later and the more often it
 * was, for at most `budget` tokens. Grouped by source in the order of their last appearance.
 */
export function chooseKeyLines(history: History, budget: number): KeyLine[] {
  const worthOf = new Map<string, number>();
  const counted = new Set<string>();
  const candidates = new Map<string, LineCandidate>();
  for (const line of seenLines(history)) {
    const names = [...new Set(line.text.match(longIdentifier) ?? [])];
    if (names.length === 0) continue;
    const age = (history.length - line.at) / Math.max(1, history.length);
    for (const name of names) {
      const occurrence = `${line.at}\0${line.seen}\0${name}`;
      if (counted.has(occurrence)) continue;
      counted.add(occurrence);
      worthOf.set(
        name,
        (worthOf.get(name) ?? 0) + seenWeights[line.seen] * (LASTING + Math.exp(-age / FADING)),
      );
    }
    // The latest sight of a line knows best where it stands; a line of a file beats the same words said about it.
    const known = candidates.get(line.text);
    if (!known || isPlace(line) || !isPlace(known.line)) {
      candidates.set(line.text, { line, names, cost: lineCost(line.text), worth: 0 });
    }
  }
  const chosen = cover([...candidates.values()], worthOf, budget);
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
function cover(candidates: LineCandidate[], worthOf: ReadonlyMap<string, number>, budget: number) {
  const named = new Set<string>();
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
