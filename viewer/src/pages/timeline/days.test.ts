// The timeline loads in pieces, in any order, and ends up complete: every row once, in its place.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TimelinePage, TimelineRow } from "../../../../src/http/wire.ts";
import { dayOf } from "../../components/format.ts";
import { groupBy } from "../../components/grouped.ts";
import {
  type DayRequest,
  dayRequest,
  emptyTimeline,
  fromFirstPage,
  type LoadedTimeline,
  PAGE_SIZE,
  withDays,
  withoutFarRows,
  withPage,
} from "./days.ts";
import { entryHeight, timelineEntries } from "./lines.tsx";

const OFFSET = 120;
const HOUR = 3_600_000;
const start = Date.parse("2026-05-01T00:00:00.000Z");

const row = (at: number, more: Partial<TimelineRow> = {}): TimelineRow => ({
  ref: `#${at}`,
  kind: "observation",
  at: new Date(start + at).toISOString(),
  project: "p",
  session: `s${Math.floor(at / (5 * HOUR))}`,
  promptNumber: 1,
  title: `row ${at}`,
  tokens: 1,
  ...more,
});

/** A worker with these rows, newest first. */
function workerWith(rows: readonly TimelineRow[]) {
  const page = (from: string, to: string, cursor = "0", limit = PAGE_SIZE): TimelinePage => {
    const own = rows.filter(({ at }) => at >= from && at < to);
    const items = own.slice(Number(cursor), Number(cursor) + limit);
    const end = Number(cursor) + limit;
    const sessions = Object.fromEntries(items.map(({ session }) => [session, `title of ${session}`]));
    return { items, sessions, ...(end < own.length ? { next: String(end) } : {}) };
  };
  const days = [...groupBy(rows, ({ at }) => dayOf(at, OFFSET))].map(([day, own]) => ({
    day,
    rows: own.length,
  }));
  return { page, days, answer: ({ from, to, cursor }: DayRequest) => page(from, to, cursor) };
}

function readEverything(
  timeline: LoadedTimeline,
  answer: (wanted: DayRequest) => TimelinePage,
  order: (n: number) => number,
): LoadedTimeline {
  let now = timeline;
  for (let asked = 0; asked < 500; asked++) {
    const open = now.days.flatMap(({ isWhole }, at) => (isWhole ? [] : [at]));
    const wanted = open.length === 0 ? undefined : dayRequest(now, open[order(open.length)] ?? 0, OFFSET);
    if (wanted === undefined) break;
    now = withPage(now, wanted, answer(wanted), OFFSET);
  }
  return now;
}

const refsOf = (timeline: LoadedTimeline): string[] =>
  timeline.days.flatMap(({ pages }) => pages.flat()).map(({ ref }) => ref);

describe("the timeline", () => {
  it("is whole in the end, wherever the reader jumps first", () => {
    const times = fc.uniqueArray(fc.integer({ min: 0, max: 20 * 24 * HOUR }), { maxLength: 900 });
    fc.assert(
      fc.property(times, fc.infiniteStream(fc.nat()), (given, jumps) => {
        const rows = given.toSorted((a, b) => b - a).map((at) => row(at));
        const { page, days, answer } = workerWith(rows);
        const first = fromFirstPage(page("", "9", "0", 50), OFFSET);
        const timeline = readEverything(withDays(first, days), answer, (n) => (jumps.next().value ?? 0) % n);
        expect(refsOf(timeline)).toEqual(rows.map(({ ref }) => ref));
        expect(timeline.days.every(({ isWhole }) => isWhole)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it("shows the first page before it knows the days", () => {
    const rows = [3, 2, 1].map((day) => row(day * 24 * HOUR));
    const { days } = fromFirstPage({ items: rows, sessions: {}, next: "3" }, OFFSET);
    expect(days.map(({ day, isWhole }) => [day, isWhole])).toEqual([
      ["2026-05-04", true],
      ["2026-05-03", true],
      ["2026-05-02", false],
    ]);
  });

  it("lets rows of far days go when there are many, and asks for them again", () => {
    const days = Array.from({ length: 40 }, (_, at) => ({
      ...{ day: `2026-05-${String(at)}`, count: 400, isWhole: true },
      pages: [Array.from({ length: 400 }, (_row, index) => row(at * 1_000 + index))],
    }));
    const near = withoutFarRows({ days, titles: {} }, 20);
    const loaded = near.days.map(({ pages }) => pages.length > 0);
    expect(loaded.filter(Boolean)).toHaveLength(15);
    expect(loaded.slice(13, 28).every(Boolean)).toBe(true);
    expect(near.days[0]).toMatchObject({ count: 400, isWhole: false });
    expect(withoutFarRows(near, 20).days).toEqual(near.days);
  });

  it("asks for many small days at once and for a large one alone", () => {
    const all = [
      { day: "2026-05-09", rows: 3 },
      { day: "2026-05-08", rows: 5 },
      { day: "2026-05-05", rows: 5_000 },
      { day: "2026-05-04", rows: 1 },
    ];
    const timeline = withDays(emptyTimeline, all);
    expect(dayRequest(timeline, 0, OFFSET)?.days).toEqual(["2026-05-09", "2026-05-08"]);
    expect(dayRequest(timeline, 2, OFFSET)).toEqual({
      from: "2026-05-04T22:00:00.000Z",
      to: "2026-05-05T22:00:00.000Z",
      days: ["2026-05-05"],
    });
  });
});

describe("its lines", () => {
  const nothing = { traces: new Map(), turns: new Set<string>(), calls: new Set<string>() };

  it("are days, sessions and their turns, each of which is one line until it is opened", () => {
    const rows = [
      row(9 * HOUR, { ref: "S1", kind: "summary", session: "a" }),
      row(8 * HOUR, { ref: "#2", session: "b" }),
      row(7 * HOUR, { ref: "#1", session: "a" }),
      row(6 * HOUR, { ref: "P1", kind: "prompt", session: "a" }),
    ];
    const timeline = fromFirstPage({ items: rows, sessions: { a: "First", b: "Second" } }, OFFSET);
    expect(
      timelineEntries(timeline, { ...nothing, turns: new Set(["a:1"]) }).map((entry) =>
        entry.kind === "session" ? entry.title : `${entry.kind} ${entry.key}`,
      ),
    ).toEqual([
      ...["day 2026-05-01", "First", "turn a:1", "found #1", "note a:1 loading", "note a:1 end"],
      ...["Second", "turn b:1"],
    ]);
  });

  it("name a session once where a page ends in the middle of it", () => {
    const timeline = withDays(emptyTimeline, [{ day: "2026-05-01", rows: 2 }]);
    const answer = (ref: string, next?: string): TimelinePage => ({
      items: [row(HOUR, { ref, session: "a" })],
      sessions: {},
      ...(next === undefined ? {} : { next }),
    });
    const one = withPage(timeline, dayRequest(timeline, 0, OFFSET) as DayRequest, answer("#2", "x"), OFFSET);
    const two = withPage(one, dayRequest(one, 0, OFFSET) as DayRequest, answer("#1"), OFFSET);
    expect(timelineEntries(two, nothing).filter(({ kind }) => kind === "session")).toHaveLength(1);
    expect(new Set(timelineEntries(two, nothing).map(({ key }) => key)).size).toBe(
      timelineEntries(two, nothing).length,
    );
  });

  it("have one gap for what was not read, as high as that will be", () => {
    const timeline = withDays(emptyTimeline, [{ day: "2026-05-01", rows: 40_000 }]);
    const entries = timelineEntries(timeline, nothing);
    expect(entries.map(({ kind }) => kind)).toEqual(["day", "gap"]);
    expect(entries.reduce((sum, entry) => sum + entryHeight(entry), 0)).toBeGreaterThan(500_000);
  });
});
