// The names that lines hold: where each was used, and what it is worth at the end of a history.
import { type SeenLine, seenWeights } from "./keyLines.ts";

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

export function nameLikeWords(text: string) {
  const names = new Set(text.match(nameLike) ?? []);
  if (text.includes("/")) for (const path of text.match(pathLike) ?? []) names.add(path);
  return names;
}

/** Share of a history's length over which an occurrence loses most of its say, and what it never loses. */
const FADING = 0.25;
const LASTING = 0.1;
/** Characters of code that a token holds about. */
export const CHARACTERS_PER_TOKEN = 2.9;
/** A name has at least eight signs. */
export const LEAST_NAME = 4;
export const nameCost = (name: string) => Math.ceil(name.length / CHARACTERS_PER_TOKEN) + 1;

/** Where a name was used. */
export interface NameUse {
  readonly name: string;
  readonly isPath: boolean;
  readonly weight: number;
  source: string;
  /** Tokens of the name alone. */
  readonly cost: number;
  /** Position and weight of each use in turn, the oldest first: one list, because there are very many. */
  readonly uses: number[];
  /** What it is worth where the last choice was made. */
  worth: number;
  /** The message that used it last, and the ways of being seen that were counted there. */
  countedAt: number;
  countedWays: number;
  /** The last text that names it already, and the last choice that does: by their numbers. */
  shownIn: number;
  chosenIn: number;
}

/** The text beside which a choice is made, and the choice: names that either of them holds are worth nothing more. */
export interface Named {
  readonly shown: number;
  readonly choice: number;
}

export const isNamed = ({ shownIn, chosenIn }: NameUse, { shown, choice }: Named) =>
  shownIn === shown || chosenIn === choice;
/** No text and no choice has this number. */
export const NOTHING = -1;
export const nothingNamed: Named = { shown: NOTHING, choice: NOTHING };

export function firstUse(name: string, source: string): NameUse {
  return {
    name,
    isPath: isPath(name),
    weight: weightOf(name),
    cost: nameCost(name),
    source,
    uses: [],
    worth: 0,
    countedAt: -1,
    countedWays: 0,
    shownIn: 0,
    chosenIn: 0,
  };
}

/** Of more uses the two oldest become one between them. */
const MOST_USES = 24;

const waysSeen = Object.keys(seenWeights);

/** Adds a use of the name. It counts once a message for each way of being seen: false where it was counted. */
export function countUse(use: NameUse, { at, seen }: SeenLine) {
  const way = 1 << waysSeen.indexOf(seen);
  if (use.countedAt !== at) [use.countedAt, use.countedWays] = [at, 0];
  if ((use.countedWays & way) !== 0) return false;
  use.countedWays |= way;
  addUse(use.uses, at, use.weight * seenWeights[seen]);
  return true;
}

function addUse(uses: number[], at: number, weight: number) {
  uses.push(at, weight);
  if (uses.length <= 2 * MOST_USES) return;
  const [firstAt = 0, first = 0, secondAt = 0, second = 0] = uses;
  const sum = first + second;
  uses.splice(0, 4, (firstAt * first + secondAt * second) / sum, sum);
}

/** What each name is worth at the end of so many messages: the more the later and the more often it was used. */
export function weighNames(names: Iterable<NameUse>, length: number) {
  const most = Math.max(1, length);
  const sayOf = (at: number) => LASTING + Math.exp(-((length - at) / most) / FADING);
  // Most uses are at a message; those that became one are between two.
  const says = Float64Array.from({ length: length + 1 }, (_, at) => sayOf(at));
  for (const use of names) {
    const { uses } = use;
    let worth = 0;
    for (let index = 0; index < uses.length; index += 2) {
      const at = uses[index] as number;
      const place = at | 0;
      const say = place === at ? (says[place] as number) : sayOf(at);
      worth += (uses[index + 1] as number) * say;
    }
    use.worth = worth;
  }
}
