// Tells words from what was drawn at random.

/** The beginning tells: nothing is read to its end to be judged. */
const HEAD = 160;

/** Whether a text reads like words rather than like something drawn at random. */
export function isWordy(text: string): boolean {
  const value = text.slice(0, HEAD);
  const parts = value
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/)
    .filter((part) => part !== "");
  const letters = value.replace(/[^A-Za-z]/g, "").length;
  if (letters < parts.length * (value.length < 20 ? 2.5 : 4)) return false;
  return parts.every(
    (part) => /^(?:\d{1,4}|v\d+|[A-Z]?[a-z]+\d{0,4}|[A-Z]+\d{0,4})$/.test(part) && isPronounceable(part),
  );
}

function isPronounceable(part: string): boolean {
  const letters = part.replace(/\d/g, "");
  if (letters.length < 4) return letters.length > 0 || part.length < 5;
  const vowels = letters.replace(/[^aeiouy]/gi, "").length / letters.length;
  return vowels >= 0.18 && vowels <= 0.75 && !/[^aeiouy]{6}/i.test(letters);
}
