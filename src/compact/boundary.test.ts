// Joining a history to a boundary: whole, rewound, forked, and in the other agent's reading of the three ids.
import { describe, expect, it } from "vitest";
import type { HistoryItem } from "../messages/index.ts";
import { type LinkedItem, relink } from "./boundary.ts";
import { preservedSegment } from "./index.ts";

const items = (...ids: string[]): HistoryItem[] =>
  ids.map((id) => ({ id, message: { role: "user", content: id } }));
const ids = (history: readonly HistoryItem[] | undefined): string =>
  (history ?? []).map(({ id }) => id).join("");
const parts = (history: LinkedItem[], segment: Parameters<typeof relink>[1]) => {
  const linked = relink(history, segment);
  return linked && [ids(linked.archived), ids(linked.kept), ids(linked.later), linked.forked];
};
const segment = { headUuid: "a", anchorUuid: "c", tailUuid: "e" };

describe("a boundary", () => {
  it("is made of the first message, the last that leaves and the last that stays", () => {
    expect(preservedSegment(items("a", "b", "c", "d", "e"), 3)).toEqual(segment);
    expect(preservedSegment(items("a", "b"), 2)).toEqual({ headUuid: "a", anchorUuid: "b", tailUuid: "b" });
    expect(preservedSegment(items("a", "b"), 0)).toBeUndefined();
    expect(preservedSegment([], 0)).toBeUndefined();
  });

  it("divides a resumed history at anchor and tail", () => {
    expect(parts(items("a", "b", "c", "d", "e", "f"), segment)).toEqual(["abc", "de", "f", false]);
    expect(parts(items("a", "b", "c"), { ...segment, tailUuid: "c" })).toEqual(["abc", "", "", false]);
  });

  it("holds when the tail was rewound or forked away, and what follows the anchor is kept", () => {
    expect(parts(items("a", "b", "c", "d", "x", "y"), segment)).toEqual(["abc", "dxy", "", true]);
    expect(parts(items("a", "b", "c"), segment)).toEqual(["abc", "", "", true]);
  });

  it("holds when the head is missing: an older beginning was cut off the transcript", () => {
    expect(parts(items("b", "c", "d", "e"), segment)).toEqual(["bc", "de", "", false]);
  });

  it("knows a message by any of the rows it was read from", () => {
    const merged: LinkedItem = { id: "e1", message: { role: "user", content: "e" }, uuids: ["e1", "e"] };
    expect(parts([...items("a", "b", "c", "d"), merged, ...items("f")], segment)).toEqual([
      "abc",
      "de1",
      "f",
      false,
    ]);
  });

  it("does not hold for a history that left before the anchor", () => {
    expect(parts(items("a", "b", "x"), segment)).toBeUndefined();
    expect(parts(items("a", "b"), { headUuid: "a", anchorUuid: "row" })).toBeUndefined();
  });

  it("reads head to tail as the kept messages where the anchor is a row behind them or no message", () => {
    const other = { headUuid: "d", anchorUuid: "s", tailUuid: "e" };
    const summary: LinkedItem = {
      id: "s",
      message: { role: "user", content: "s" },
      compactSummary: true,
    };
    expect(parts(items("a", "b", "c", "d", "e", "s", "f"), other)).toEqual(["abc", "de", "sf", false]);
    expect(parts(items("a", "b", "c", "d", "e", "f"), other)).toEqual(["abc", "de", "f", false]);
    expect(parts([...items("a", "b", "c"), summary, ...items("d", "e", "f")], other)).toEqual([
      "abcs",
      "de",
      "f",
      false,
    ]);
    expect(parts(items("e", "f"), other)).toBeUndefined();
    // The last row that was kept need not be a message.
    const hooked = { ...other, tailUuid: "row" };
    expect(parts([...items("a", "b", "c", "d", "e"), summary, ...items("f")], hooked)).toEqual([
      "abc",
      "de",
      "sf",
      true,
    ]);
  });
});
