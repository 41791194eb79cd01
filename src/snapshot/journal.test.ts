// One snapshot for each compaction: which of several sightings are of the same one, and what it was that was compacted.
import { describe, expect, it } from "vitest";
import type { TranscriptBoundary, TranscriptItem } from "../transcript/index.ts";
import { compactedPart, entryFor, type JournalEntry } from "./journal.ts";

const second = (at: number): number => at * 1_000;
const said = (at: number): TranscriptItem => ({
  id: `m${at}`,
  uuids: [],
  at: second(at),
  message: { role: "user", content: `words at ${at}` },
});
const answered = (at: number): TranscriptItem => ({
  ...said(at),
  message: { role: "assistant", content: "yes" },
});
const compaction = (at: number, index: number): TranscriptBoundary => ({
  kind: "compact",
  index,
  preserved: [],
  at: second(at),
});
const taken = (at: number): JournalEntry => ({
  at: second(at),
  file: `f${at}`,
  handles: [],
  occasion: `o${at}`,
});
const seen = (at: number, isBefore = false): { at: number; isBefore: boolean } => ({
  at: second(at),
  isBefore,
});

describe("a compaction", () => {
  const told = { items: [said(1), answered(2), said(50), answered(51)], boundaries: [compaction(11, 2)] };

  it("has the snapshot that was taken before it, by whatever it is noticed", () => {
    const entries = [taken(10)];
    for (const at of [10, 11, 12, 13]) expect(entryFor(entries, told, seen(at))).toEqual(taken(10));
  });

  it("has the one that was taken after it, when it was not noticed before", () => {
    expect(entryFor([taken(14)], told, seen(11))).toEqual(taken(14));
  });

  it("does not have one that is parted from it by words or by another compaction", () => {
    expect(entryFor([taken(10)], told, seen(60))).toBeUndefined();
    const twice = { items: told.items, boundaries: [compaction(11, 2), compaction(15, 2)] };
    expect(entryFor([taken(10)], twice, seen(15))).toBeUndefined();
    expect(entryFor([taken(10), taken(14)], twice, seen(15))).toEqual(taken(14));
  });

  it("has the one from before it also where it writes the words it keeps anew", () => {
    const kept = { items: [said(1), answered(2), said(11), answered(11)], boundaries: [compaction(12, 2)] };
    for (const at of [12, 13]) expect(entryFor([taken(10)], kept, seen(at))).toEqual(taken(10));
  });

  it("took what came before it, also when it is looked at later", () => {
    expect(compactedPart(told, seen(10, true))).toEqual({ start: 0, end: 2 });
    expect(compactedPart(told, seen(12))).toEqual({ start: 0, end: 2 });
    expect(compactedPart(told, seen(60, true))).toEqual({ start: 2, end: 4 });
    expect(compactedPart({ items: told.items, boundaries: [] }, seen(60))).toEqual({ start: 0, end: 4 });
  });
});
