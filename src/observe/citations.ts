// Checks what a model says against the rows it cites: names, paths and numbers that stand in none of them were invented.

/** Latin words with what holds a path or an identifier together. Hyphens join ordinary words, too. */
const word = /[A-Za-z0-9_$@./\\]*[A-Za-z0-9_$]/g;
const cjk = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;
const abbreviations = new Set(["e.g", "i.e", "a.m", "p.m", "vs", "OK", "I"]);
const LONGEST_WORD = 3;

/** The words of a text that name something: identifiers, paths, numbers, proper names. */
export function namesIn(text: string): string[] {
  const plain = withoutSeparators(text);
  const quoted = [...plain.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name.trim());
  const isForeign = cjk.test(plain);
  const found = [...plain.matchAll(word)].flatMap(({ 0: whole, index }) => {
    const name = whole.replace(/^[./\\]+(?=[A-Za-z0-9])/, (start) => (start === "." ? "." : ""));
    if (abbreviations.has(name)) return [];
    const isNamed = looksNamed(name) || (isProper(name) && !startsSentence(plain.slice(0, index)));
    // In a text of another script every Latin word is a name.
    return isNamed || (isForeign && name.length >= LONGEST_WORD) ? [name] : [];
  });
  return [...new Set([...quoted, ...found])].filter((name) => name !== "");
}

/** `1,000` is `1000`. */
const withoutSeparators = (text: string) => text.replace(/(?<=\d),(?=\d{3}\b)/g, "");

const isPath = (name: string) =>
  /[\\/]/.test(name) && (/\.\w+$/.test(name) || name.split(/[\\/]/).length > 2);

/** Digits, `camelCase`, `snake_case`, `name.ext`, `a/b/c`. */
const looksNamed = (name: string) => /\d|[a-z][A-Z]|[_$@]|[A-Za-z]\.[A-Za-z]/.test(name) || isPath(name);

/** Written with a capital, as no ordinary word within a sentence is. */
const isProper = (name: string) => /^[A-Z][A-Za-z]+$/.test(name);

const startsSentence = (before: string) => /(?:^|[.!?:;。！？：；\n"“”'‘(（[–—])\s*$/.test(before);

/** Whether every name of the text stands in the sources, whatever its case. */
export function isSupported(text: string, sources: string): boolean {
  const known = withoutSeparators(sources).toLowerCase();
  return namesIn(text).every((name) => occurs(name.toLowerCase(), known));
}

function occurs(name: string, known: string) {
  if (/^\d+(?:\.\d+)?$/.test(name))
    return new RegExp(`(?<![\\d.])${name.replace(".", "\\.")}(?!\\d|\\.\\d)`).test(known);
  if (known.includes(name)) return true;
  // `APIs` of `API`.
  return /^[a-z]{2,}s$/.test(name) && known.includes(name.slice(0, -1));
}
