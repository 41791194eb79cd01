// Every scanner of redaction reads a text made to be slow in time that grows with its length: counted in characters
// that patterns and searches read, not measured.
import { describe, expect, it } from "vitest";
import { landmarkPieces, openings, repeated } from "../../bench/secrets/adversarial.ts";
import { landmarksOf } from "../../src/redact/found.ts";
import { findInjected, redactText, redactValue } from "../../src/redact/index.ts";
import { quickRedact } from "../../src/redact/quick.ts";
import { createRedact, ownFinders } from "../../src/redact/rules.ts";
import { secretlintFinders } from "../../src/redact/secretlint.ts";

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

const LENGTH = 20_000;
const MOST_GROWTH = 4.5;
/** What is read less often than so often does not grow yet. */
const SETTLED = 8;

/** The pieces of which four times as many make a scanner read more than four times as much. */
function growing(pieces: readonly string[], scan: (text: string) => unknown): string[] {
  return pieces.filter((piece) => {
    const many = charactersRead(() => scan(repeated(piece, 4 * LENGTH)));
    if (many < 4 * LENGTH * SETTLED) return false;
    return many > MOST_GROWTH * charactersRead(() => scan(repeated(piece, LENGTH)));
  });
}

/** Some of them, spread over all. */
const sample = (pieces: readonly string[], most: number): string[] =>
  pieces.filter((_, at) => at % Math.ceil(pieces.length / most) === 0);

const linesOf = (text: string): string[] => text.match(/[\s\S]{1,80}/g) ?? [];

describe("the characters that are read of a text made to be slow", () => {
  it.each([...ownFinders, ...secretlintFinders()])("grow with its length for the rule $name", (finder) => {
    expect(growing(sample(landmarkPieces(landmarksOf(finder)), 24), createRedact([finder]))).toEqual([]);
  });

  it.each([
    ["the full scan", redactText],
    ["the full scan of a JSON value", (text: string) => redactValue({ lines: linesOf(text) })],
    ["the quick scan", (text: string) => quickRedact({ text })],
    ["the search for injected text", findInjected],
  ] as const)("grow with its length for %s", (_, scan) => {
    expect(growing(openings, scan)).toEqual([]);
  });
});

/** How many steps are taken through maps: the tree of the values that were found is made of them. */
function stepsTaken(work: () => unknown): number {
  const { get } = Map.prototype;
  let steps = 0;
  Map.prototype.get = function (this: Map<unknown, unknown>, key: unknown): unknown {
    steps += 1;
    return get.call(this, key);
  };
  try {
    work();
  } finally {
    Map.prototype.get = get;
  }
  return steps;
}

describe("a value that was found", () => {
  it("is not read again at every place inside of a word where it could begin", () => {
    const text = repeated("xoxe.a1B2", LENGTH);
    expect(quickRedact({ text }).text).toContain("[redacted: slack-token]");
    expect(stepsTaken(() => quickRedact({ text }))).toBeLessThan(4 * LENGTH);
  });
});
