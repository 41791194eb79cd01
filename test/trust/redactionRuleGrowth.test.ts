// Every rule of redaction reads a text made to be slow in time that grows with its length: counted in characters that
// patterns and searches read, not measured.
import { describe, expect, it } from "vitest";
import { landmarkPieces } from "../../bench/secrets/adversarial.ts";
import { landmarksOf } from "../../src/redact/found.ts";
import { createRedact, ownFinders } from "../../src/redact/rules.ts";
import { secretlintFinders } from "../../src/redact/secretlint.ts";
import { growing } from "./charactersRead.ts";

/** Some of them, spread over all. */
const sample = (pieces: readonly string[], most: number): string[] =>
  pieces.filter((_, at) => at % Math.ceil(pieces.length / most) === 0);

describe("the characters that are read of a text made to be slow", () => {
  it.each([...ownFinders, ...secretlintFinders()])("grow with its length for the rule $name", (finder) => {
    expect(growing(sample(landmarkPieces(landmarksOf(finder)), 24), createRedact([finder]))).toEqual([]);
  });
});
