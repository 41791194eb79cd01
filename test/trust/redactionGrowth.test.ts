// Every scan of redaction reads a text made to be slow in time that grows with its length: counted in characters that
// patterns and searches read, not measured.
import { describe, expect, it } from "vitest";
import { openings, repeated } from "../../bench/secrets/adversarial.ts";
import { findInjected, redactText, redactValue } from "../../src/redact/index.ts";
import { quickRedact } from "../../src/redact/quick.ts";
import { growing, LENGTH } from "./charactersRead.ts";

const linesOf = (text: string): string[] => text.match(/[\s\S]{1,80}/g) ?? [];

describe("the characters that are read of a text made to be slow", () => {
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
