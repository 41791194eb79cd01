// Counts the characters that patterns and searches read of a text, and finds texts of which they read more than in proportion.
import { repeated } from "../../bench/secrets/adversarial.ts";

const { exec } = RegExp.prototype;
const { indexOf, lastIndexOf } = String.prototype;
let read = 0;

/** Counts what a pattern reads: up to what it finds, else to the end; of a place at least one character. */
function countingExec(this: RegExp, text: string): RegExpExecArray | null {
  const from = this.global ? this.lastIndex : 0;
  const found = exec.call(this, text);
  const until = found ? found.index + found[0].length : text.length;
  read += this.sticky ? Math.max(1, found?.[0].length ?? 1) : Math.max(1, until - from);
  return found;
}

function countingIndexOf(this: string, word: string, from = 0): number {
  const at = indexOf.call(this, word, from);
  read += (at < 0 ? this.length : at) - Math.min(from, this.length);
  return at;
}

function countingLastIndexOf(this: string, word: string, from = this.length): number {
  const at = lastIndexOf.call(this, word, from);
  read += Math.min(from, this.length) - Math.max(0, at);
  return at;
}

function charactersRead(work: () => unknown): number {
  read = 0;
  RegExp.prototype.exec = countingExec;
  Object.assign(String.prototype, { indexOf: countingIndexOf, lastIndexOf: countingLastIndexOf });
  try {
    work();
  } finally {
    RegExp.prototype.exec = exec;
    Object.assign(String.prototype, { indexOf, lastIndexOf });
  }
  return read;
}

export const LENGTH = 20_000;
const MOST_GROWTH = 4.5;
/** What is read less often than so often does not grow yet. */
const SETTLED = 8;

/** The pieces of which four times as many make a scanner read more than four times as much. */
export function growing(pieces: readonly string[], scan: (text: string) => unknown): string[] {
  return pieces.filter((piece) => {
    const many = charactersRead(() => scan(repeated(piece, 4 * LENGTH)));
    if (many < 4 * LENGTH * SETTLED) return false;
    return many > MOST_GROWTH * charactersRead(() => scan(repeated(piece, LENGTH)));
  });
}
