// Hashes and identifiers.
import { describe, expect, it } from "vitest";
import { sha256, timeOrderedId } from "./ids.ts";

describe("sha256", () => {
  it("is the published value, for text and for its bytes", () => {
    const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    expect(sha256("abc")).toBe(abc);
    expect(sha256(Buffer.from("abc"))).toBe(abc);
  });
});

describe("timeOrderedId", () => {
  it("sorts by time as text does", () => {
    const times = [0, 1, 35, 36, 1_700_000_000_000, 1_700_000_000_001, 9_000_000_000_000];
    const ids = times.map((time) => timeOrderedId("e", time));
    expect([...ids].sort()).toEqual(ids);
    for (const id of ids) expect(id).toMatch(/^e_[0-9a-z]{19}$/);
  });

  it("is another one each time, also within a millisecond", () => {
    const ids = new Set(Array.from({ length: 5_000 }, () => timeOrderedId("e", 5)));
    expect(ids.size).toBe(5_000);
  });

  it("takes a time before the epoch for the epoch", () => {
    expect(timeOrderedId("e", -5).slice(0, 11)).toBe("e_000000000");
  });
});
