// English words to their stems: Porter's algorithm, with the irregular words and short forms that it cannot know.
import { BoundedMap } from "../lib/index.ts";
import { baseForms } from "./wordLists.ts";

type Rule = readonly [suffix: string, replacement: string];

const isVowel = (word: string, at: number): boolean => {
  const letter = word[at] ?? "";
  return "aeiou".includes(letter) || (letter === "y" && at > 0 && !isVowel(word, at - 1));
};

/** How often a vowel is followed by a consonant: what Porter calls the measure of a stem. */
function measure(stem: string) {
  let changes = 0;
  for (let at = 1; at < stem.length; at += 1) if (isVowel(stem, at - 1) && !isVowel(stem, at)) changes += 1;
  return changes;
}

const hasVowel = (stem: string) => [...stem].some((_, at) => isVowel(stem, at));

/** Ends consonant, vowel, consonant, as `hop` does: such a stem lost an `e`. */
function isShort(stem: string) {
  const end = stem.length - 1;
  return (
    end >= 2 &&
    !isVowel(stem, end) &&
    isVowel(stem, end - 1) &&
    !isVowel(stem, end - 2) &&
    !/[wxy]$/.test(stem)
  );
}

/** The first rule whose suffix is there decides, whether its stem is long enough or not. */
function replaced(word: string, rules: readonly Rule[], longerThan: number) {
  for (const [suffix, replacement] of rules) {
    if (!word.endsWith(suffix)) continue;
    const stem = word.slice(0, -suffix.length);
    return measure(stem) > longerThan ? stem + replacement : word;
  }
  return word;
}

function withoutPlural(word: string) {
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

function withoutTense(word: string) {
  if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const stem = /^(.+)(?:ed|ing)$/.exec(word)?.[1];
  if (stem === undefined || !hasVowel(stem)) return word;
  if (/(at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (/([^aeiouylsz])\1$/.test(stem)) return stem.slice(0, -1);
  return measure(stem) === 1 && isShort(stem) ? `${stem}e` : stem;
}

const secondSuffixes: readonly Rule[] = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["bli", "ble"],
  ["alli", "al"],
  ["entli", "ent"],
  ["eli", "e"],
  ["ousli", "ous"],
  ["ization", "ize"],
  ["ation", "ate"],
  ["ator", "ate"],
  ["alism", "al"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["biliti", "ble"],
  ["logi", "log"],
];

const thirdSuffixes: readonly Rule[] = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ful", ""],
  ["ness", ""],
];

const lastSuffixes =
  /^(.+?)(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|al|er|ic|ou|(?<=[st])ion)$/;

function withoutEnding(word: string) {
  const stem = lastSuffixes.exec(word)?.[1];
  return stem !== undefined && measure(stem) > 1 ? stem : word;
}

function withoutFinalE(word: string) {
  if (!word.endsWith("e")) return word.endsWith("ll") && measure(word) > 1 ? word.slice(0, -1) : word;
  const stem = word.slice(0, -1);
  const size = measure(stem);
  return size > 1 || (size === 1 && !isShort(stem)) ? stem : word;
}

/** `randomly` is `random`, but `family` and `apply` are themselves. */
const withoutManner = (word: string) =>
  word.length > 5 && /[cdeghkmnrt]ly$/.test(word) ? word.slice(0, -2) : word;

function porter(word: string) {
  if (word.length < 3) return word;
  const bare = withoutTense(withoutPlural(withoutManner(word)));
  const even = /y$/.test(bare) && hasVowel(bare.slice(0, -1)) ? `${bare.slice(0, -1)}i` : bare;
  const middle = replaced(replaced(even, secondSuffixes, 0), thirdSuffixes, 0);
  return withoutFinalE(withoutEnding(middle));
}

const knownStems = new BoundedMap<string, string>(50_000);

/** The stem of a word in lower case. What is not plain English letters stays as it is. */
export function stem(word: string) {
  return knownStems.remember(word, () =>
    /^[a-z]+$/.test(word) ? porter(baseForms.get(word) ?? word) : word,
  );
}
