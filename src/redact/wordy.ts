// Tells words from what was drawn at random.

/** The beginning tells: nothing is read to its end to be judged. */
const JUDGED_CHARACTERS = 160;

/** Whether a text reads like words rather than like something drawn at random. */
export function isWordy(text: string) {
  // The names of encodings are words too.
  const value = text.slice(0, JUDGED_CHARACTERS).replace(/(?:base|utf|sha|md)-?\d{1,3}(?:url)?/gi, "code");
  const parts = value
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/)
    .filter((part) => part !== "");
  const letters = value.replace(/[^A-Za-z]/g, "").length;
  const words = parts.filter((part) => !/^\d{1,4}$/.test(part)).length;
  if (letters < Math.max(1, words) * (value.length < 20 ? 2.5 : 4)) return false;
  // Letters and digits by turns, again and again, are no words.
  const turns = parts.filter((part) => /[A-Za-z]\d+$/.test(part)).length;
  if (turns > 2 && turns > parts.length / 2) return false;
  return parts.every(
    (part) =>
      /^(?:\d{1,4}|v\d+|[A-Z]?[a-z]+\d{0,5}|[A-Z]+\d{0,4})$/.test(part) &&
      (isPronounceable(part) || isAcronym(part, parts)),
  );
}

/** Acronyms such as JSON in parseJSONValue need not be pronounceable beside words that are. */
function isAcronym(part: string, parts: readonly string[]) {
  const isWord = (each: string) => /^[A-Z]?[a-z]{3,}$/.test(each) && isPronounceable(each);
  return /^[A-Z]{2,8}$/.test(part) && parts.filter(isWord).length >= Math.max(1, parts.length / 2);
}

function isPronounceable(part: string) {
  const letters = part.replace(/\d/g, "");
  if (letters.length < 4) return letters.length > 0 || part.length < 5;
  const vowels = letters.replace(/[^aeiouy]/gi, "").length / letters.length;
  return vowels >= 0.18 && vowels <= 0.75 && !/[^aeiouy]{6}/i.test(letters);
}

/** Whether a value is so unlike a word that it stands out of a sentence: letters, digits, and more than a name has. */
export function standsOut(value: string, shortest = 8) {
  if (value.length < shortest || !/\d/.test(value) || !/[A-Za-z]/.test(value)) return false;
  // min12chars, step2of3: words with a number between them.
  const runs = value.split(/\d+/).filter((run) => run !== "");
  if (runs.every((run) => /^[A-Za-z][a-z]{2,}$/.test(run) && /[aeiouy]/i.test(run) && isPronounceable(run)))
    return false;
  return !isWordy(value) || /[!@#$%^&*+~?]/.test(value) || /^[A-Za-z]+(?:-[A-Za-z]+)+-\d+$/.test(value);
}
