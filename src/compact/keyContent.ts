// What is worth keeping of a history: the lines and names that are likely to be needed next. Read once, message by message.
import { commonStart, defined } from "../lib/index.ts";
import type { History, HistoryItem } from "../messages/index.ts";
import { type KeyLine, type KnownCalls, type SeenLine, seenLines, seenWeights } from "./keyLines.ts";
import { best, Ranked } from "./ranked.ts";

/** Words of at least eight signs, ids among them. */
const nameLike = /[A-Za-z0-9_$][\w$-]{6,}[\w$]/g;
/** Folders and a file with an extension, as calls name it; no address of the web. */
const pathLike = /(?<![\w:/.@~-])(?:[~.@\w-]*\/)+[\w@.-]*\w\.[A-Za-z]\w{0,9}(?![\w/])/g;
const LONG_NAME = 14;
const plainWord = /^[A-Za-z]?[a-z]+$/;
/** A path and a long name cannot be guessed again, a shorter one sometimes (with a digit seldom), a plain word mostly. */
const nameWeights = { long: 1, numbered: 0.5, short: 0.25, word: 0.08 } as const;

const isPath = (name: string) => name.includes("/");

function weightOf(name: string) {
  if (plainWord.test(name)) return nameWeights.word;
  if (name.length >= LONG_NAME || isPath(name)) return nameWeights.long;
  return /\d/.test(name) ? nameWeights.numbered : nameWeights.short;
}

function nameLikeWords(text: string): Set<string> {
  const names = new Set(text.match(nameLike) ?? []);
  if (text.includes("/")) for (const path of text.match(pathLike) ?? []) names.add(path);
  return names;
}

/** Share of a history's length over which an occurrence loses most of its say, and what it never loses. */
const FADING = 0.25;
const LASTING = 0.1;
const LINE_CHARACTERS_PER_TOKEN = 2.9;
const LINE_FRAME = 4;

function lineCost(text: string) {
  return Math.ceil(text.length / LINE_CHARACTERS_PER_TOKEN) + LINE_FRAME;
}

/** A name has at least eight signs. */
const LEAST_NAME = 4;
const nameCost = (name: string) => Math.ceil(name.length / LINE_CHARACTERS_PER_TOKEN) + 1;

/** Where a name was used: [position, weight] of each use, the oldest first. */
interface NameUse {
  readonly name: string;
  readonly isPath: boolean;
  readonly weight: number;
  source: string;
  readonly uses: [at: number, weight: number][];
  /** What it is worth where the last choice was made. */
  worth: number;
  /** The message that used it last, and the ways of being seen that were counted there. */
  countedAt: number;
  countedWays: number;
}

interface LineCandidate {
  readonly line: SeenLine;
  readonly names: readonly NameUse[];
  readonly cost: number;
  /** Worth per token of the names that are not shown yet. */
  worth: number;
}

/** Of more uses the two oldest become one between them. */
const MOST_USES = 24;
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
  #names = new Map<string, NameUse>();
  #lines = new Map<string, LineCandidate>();
  readonly #calls: KnownCalls = new Map();

  read(history: History): void {
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
        if (isCounted(use, at, line.seen)) continue;
        addUse(use.uses, at, use.weight * seenWeights[line.seen]);
        if (isPlace(line)) use.source = line.source;
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
      use = {
        name,
        isPath: isPath(name),
        weight: weightOf(name),
        source,
        uses: [],
        worth: 0,
        countedAt: -1,
        countedWays: 0,
      };
      this.#names.set(name, use);
    }
    return use;
  }

  #prune(length: number) {
    if (Math.max(this.#lines.size, this.#names.size) <= MOST_CANDIDATES) return;
    weighNames(this.#names.values(), length);
    const lines = weighedLines(this.#lines.values(), new Set());
    const left = best(lines, CANDIDATES_LEFT, byText);
    this.#lines = new Map(left.map((candidate) => [candidate.line.text, candidate]));
    const stays = new Set(best([...this.#names.values()], CANDIDATES_LEFT, byName));
    for (const { names } of left) for (const use of names) stays.add(use);
    this.#names = new Map([...this.#names].filter(([, use]) => stays.has(use)));
  }

  /** Chooses among what was read so far, in several sizes, until more is read. */
  chooser(): KeyContentChooser {
    weighNames(this.#names.values(), this.items.length);
    let prepared: ChoiceOf | undefined;
    return (budget, shown, namesShare = NAMES_SHARE) => {
      if (prepared?.shown !== shown) prepared = this.#prepare(shown);
      const named = new Set(prepared.named);
      const chosen = cover(prepared.lines, budget * (1 - namesShare), named);
      return { lines: bySource(chosen), names: chooseNames(prepared, named, budget * namesShare) };
    };
  }

  #prepare(shown: string): ChoiceOf {
    const named = new Set([...nameLikeWords(shown)].flatMap((name) => this.#names.get(name) ?? []));
    const lines = weighedLines(this.#lines.values(), named).filter(({ worth }) => worth > 0);
    const uses = [...this.#names.values()].filter((use) => !named.has(use));
    const ranked = (arePaths: boolean) =>
      new Ranked(
        uses.filter((use) => use.isPath === arePaths),
        byName,
      );
    return { shown, named, lines: new Ranked(lines, byText), paths: ranked(true), names: ranked(false) };
  }
}

/** What is there to choose from beside what is shown. */
interface ChoiceOf {
  readonly shown: string;
  readonly named: ReadonlySet<NameUse>;
  readonly lines: Ranked<LineCandidate>;
  readonly paths: Ranked<NameUse>;
  readonly names: Ranked<NameUse>;
}

const byName = (a: NameUse, b: NameUse) => compareText(a.name, b.name);
const byText = (a: LineCandidate, b: LineCandidate) => compareText(b.line.text, a.line.text);

type KeyContentChooser = (budget: number, shown: string, namesShare?: number) => KeyContent;

const waysSeen = Object.keys(seenWeights);

/** A name counts once a message for each way of being seen. */
function isCounted(use: NameUse, at: number, seen: SeenLine["seen"]) {
  const way = 1 << waysSeen.indexOf(seen);
  if (use.countedAt !== at) [use.countedAt, use.countedWays] = [at, 0];
  if ((use.countedWays & way) !== 0) return true;
  use.countedWays |= way;
  return false;
}

function addUse(uses: [at: number, weight: number][], at: number, weight: number) {
  uses.push([at, weight]);
  const [first, second] = uses;
  if (uses.length <= MOST_USES || !first || !second) return;
  const sum = first[1] + second[1];
  uses.splice(0, 2, [(first[0] * first[1] + second[0] * second[1]) / sum, sum]);
}

/** What each name is worth at the end of so many messages: the more the later and the more often it was used. */
function weighNames(names: Iterable<NameUse>, length: number) {
  const most = Math.max(1, length);
  for (const use of names) {
    use.worth = 0;
    for (const [at, weight] of use.uses)
      use.worth += weight * (LASTING + Math.exp(-((length - at) / most) / FADING));
  }
}

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
  const [first] = history;
  let reader = first && readersByItem.get(first);
  if (!reader || commonStart(reader.items, history) < reader.items.length) reader = new KeyContentReader();
  if (first) readersByItem.set(first, reader);
  reader.read(history);
  return reader.chooser();
}

/** Share of the names that goes to paths: they cost much, and few of them are needed. */
const PATHS_SHARE = 0.1;

/** Paths and other names, each for their share: those in use most, and latest. */
function chooseNames(
  { paths, names: others }: ChoiceOf,
  named: ReadonlySet<NameUse>,
  budget: number,
): Map<string, string[]> {
  const chosen = new Map<string, string[]>();
  const choose = (room: number, ranked: Ranked<NameUse>) => {
    let left = room;
    for (let at = 0; left >= LEAST_NAME; at++) {
      const use = ranked.at(at);
      if (!use) break;
      const { name, source } = use;
      if (named.has(use)) continue;
      const names = chosen.get(source);
      const cost = nameCost(name) + (names ? 0 : nameCost(source));
      if (cost > left) continue;
      left -= cost;
      if (names) names.push(name);
      else chosen.set(source, [name]);
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

function worthNow({ names, cost }: LineCandidate, named: ReadonlySet<NameUse>) {
  let sum = 0;
  // A path alone is worth no line: it is listed by itself.
  for (const use of names) if (!use.isPath && !named.has(use)) sum += use.worth;
  return sum / cost;
}

function weighedLines(lines: Iterable<LineCandidate>, named: ReadonlySet<NameUse>): LineCandidate[] {
  const weighed = [...lines];
  for (const line of weighed) line.worth = worthNow(line, named);
  return weighed;
}

/** A line whose worth has fallen since it was ranked. */
interface WaitingLine {
  readonly candidate: LineCandidate;
  readonly worth: number;
}

/** Greedy cover: always the line with the most new worth per token. A line's worth only falls, so stale ones wait. */
function cover(ranked: Ranked<LineCandidate>, budget: number, named: Set<NameUse>) {
  const chosen: SeenLine[] = [];
  /** The best last. */
  const waiting: WaitingLine[] = [];
  let [left, at] = [budget, 0];
  while (left > LINE_FRAME) {
    const fresh = ranked.at(at);
    const stale = waiting.at(-1);
    const isFresh = fresh !== undefined && fresh.worth >= (stale?.worth ?? 0);
    const next = isFresh ? fresh : stale?.candidate;
    if (!next) break;
    if (isFresh) at++;
    else waiting.pop();
    const worth = worthNow(next, named);
    if (worth === 0) continue;
    if (worth < Math.max(ranked.at(at)?.worth ?? 0, waiting.at(-1)?.worth ?? 0)) {
      waiting.splice(placeFor(waiting, worth), 0, { candidate: next, worth });
      continue;
    }
    if (next.cost > left) continue;
    left -= next.cost;
    chosen.push(next.line);
    for (const use of next.names) named.add(use);
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
