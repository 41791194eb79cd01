// The query language: AND, OR, NOT, "phrases", column:words and groups. Whatever is none of that is plain words.
import { namedFields, type WordCondition } from "../store/index.ts";
import { termsOf } from "../terms/index.ts";

interface ParsedQuery {
  /** The words to rank by: everything that is not excluded. */
  readonly text: string;
  /** What must hold; absent for plain words. */
  readonly condition?: WordCondition;
}

type Token =
  | { readonly kind: "and" | "or" | "not" | "open" | "close" }
  | { readonly kind: "operand"; readonly text: string; readonly field?: string; readonly isQuoted: boolean };

const pieces = /\(|\)|(?:([a-z_]+):)?(?:"([^"]*)"|([^\s()"]+))/gu;
const operators: Readonly<Record<string, "and" | "or" | "not">> = { AND: "and", OR: "or", NOT: "not" };

const isField = (name: string) => (namedFields as readonly string[]).includes(name);

function tokensOf(query: string): Token[] {
  return [...query.matchAll(pieces)].map(([whole, field, phrase, word = ""]): Token => {
    if (whole === "(") return { kind: "open" };
    if (whole === ")") return { kind: "close" };
    const operator = field === undefined ? operators[word] : undefined;
    if (operator !== undefined) return { kind: operator };
    const text = phrase ?? word;
    const isQuoted = phrase !== undefined;
    if (field === undefined) return { kind: "operand", text, isQuoted };
    // `note: fix this` and `a/b.ts:42` are words with a colon, not columns.
    if (isField(field)) return { kind: "operand", text, field, isQuoted };
    return { kind: "operand", text: `${field}:${text}`, isQuoted };
  });
}

function leaf(token: Token & { kind: "operand" }): WordCondition | undefined {
  if (token.field !== undefined) return { field: token.field, text: token.text };
  const phrase = termsOf(token.text).sequence;
  return phrase.length === 0 ? undefined : { phrase };
}

const joined = (kind: "all" | "any", parts: readonly WordCondition[]) => {
  const [only, another] = parts;
  if (!another) return only;
  return kind === "all" ? { all: parts } : { any: parts };
};

/** Deeper groups are read as if they were not there: the recursion is bounded. */
const DEEPEST = 50;

/** Reads on where something is missing: an operator without an operand, a group that is not closed. */
function parse(tokens: readonly Token[]) {
  let at = 0;
  const words: string[] = [];
  const operand = (depth: number, isExcluded: boolean): WordCondition | undefined => {
    const token = tokens[at];
    if (!token) return undefined;
    if (token.kind === "not") {
      at += 1;
      const excluded = operand(depth, !isExcluded);
      return excluded && { not: excluded };
    }
    if (token.kind === "open") {
      at += 1;
      if (depth >= DEEPEST) return operand(depth, isExcluded);
      const inside = alternatives(depth + 1, isExcluded);
      if (tokens[at]?.kind === "close") at += 1;
      return inside;
    }
    if (token.kind !== "operand") return undefined;
    at += 1;
    if (!isExcluded) words.push(token.text);
    return leaf(token);
  };
  const sequence = (depth: number, isExcluded: boolean) => {
    const parts: WordCondition[] = [];
    for (let token = tokens[at]; token !== undefined; token = tokens[at]) {
      if (token.kind === "or" || (token.kind === "close" && depth > 0)) break;
      if (token.kind === "and" || token.kind === "close") {
        at += 1;
        continue;
      }
      const part = operand(depth, isExcluded);
      if (part) parts.push(part);
    }
    return joined("all", parts);
  };
  const alternatives = (depth: number, isExcluded: boolean) => {
    const parts: WordCondition[] = [];
    for (;;) {
      const part = sequence(depth, isExcluded);
      if (part) parts.push(part);
      if (tokens[at]?.kind !== "or") return joined("any", parts);
      at += 1;
    }
  };
  return { condition: alternatives(0, false), words };
}

const MOST_BARE_WORDS = 4;

/** Never throws: every text is a query. */
export function parseQuery(query: string): ParsedQuery {
  const tokens = tokensOf(query);
  const operands = tokens.filter((token): token is Token & { kind: "operand" } => token.kind === "operand");
  if (tokens.some(({ kind }) => kind === "and" || kind === "or" || kind === "not") && operands.length > 0) {
    const { condition, words } = parse(tokens);
    return condition ? { text: words.join(" "), condition } : { text: query };
  }
  // Without an operator only what was quoted, or named with its column, must hold; the other words rank. In a whole
  // sentence quotation marks are only what they are.
  const bare = operands.filter(({ isQuoted, field }) => !isQuoted && field === undefined);
  if (termsOf(bare.map((token) => token.text).join(" ")).sequence.length > MOST_BARE_WORDS)
    return { text: query };
  const required = operands.flatMap((token) =>
    token.isQuoted || token.field !== undefined ? (leaf(token) ?? []) : [],
  );
  const condition = joined("all", required);
  const text = operands.map((token) => token.text).join(" ");
  return condition ? { text, condition } : { text: query };
}
