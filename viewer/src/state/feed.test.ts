// The live feed: each thing once, in its order, over reconnects and pauses.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  emptyFeed,
  type Feed,
  type LiveRow,
  parseMessage,
  pauseFeed,
  resumeFeed,
  withPast,
  withRow,
} from "./feed.ts";

const row = (cursor: number, key = `#${cursor}`): LiveRow => ({
  key,
  cursor,
  kind: "observation",
  ref: key,
  title: "t",
  at: "2026-01-01T00:00:00.000Z",
  session: "s",
  project: "p",
  promptNumber: 1,
});

const cursors = (rows: readonly LiveRow[]): number[] => rows.map(({ cursor }) => cursor);
const fed = (...given: LiveRow[]): Feed => given.reduce(withRow, emptyFeed);

describe("the feed", () => {
  it("has what came last on top", () => {
    expect(cursors(fed(row(1), row(2), row(5)).rows)).toEqual([5, 2, 1]);
  });

  it("takes nothing twice, however often a line is cut and begun again", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(30), { maxLength: 60 }), (starts) => {
        // Each reconnect sends everything from some earlier place on.
        let feed = emptyFeed;
        for (const start of starts) {
          for (let cursor = start; cursor <= 31; cursor++) feed = withRow(feed, row(cursor));
        }
        const seen = cursors(feed.rows);
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen).toEqual([...seen].sort((a, b) => b - a));
      }),
    );
  });

  it("holds back what comes while it is paused, and gives it all when it goes on", () => {
    const held = [row(3), row(4)].reduce(withRow, pauseFeed(fed(row(1), row(2))));
    expect(cursors(held.rows)).toEqual([2, 1]);
    expect(cursors(held.held)).toEqual([4, 3]);
    expect(cursors(resumeFeed(held).rows)).toEqual([4, 3, 2, 1]);
    expect(resumeFeed(held).held).toEqual([]);
  });

  it("puts what was there before below, without what the stream brought already", () => {
    const feed = withPast(fed(row(8, "#3"), row(9, "#4")), [row(0, "#3"), row(0, "#2"), row(0, "#1")]);
    expect(feed.rows.map(({ key }) => key)).toEqual(["#4", "#3", "#2", "#1"]);
  });

  it("does not take from the stream what was there before", () => {
    const feed = withRow(withPast(emptyFeed, [row(0, "#3")]), row(8, "#3"));
    expect(feed.rows).toHaveLength(1);
    expect(feed.cursor).toBe(8);
  });
});

describe("a message of the stream", () => {
  const stored = { id: 7, claudeSessionId: "s", project: "p", createdAt: "2026-01-01T00:00:00.000Z" };

  it.each([
    ["prompt", { ...stored, promptText: "do it" }, { ref: "P7", title: "do it" }],
    [
      "observation",
      { ...stored, title: "found", type: "bugfix" },
      { ref: "#7", title: "found", type: "bugfix" },
    ],
    ["summary", { ...stored, completed: "done" }, { ref: "S7", title: "done" }],
    ["event", { id: "e1", kind: "tool" }, { key: "Ee1" }],
  ])("of kind %s becomes a row", (kind, data, expected) => {
    expect(parseMessage(kind, 3, data)).toMatchObject({ kind, cursor: 3, ...expected });
  });

  it("of a kind to come is passed over", () => {
    expect(parseMessage("future", 3, {})).toBeUndefined();
  });
});
