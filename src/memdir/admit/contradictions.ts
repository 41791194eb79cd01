// Memories that say the opposite of each other, found by rule: the same words with another sign, or with another value.
import { contentTerms, jaccard } from "./similarity.ts";

const NEGATION =
  /\b(?:never|not|don['’]?t|doesn['’]?t|isn['’]?t|won['’]?t|can['’]?t|avoid|without|no longer|stop|forbidden|instead of)\b|不要|不再|不能|不可|不得|不用|避免|禁止|切勿|别/gi;
const AFFIRMATION = /\b(?:always|must|should|do|use|prefer|please|only)\b|总是|必须|应该|务必|优先/gi;
const STATED_VALUE =
  /`[^`]+`|\d{4}-\d\d-\d\d|(?<![\w.])v?\d+(?:[.,:]\d+)*(?:\s?(?:%|ms|s|kb|mb|gb|days?|hours?|minutes?|天|小时|分钟|元))?/gi;

export interface MemoryStatement {
  readonly text: string;
  readonly terms: ReadonlySet<string>;
  readonly isNegative: boolean;
  readonly frame: ReadonlySet<string>;
  /** In the order in which they are said. */
  readonly values: readonly string[];
}

const FEWEST_STATEMENT_TERMS = 2;
const SAME_WORDS = 0.6;
const SAME_FRAME = 0.8;

function statement(text: string): MemoryStatement | undefined {
  const bare = text.replace(NEGATION, " ").replace(AFFIRMATION, " ");
  const terms = contentTerms(bare);
  if (terms.size < FEWEST_STATEMENT_TERMS) return undefined;
  return {
    text,
    terms,
    isNegative: (text.match(NEGATION)?.length ?? 0) % 2 === 1,
    frame: contentTerms(bare.replace(STATED_VALUE, " ")),
    values: (text.match(STATED_VALUE) ?? []).map((value) => value.toLowerCase()),
  };
}

/** What a memory claims. Why and how it is applied are no claims of their own. */
export function statementsOf(body: string): MemoryStatement[] {
  const claim = body.split(/^\s*(?:[-*] )?\*\*(?:Why|How to apply)/im)[0] ?? "";
  return claim.split(/(?<=[.!?])\s+|[。！？；\n]+/).flatMap((sentence) => statement(sentence.trim()) ?? []);
}

/** Whether two sets of words are about the same: where each has words of its own, they are about two things. */
function isSameSubject(a: ReadonlySet<string>, b: ReadonlySet<string>, least: number): boolean {
  const within = (inner: ReadonlySet<string>, outer: ReadonlySet<string>): boolean =>
    [...inner].every((word) => outer.has(word));
  return jaccard(a, b) >= least && (within(a, b) || within(b, a));
}

/** The words in which two statements contradict each other; undefined when they do not. */
export function findContradiction(a: MemoryStatement, b: MemoryStatement): string | undefined {
  if (a.isNegative !== b.isNegative)
    return isSameSubject(a.terms, b.terms, SAME_WORDS) ? "one says the opposite of the other" : undefined;
  // Two values that differ are two cases: "v1 gives 404" and "v2 gives 410".
  const others = a.values.flatMap((value, at) => (value === b.values[at] ? [] : [at]));
  const [at, another] = others;
  if (at === undefined || another !== undefined || a.values.length !== b.values.length) return undefined;
  if (a.frame.size < FEWEST_STATEMENT_TERMS || !isSameSubject(a.frame, b.frame, SAME_FRAME)) return undefined;
  return `one says ${a.values[at]}, the other ${b.values[at]}`;
}
