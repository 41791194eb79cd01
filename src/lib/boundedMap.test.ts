import { expect, it } from "vitest";
import { BoundedMap } from "./collections.ts";

it("keeps at most so many entries, and an entry that is replaced is no new one", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1).set("b", 2).set("a", 3);
  expect([...map]).toEqual([
    ["a", 3],
    ["b", 2],
  ]);
  map.set("c", 4);
  expect([...map]).toEqual([["c", 4]]);
});

it("computes a value once, also one that is undefined", () => {
  const map = new BoundedMap<string, number | undefined>(2);
  let computed = 0;
  const compute = (): undefined => {
    computed += 1;
  };
  map.remember("a", compute);
  map.remember("a", compute);
  expect(computed).toBe(1);
  expect(map.remember("b", () => 5)).toBe(5);
});
