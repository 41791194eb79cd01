// The automaton sees what a plain search would see.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PatternMatcher } from "./patternMatcher.ts";

function seen(landmarks: readonly string[], text: string): string[] {
  const found: string[] = [];
  new PatternMatcher(landmarks.map((literal) => ({ literal, owner: literal }))).scan(text, (owner, at) =>
    found.push(`${owner}@${at}`),
  );
  return found.sort();
}

function searched(landmarks: readonly string[], text: string): string[] {
  const folded = text.toLowerCase();
  return landmarks
    .flatMap((literal) =>
      [...text].flatMap((_, at) =>
        folded.startsWith(literal.toLowerCase(), at) ? [`${literal}@${at}`] : [],
      ),
    )
    .sort();
}

describe("matcher", () => {
  it("sees overlapping landmarks, in any case, in any script", () => {
    expect(seen(["he", "she", "hers", "密码"], "usHers 密码")).toEqual(["he@2", "hers@2", "she@1", "密码@7"]);
  });

  it("sees what a search for each landmark would", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "C", "_"), minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        fc.uniqueArray(word, { minLength: 1, maxLength: 8 }),
        fc.string({ unit: fc.constantFrom("a", "B", "c", "_", "é") }),
        (landmarks, text) => {
          expect(seen(landmarks, text)).toEqual(searched(landmarks, text));
        },
      ),
    );
  });
});
