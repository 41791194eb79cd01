// Compares memories by rule: whether two say the same, nearly the same, or contradict each other.
import { queryTerms, termsOf } from "../../terms/index.ts";
import { isActive, type StoredMemory } from "../folder/model.ts";
import { thresholds } from "./thresholds.ts";

function termPairs(text: string) {
  const { sequence } = termsOf(text);
  if (sequence.length === 1) return new Set(sequence);
  return new Set(sequence.slice(1).map((term, at) => `${sequence[at]} ${term}`));
}

/** Without the words that every text has. */
const contentTerms = (text: string) => new Set(queryTerms(text).map(({ term }) => term));

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>) {
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (const each of a) if (b.has(each)) shared += 1;
  return shared / (a.size + b.size - shared);
}

/** From 0 to 1: shared pairs of neighbouring terms among all pairs. */
export const similarity = (a: string, b: string) => jaccard(termPairs(a), termPairs(b));

const NEGATION =
  /\b(?:never|not|don['’]?t|doesn['’]?t|isn['’]?t|won['’]?t|can['’]?t|avoid|without|no longer|stop|forbidden|instead of)\b|不要|不再|不能|不可|不得|不用|避免|禁止|切勿|别/gi;
const AFFIRMATION = /\b(?:always|must|should|do|use|prefer|please|only)\b|总是|必须|应该|务必|优先/gi;
const STATED_VALUE =
  /`[^`]+`|\d{4}-\d\d-\d\d|(?<![\w.])v?\d+(?:[.,:]\d+)*(?:\s?(?:%|ms|s|kb|mb|gb|days?|hours?|minutes?|天|小时|分钟|元))?/gi;

interface MemoryStatement {
  readonly terms: ReadonlySet<string>;
  readonly isNegative: boolean;
  /** Terms without the values. */
  readonly frame: ReadonlySet<string>;
  /** In the order of the text. */
  readonly values: readonly string[];
}

function statementIn(text: string) {
  const bare = text.replace(NEGATION, " ").replace(AFFIRMATION, " ");
  const terms = contentTerms(bare);
  if (terms.size < thresholds.statementTerms) return undefined;
  return {
    terms,
    isNegative: (text.match(NEGATION)?.length ?? 0) % 2 === 1,
    frame: contentTerms(bare.replace(STATED_VALUE, " ")),
    values: (text.match(STATED_VALUE) ?? []).map((value) => value.toLowerCase()),
  };
}

/** The sentences before **Why:** and **How to apply:**, which explain and claim nothing. */
function memoryStatements(body: string) {
  const claim = body.split(/^\s*(?:[-*] )?\*\*(?:Why|How to apply)/im)[0] ?? "";
  return claim.split(/(?<=[.!?])\s+|[。！？；\n]+/).flatMap((sentence) => statementIn(sentence.trim()) ?? []);
}

/** Whether two sets of terms have one subject. Where each has terms of its own there are two subjects. */
function isSameSubject(a: ReadonlySet<string>, b: ReadonlySet<string>, least: number) {
  const isWithin = (inner: ReadonlySet<string>, outer: ReadonlySet<string>) =>
    [...inner].every((word) => outer.has(word));
  return jaccard(a, b) >= least && (isWithin(a, b) || isWithin(b, a));
}

function findContradiction(a: MemoryStatement, b: MemoryStatement) {
  if (a.isNegative !== b.isNegative)
    return isSameSubject(a.terms, b.terms, thresholds.oppositeTerms)
      ? "one says the opposite of the other"
      : undefined;
  // Two values that differ are two cases: "v1 gives 404" and "v2 gives 410".
  const others = a.values.flatMap((value, at) => (value === b.values[at] ? [] : [at]));
  const [at, another] = others;
  if (at === undefined || another !== undefined || a.values.length !== b.values.length) return undefined;
  if (a.frame.size < thresholds.statementTerms || !isSameSubject(a.frame, b.frame, thresholds.sameFrame))
    return undefined;
  return `one says ${a.values[at]}, the other ${b.values[at]}`;
}

/** A body prepared for comparison with many others. */
export const comparedBody = (body: string) => ({
  body,
  pairs: termPairs(body),
  content: contentTerms(body),
  statements: memoryStatements(body),
});
type ComparedBody = ReturnType<typeof comparedBody>;

function likeness(a: ComparedBody, b: ComparedBody) {
  const pairs = a.body === b.body ? 1 : jaccard(a.pairs, b.pairs);
  if (pairs >= thresholds.samePairs) return "same";
  const isLong = Math.min(a.content.size, b.content.size) >= thresholds.nearTerms;
  return pairs >= thresholds.nearPairs || (isLong && jaccard(a.content, b.content) >= thresholds.nearContent)
    ? "near"
    : undefined;
}

interface MemoryRelation {
  readonly kind: "duplicate" | "near-duplicate" | "contradiction";
  /** In words, about a memory of that name. */
  readonly words: (other: string) => string;
}

/** How the second is related to the first. A contradiction is never reported as a near-duplicate. */
export function relationsOf(first: ComparedBody, second: ComparedBody) {
  const alike = likeness(first, second);
  const found: MemoryRelation[] = [];
  if (alike === "same") found.push({ kind: "duplicate", words: (other) => `it says the same as ${other}` });
  const against = first.statements.flatMap((one) =>
    second.statements.flatMap((two) => findContradiction(one, two) ?? []),
  )[0];
  if (against !== undefined)
    found.push({ kind: "contradiction", words: (other) => `it contradicts ${other}: ${against}` });
  else if (alike === "near")
    found.push({ kind: "near-duplicate", words: (other) => `it says nearly the same as ${other}` });
  return found;
}

/** How a body that is being saved relates to the active memories, without those that it replaces. */
export function describeRelations(
  body: string,
  memories: readonly StoredMemory[],
  { now, except }: { readonly now: number; readonly except: readonly string[] },
) {
  const compared = comparedBody(body);
  return memories
    .filter((memory) => isActive(memory, now) && !except.includes(memory.file))
    .flatMap(({ file, body: other }) =>
      relationsOf(comparedBody(other), compared).map(({ words }) => words(file)),
    );
}
