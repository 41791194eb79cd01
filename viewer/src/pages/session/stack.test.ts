// The window as a chart: sums are right, nothing is hidden, markers keep apart.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type WindowEvent, type WindowPoint, windowParts } from "../../../../src/http/wire.ts";
import { batchesOf, markersOf, partsIn, scaleTop, stackOf, totalTokens } from "./stack.ts";

const point = (tokens: Partial<WindowPoint["tokens"]>): WindowPoint => ({
  at: "2026-01-01T00:00:00.000Z",
  model: "m",
  outOfSight: 0,
  tokens: {
    ...(Object.fromEntries(windowParts.map((part) => [part, 0])) as WindowPoint["tokens"]),
    ...tokens,
  },
});

const event = (at: number, kind: WindowEvent["kind"] = "edit"): WindowEvent => ({
  id: `${kind}${at}`,
  at: "2026-01-01T00:00:00.000Z",
  point: at,
  kind,
  what: "clear",
  level: "microcompact",
  by: "here",
  why: "why",
  before: 2,
  after: 1,
  handles: [],
  undone: false,
  undo: { legal: true },
});

describe("the stack", () => {
  it("has the whole on top and only parts that there are", () => {
    const points = [point({ system: 10, user: 5 }), point({ system: 10, results: 7 })];
    expect(partsIn(points)).toEqual(["system", "user", "results"]);
    expect(stackOf(points, partsIn(points))).toEqual([
      { part: "results", tops: [15, 17] },
      { part: "user", tops: [15, 10] },
      { part: "system", tops: [10, 10] },
    ]);
  });

  it("always adds up", () => {
    const tokens = fc.record(Object.fromEntries(windowParts.map((part) => [part, fc.nat(50_000)])));
    fc.assert(
      fc.property(fc.array(tokens, { minLength: 1, maxLength: 20 }), (given) => {
        const points = given.map((one) => point(one as WindowPoint["tokens"]));
        const [top] = stackOf(points, windowParts);
        expect(top?.tops).toEqual(points.map(totalTokens));
      }),
    );
  });
});

describe("the scale", () => {
  it("shows the limit when the window comes near it, and the window when it does not", () => {
    expect(scaleTop([point({ user: 150_000 })], 200_000)).toBeCloseTo(212_000);
    expect(scaleTop([point({ user: 20_000 })], 1_000_000)).toBeCloseTo(22_400);
    expect(scaleTop([point({ user: 100 })], undefined)).toBeCloseTo(112);
    expect(scaleTop([], 200_000)).toBeGreaterThan(0);
  });
});

describe("what was done at once", () => {
  it("is one line, and what was done later or for another reason is another", () => {
    const events = [event(1), event(1), event(4), { ...event(4), why: "else" }, event(5, "compaction")];
    expect(batchesOf(events).map((batch) => batch.length)).toEqual([2, 1, 1, 1]);
  });

  it("is another line once some of it was taken back", () => {
    expect(batchesOf([event(1), { ...event(1), undone: true }, event(1)])).toHaveLength(3);
    expect(batchesOf([])).toEqual([]);
  });
});

describe("markers", () => {
  it("are one where they would cover each other, but a compaction stands alone", () => {
    const events = [event(1), event(2), event(9), event(10, "compaction"), event(11)];
    expect(markersOf(events, 4).map(({ point: at, events: own }) => [at, own.length])).toEqual([
      [1, 2],
      [9, 1],
      [10, 1],
      [11, 1],
    ]);
  });

  it("lose no event", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(300)), fc.integer({ min: 1, max: 40 }), (points, apart) => {
        const markers = markersOf(
          points.map((at) => event(at)),
          apart,
        );
        expect(markers.flatMap(({ events }) => events)).toHaveLength(points.length);
      }),
    );
  });
});
