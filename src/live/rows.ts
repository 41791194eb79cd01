// Names of rows: a hash of each message and a chain over all messages up to it, made alike by carriers and the worker.
import { type RequestBody, rowText } from "./body.ts";

const SEED_ONE = 0x9e3779b1;
const SEED_OTHER = 0x85ebca77;
const PRIME_ONE = 0x01000193;
const PRIME_OTHER = 0xc2b2ae3d;

const hex = (value: number) => (value >>> 0).toString(16).padStart(8, "0");

/** Spreads every bit of a sum over all of it. */
function mixed(value: number) {
  let sum = value ^ (value >>> 16);
  sum = Math.imul(sum, 0x7feb352d);
  sum ^= sum >>> 15;
  sum = Math.imul(sum, 0x846ca68b);
  return sum ^ (sum >>> 16);
}

/**
 * 64 bits and the length of a text. No cryptographic hash: carriers run where there is none that answers at once, and
 * a row that meets another's hash could only mislead its own conversation.
 */
export function hashText(text: string): string {
  let one = SEED_ONE;
  let other = SEED_OTHER;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, PRIME_ONE);
    other = Math.imul((other << 7) ^ (other >>> 25) ^ code, PRIME_OTHER);
  }
  return `${hex(mixed(one))}${hex(mixed(other ^ one))}${text.length.toString(16)}`;
}

/** The name of everything up to a row: of the name before it (empty for the first) and the row. */
export const chainOf = (before: string, row: string): string => hashText(`${before}.${hashText(row)}`);

/** The rows of a request, and the chain at each of them. */
export interface ChainedRows {
  readonly rows: readonly string[];
  readonly chains: readonly string[];
}

/** `known`: the rows of an earlier request; what is the same again is not hashed again. */
export function chainedRows({ text, rows }: RequestBody, known?: ChainedRows): ChainedRows {
  const texts = rows.map((row) => rowText(text, row));
  let chain = "";
  let isKnown = known !== undefined;
  const chains = texts.map((row, at) => {
    isKnown &&= known?.rows[at] === row;
    chain = (isKnown ? known?.chains[at] : undefined) ?? chainOf(chain, row);
    return chain;
  });
  return { rows: texts, chains };
}

/** How many rows two conversations begin with alike. */
export function commonRows(one: readonly string[], other: readonly string[]): number {
  // A chain names everything before it: the last one that agrees is found by halving.
  let [known, limit] = [0, Math.min(one.length, other.length)];
  while (known < limit) {
    const middle = (known + limit + 1) >> 1;
    if (one[middle - 1] === other[middle - 1]) known = middle;
    else limit = middle - 1;
  }
  return known;
}
