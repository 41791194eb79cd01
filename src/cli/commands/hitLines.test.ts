// Hits as a person reads them.
import { describe, expect, it } from "vitest";
import type { Hit } from "../../search/index.ts";
import { hitLines } from "./search.ts";

const hit: Hit = {
  ref: "#1",
  kind: "observation",
  type: "bugfix",
  title: "Fix the tax",
  at: new Date(2026, 0, 2, 3, 4).toISOString(),
  project: "shop",
  session: "s",
  tokens: 12,
};
const head = "#1  2026-01-02 03:04  🔴 bugfix  ~12  ";

describe("hitLines", () => {
  it("say a title once, and below it only what it does not say", () => {
    expect(hitLines([{ ...hit, excerpt: "Fix the tax" }])).toBe(`${head}Fix the tax`);
    expect(hitLines([{ ...hit, excerpt: "Fix the tax of 2026" }])).toBe(`${head}Fix the tax\n    of 2026`);
    expect(hitLines([{ ...hit, excerpt: "of 2026" }])).toBe(`${head}Fix the tax\n    of 2026`);
  });

  it("end at the terminal's edge, and go on below where they began", () => {
    const wide = {
      ...hit,
      title: "Fix the tax that was rounded down",
      excerpt: "in all of the orders of the year",
    };
    const indent = " ".repeat(38);
    expect(hitLines([wide], undefined, 60)).toBe(
      `${head}Fix the tax that was\n${indent}rounded down\n    in all of the orders of the year`,
    );
    expect(hitLines([wide], undefined, 30).split("\n").slice(2)).toEqual([
      "    in all of the orders of",
      "    the year",
    ]);
  });

  it("go on where a title was cut", () => {
    const cut = { ...hit, title: "Fix the t…", excerpt: "Fix the tax" };
    expect(hitLines([cut])).toBe(`${head}Fix the t…\n    …ax`);
  });

  it("tell the whole without its title and without a line twice in a row", () => {
    const whole = { ...hit, text: "Fix the tax\nIt was rounded.\nIt was rounded.\nsrc/price.js" };
    expect(hitLines([whole])).toBe(`${head}Fix the tax\n    It was rounded.\n    src/price.js`);
  });
});
