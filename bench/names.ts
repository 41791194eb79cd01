// The yardstick of what calls need: names, paths, ids and lines of a text. It shares no pattern with the product, so that
// a compaction cannot be tuned to its own idea of a name; `test/names.test.ts` checks that neither imports the other.

export const needKinds = ["long names", "names of 8–13", "lines of the next edits", "paths", "ids"] as const;
export type NeedKind = (typeof needKinds)[number];
export type Needs = Readonly<Record<NeedKind, ReadonlySet<string>>>;

const LONG = 14;
const MEDIUM = 8;
const SHORTEST_ID = 6;
/** A shorter line (`}`, `return;`, `} else {`) stands everywhere. */
const SHORTEST_LINE = 14;

const isNamePart = (sign: string): boolean => /[\p{L}\p{N}_$]/u.test(sign);
const isLatin = (word: string): boolean => /^[\x21-\x7e]+$/.test(word);

/** Maximal runs of letters, digits, `_` and `$`. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  let start = -1;
  for (let at = 0; at <= text.length; at++) {
    const isPart = at < text.length && isNamePart(text.charAt(at));
    if (isPart && start < 0) start = at;
    if (isPart || start < 0) continue;
    words.push(text.slice(start, at));
    start = -1;
  }
  return words;
}

const isName = (word: string): boolean => isLatin(word) && /^[^\d]/.test(word);

/** Hashes, uuids, versions of names, dates and numbers: six signs or more, with a digit among them: too many to guess. */
const idsOf = (text: string): string[] =>
  text
    .split(/[^A-Za-z0-9_-]+/)
    .map((run) => run.replace(/^[-_]+|[-_]+$/g, ""))
    .filter((run) => run.length >= SHORTEST_ID && /\d/.test(run));

/** Parts joined by slashes, the last with an extension; no address of the web. */
function pathsOf(text: string): string[] {
  return text
    .split(/[\s"'`<>()[\]{}|,;=*]+/)
    .map((piece) => piece.replace(/[:.!?]+$/, "").replace(/:\d+(?::\d+)?$/, ""))
    .filter((piece) => !piece.includes("://") && /^[~.@\w/-][^:]*\/[^/:]*\.[A-Za-z]\w{0,9}$/.test(piece));
}

/** A line as it stands in the file: without the number that a reader puts before it, and without indentation. */
const bareLine = (line: string): string => line.replace(/^\s*\d+(?:→|\t|: ?)/, "").trim();

export function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map(bareLine)
    .filter((line) => line.length >= SHORTEST_LINE);
}

/** Everything that a text names. Its lines are what an edit could rely on. */
export function namedIn(text: string): Needs {
  const words = new Set(wordsOf(text));
  const names = [...words].filter(isName);
  return {
    "long names": new Set(names.filter(({ length }) => length >= LONG)),
    "names of 8–13": new Set(names.filter(({ length }) => length >= MEDIUM && length < LONG)),
    "lines of the next edits": new Set(linesOf(text)),
    paths: new Set(pathsOf(text)),
    ids: new Set(idsOf(text)),
  };
}

/** What calls with these inputs need of what was known before them. `replaced` are the texts that edits expect in a file. */
export function neededOf(inputs: readonly string[], replaced: readonly string[], known: Needs): Needs {
  const used = {
    ...namedIn(inputs.join("\n")),
    "lines of the next edits": new Set(replaced.flatMap(linesOf)),
  };
  return mapKinds((kind) => new Set([...used[kind]].filter((one) => known[kind].has(one))));
}

export function mapKinds<T>(valueFor: (kind: NeedKind) => T): Record<NeedKind, T> {
  const entries = needKinds.map((kind): [NeedKind, T] => [kind, valueFor(kind)]);
  return Object.fromEntries(entries) as Record<NeedKind, T>;
}
