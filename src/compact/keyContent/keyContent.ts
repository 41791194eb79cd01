// What is worth keeping of a history: the lines and names that are likely to be needed next. Read once, message by message.
import { commonStart, defined } from "../../lib/index.ts";
import type { History, HistoryItem } from "../../messages/index.ts";
import { type PackedKeyContent, packKeyContent, unpackKeyContent } from "./keyContentState.ts";
import { type KeyLine, type KnownCalls, LONGEST_KEY_LINE, type SeenLine, seenLines } from "./keyLines.ts";
import {
  CHARACTERS_PER_TOKEN,
  countUse,
  firstUse,
  isNamed,
  LEAST_NAME,
  type Named,
  type NameUse,
  NOTHING,
  nameCost,
  nameLikeWords,
  nothingNamed,
  weighNames,
} from "./keyNames.ts";
import { best, Ranked } from "./ranked.ts";

const LINE_FRAME = 4;

function lineCost(text: string) {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN) + LINE_FRAME;
}

interface LineCandidate {
  readonly line: SeenLine;
  readonly names: readonly NameUse[];
  readonly cost: number;
  /** Worth per token of the names that are not shown yet. */
  worth: number;
}

/** After so many messages what is worth least is dropped, if there is more than a choice ever needs. */
const CANDIDATES_PRUNED_EVERY = 512;
const MOST_CANDIDATES = 12_000;
const CANDIDATES_LEFT = 8_000;

/** What is worth keeping of a history: lines, and further names without theirs. */
interface KeyContent {
  readonly lines: readonly KeyLine[];
  /** By the source in which they were last seen. */
  readonly names: ReadonlyMap<string, readonly string[]>;
}

/** Lines and names of the messages that were read so far: the same for the same messages, however they were read. */
class KeyContentReader {
  items: History = [];
  readonly #names: Map<string, NameUse> = new Map();
  #lines = new Map<string, LineCandidate>();
  readonly #calls: KnownCalls = new Map();
  /** Texts and choices so far. */
  #choices = 0;

  /** Goes on from what an earlier process has read of these messages. */
  constructor(packed?: PackedKeyContent, items: History = []) {
    if (!packed) return;
    const { names, lines, calls } = unpackKeyContent(packed);
    [this.#names, this.#calls, this.items] = [names, calls, items];
    for (const [text, { line, names: held }] of lines)
      this.#lines.set(text, { line, names: held, cost: lineCost(text), worth: 0 });
  }

  packed(): PackedKeyContent {
    return packKeyContent({ names: this.#names, lines: this.#lines, calls: this.#calls });
  }

  read(history: History) {
    for (let at = this.items.length; at < history.length; at++) {
      this.#readMessage(history[at] as HistoryItem, at);
      if ((at + 1) % CANDIDATES_PRUNED_EVERY === 0) this.#prune(at + 1);
    }
    this.items = history;
  }

  #readMessage(item: HistoryItem, at: number) {
    for (const line of seenLines(item, at, this.#calls)) {
      const found = nameLikeWords(line.text);
      if (found.size === 0) continue;
      const names: NameUse[] = [];
      for (const name of found) {
        const use = this.#useOf(name, line);
        names.push(use);
        if (countUse(use, line) && isPlace(line)) use.source = line.source;
      }
      // The latest sight of a line knows best where it stands; a line of a file beats the same words said about it.
      const known = this.#lines.get(line.text);
      if (!known || isPlace(line) || !isPlace(known.line))
        this.#lines.set(line.text, { line, names, cost: lineCost(line.text), worth: 0 });
    }
  }

  #useOf(name: string, { source }: SeenLine) {
    let use = this.#names.get(name);
    if (!use) {
      use = firstUse(name, source);
      this.#names.set(name, use);
    }
    return use;
  }

  #prune(length: number) {
    if (Math.max(this.#lines.size, this.#names.size) <= MOST_CANDIDATES) return;
    weighNames(this.#names.values(), length);
    const lines = weighedLines(this.#lines.values(), nothingNamed);
    const left = best(lines, CANDIDATES_LEFT, byText);
    this.#lines = new Map(left.map((candidate) => [candidate.line.text, candidate]));
    const prune = ++this.#choices;
    for (const use of best([...this.#names.values()], CANDIDATES_LEFT, byName)) use.chosenIn = prune;
    for (const { names } of left) for (const use of names) use.chosenIn = prune;
    for (const use of this.#names.values()) if (use.chosenIn !== prune) this.#names.delete(use.name);
  }

  /** Chooses among what was read so far, in several sizes, until more is read. */
  chooser(): KeyContentChooser {
    weighNames(this.#names.values(), this.items.length);
    let prepared: ChoiceOf | undefined;
    return (budget, shown, namesShare = NAMES_SHARE) => {
      if (prepared?.shown !== shown) prepared = this.#prepare(shown);
      const named = { shown: prepared.number, choice: ++this.#choices };
      const chosen = cover(prepared, budget * (1 - namesShare), named);
      return { lines: bySource(chosen), names: chooseNames(prepared, named, budget * namesShare) };
    };
  }

  #prepare(shown: string): ChoiceOf {
    const number = ++this.#choices;
    for (const name of nameLikeWords(shown)) {
      const use = this.#names.get(name);
      if (use) use.shownIn = number;
    }
    const named = { shown: number, choice: NOTHING };
    const lines = weighedLines(this.#lines.values(), named).filter(({ worth }) => worth > 0);
    const [paths, names]: [NameUse[], NameUse[]] = [[], []];
    for (const use of this.#names.values()) if (!isNamed(use, named)) (use.isPath ? paths : names).push(use);
    return {
      shown,
      number,
      lines: new Ranked(lines, byText),
      costs: costsOf(lines),
      paths: new Ranked(paths, byName),
      names: new Ranked(names, byName),
    };
  }
}

/** What is there to choose from beside what is shown. */
interface ChoiceOf {
  readonly shown: string;
  readonly number: number;
  readonly lines: Ranked<LineCandidate>;
  /** How many of the lines have each cost. */
  readonly costs: Uint32Array;
  readonly paths: Ranked<NameUse>;
  readonly names: Ranked<NameUse>;
}

const byName = (a: NameUse, b: NameUse) => compareText(a.name, b.name);
const byText = (a: LineCandidate, b: LineCandidate) => compareText(b.line.text, a.line.text);

type KeyContentChooser = (budget: number, shown: string, namesShare?: number) => KeyContent;

/** Lines alone, for at most `budget` tokens. */
export function chooseKeyLines(history: History, budget: number): readonly KeyLine[] {
  const reader = new KeyContentReader();
  reader.read(history);
  return reader.chooser()(budget, "", 0).lines;
}

/** Share of the tokens that goes to names alone: a name tells where to look, for a fifth of what its line costs. */
const NAMES_SHARE = 0.7;

/** By the first message: what was read of a conversation that has grown since. */
const readersByItem = new WeakMap<HistoryItem, KeyContentReader>();

/**
 * Chooses lines that together name as much as possible of what was in use, the more the later and the more often it
 * was, and that `shown` does not name, for at most `budget` tokens; then names for which no line is left. Grouped by
 * source in the order of their last appearance. A conversation that grew since the last time is read from there.
 */
export function keyContentOf(history: History): KeyContentChooser {
  return followKeyContent(history).chooser();
}

/** Goes on with what an earlier process read of these messages. */
export function restoreKeyContent(history: History, packed: PackedKeyContent): void {
  const [first] = history;
  if (first) readersByItem.set(first, new KeyContentReader(packed, history));
}

/** Reads what was added since the last time. */
export function followKeyContent(history: History): Pick<KeyContentReader, "chooser" | "packed"> {
  const [first] = history;
  let reader = first && readersByItem.get(first);
  if (!reader || commonStart(reader.items, history) < reader.items.length) reader = new KeyContentReader();
  if (first) readersByItem.set(first, reader);
  reader.read(history);
  return reader;
}

/** Share of the names that goes to paths: they cost much, and few of them are needed. */
const PATHS_SHARE = 0.1;

/** Paths and other names, each for their share: those in use most, and latest. */
function chooseNames({ paths, names: others }: ChoiceOf, named: Named, budget: number) {
  const chosen = new Map<string, string[]>();
  const choose = (room: number, ranked: Ranked<NameUse>) => {
    let left = room;
    if (left < LEAST_NAME) return;
    const mayFit = (use: NameUse) => use.cost <= left && !isNamed(use, named);
    for (const use of ranked.where(mayFit)) {
      if (!mayFit(use)) continue;
      const { name, source } = use;
      const names = chosen.get(source);
      const cost = use.cost + (names ? 0 : nameCost(source));
      if (cost > left) continue;
      left -= cost;
      if (names) names.push(name);
      else chosen.set(source, [name]);
      if (left < LEAST_NAME) break;
    }
  };
  choose(budget * PATHS_SHARE, paths);
  choose(budget * (1 - PATHS_SHARE), others);
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

function worthNow({ names, cost }: LineCandidate, named: Named) {
  let sum = 0;
  // A path alone is worth no line: it is listed by itself.
  for (const use of names) if (!use.isPath && !isNamed(use, named)) sum += use.worth;
  return sum / cost;
}

function weighedLines(lines: Iterable<LineCandidate>, named: Named): LineCandidate[] {
  const weighed = [...lines];
  for (const line of weighed) line.worth = worthNow(line, named);
  return weighed;
}

/** A line whose worth has fallen since it was ranked. */
interface WaitingLine {
  readonly candidate: LineCandidate;
  readonly worth: number;
}

function costsOf(lines: readonly LineCandidate[]) {
  const costs = new Uint32Array(lineCost("".padEnd(LONGEST_KEY_LINE)) + 1);
  for (const { cost } of lines) costs[cost] = (costs[cost] ?? 0) + 1;
  return costs;
}

/**
 * Greedy cover: always the line with the most new worth per token. A line's worth only falls, so stale ones wait. It ends
 * as soon as no line that is undecided is short enough.
 */
function cover({ lines: ranked, costs }: ChoiceOf, budget: number, named: Named) {
  const chosen: SeenLine[] = [];
  /** The best last. */
  const waiting: WaitingLine[] = [];
  const undecided = costs.slice();
  let [left, at, least] = [budget, 0, 0];
  for (;;) {
    while (undecided[least] === 0) least++;
    if (left < least || least === undecided.length) break;
    const fresh = ranked.at(at);
    const stale = waiting.at(-1);
    const isFresh = fresh !== undefined && fresh.worth >= (stale?.worth ?? 0);
    const next = isFresh ? fresh : stale?.candidate;
    if (!next) break;
    if (isFresh) at++;
    else waiting.pop();
    const worth = worthNow(next, named);
    if (worth > 0 && worth < Math.max(ranked.at(at)?.worth ?? 0, waiting.at(-1)?.worth ?? 0)) {
      waiting.splice(placeFor(waiting, worth), 0, { candidate: next, worth });
      continue;
    }
    undecided[next.cost] = (undecided[next.cost] ?? 1) - 1;
    if (worth === 0 || next.cost > left) continue;
    left -= next.cost;
    chosen.push(next.line);
    for (const use of next.names) use.chosenIn = named.choice;
  }
  return chosen;
}

function placeFor(queue: readonly WaitingLine[], worth: number) {
  let [low, high] = [0, queue.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((queue[middle]?.worth ?? 0) < worth) low = middle + 1;
    else high = middle;
  }
  return low;
}
