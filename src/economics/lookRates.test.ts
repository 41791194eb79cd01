// Counts of cuts and recalls by tool, and the rate that is expected from them.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chosenSeed } from "../../test/seed.ts";
import { addLooks, type LookCounts, lookRate, recentLooks, withCuts, withLook } from "./lookRates.ts";

const times = (count: number, tool: string): string[] => Array<string>(count).fill(tool);

describe("the rate of a tool", () => {
  it("is a quarter before anything was seen, also for names that every object has", () => {
    for (const tool of ["Bash", "", "constructor", "__proto__", "toString"])
      expect(lookRate({}, tool)).toBe(1 / 4);
  });

  it("comes near what was seen, the more was seen the nearer", () => {
    const cut = (count: number): LookCounts => withCuts({}, times(count, "Bash"));
    expect(lookRate(cut(6), "Bash")).toBe(1 / 10);
    expect(lookRate(cut(96), "Bash")).toBe(1 / 100);
    let all = cut(96);
    for (let at = 0; at < 96; at++) all = withLook(all, "Bash");
    expect(lookRate(all, "Bash")).toBe(97 / 100);
    expect(lookRate(all, "Grep")).toBe(1 / 4);
  });

  it("stays a share whatever was counted, and adding up sessions in any order gives the same", () => {
    const tool = fc.constantFrom("Bash", "Grep", "mcp__a__b", "constructor");
    const counts = fc
      .array(fc.record({ tool, looked: fc.boolean() }), { maxLength: 60 })
      .map((events) =>
        events.reduce<LookCounts>(
          (sum, event) => (event.looked ? withLook(sum, event.tool) : withCuts(sum, [event.tool])),
          {},
        ),
      );
    fc.assert(
      fc.property(counts, counts, tool, (one, other, name) => {
        const rate = lookRate(addLooks(one, other), name);
        expect(rate).toBeGreaterThan(0);
        expect(rate).toBeLessThanOrEqual(1);
        expect(rate).toBe(lookRate(addLooks(other, one), name));
        expect(JSON.parse(JSON.stringify(one))).toEqual(one);
      }),
      { seed: chosenSeed() },
    );
  });
});

it("of earlier sessions weigh no more than what a new one can outweigh", () => {
  const past = recentLooks([
    { Bash: { cut: 300, looked: 3 } },
    { Bash: { cut: 20, looked: 13 }, Read: { cut: 2, looked: 1 } },
  ]);
  expect(past).toEqual({ Bash: { cut: 32, looked: 1.6 }, Read: { cut: 2, looked: 1 } });
  const seen = addLooks(past, { Bash: { cut: 40, looked: 40 } });
  expect(lookRate(seen, "Bash")).toBeGreaterThan(0.5);
});
