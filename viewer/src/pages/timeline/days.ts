// Loads the timeline: how many rows each day has, which of them are there, and what to request next.
import { useRef, useState } from "preact/hooks";
import type { Day, TimelinePage, TimelineRow } from "../../../../src/http/wire.ts";
import { dayBounds, dayOf, locale } from "../../components/format.ts";
import { groupBy } from "../../components/grouped.ts";
import { toApiError, useLoading } from "../../components/resource.tsx";
import { getJson, type Query } from "../../state/api.ts";

export interface LoadedDay {
  readonly day: string;
  /** How many rows it has. */
  readonly count: number;
  /** As they were loaded, newest first. */
  readonly pages: readonly (readonly TimelineRow[])[];
  /** The cursor of the next page; undefined before the first page and after the last. */
  readonly next?: string | undefined;
  readonly isWhole: boolean;
}

export interface LoadedTimeline {
  /** Newest first. */
  readonly days: readonly LoadedDay[];
  /** The titles of sessions, by id. */
  readonly titles: Readonly<Record<string, string>>;
}

/** A request for the rows of consecutive days, or for the rest of one. */
export interface DayRequest {
  readonly from: string;
  readonly to: string;
  readonly cursor?: string;
  /** Newest first. */
  readonly days: readonly string[];
}

/** Rows per request: small days come together, a large one in pages. */
export const PAGE_SIZE = 400;

export const emptyTimeline: LoadedTimeline = { days: [], titles: {} };

const rowsByDay = (rows: readonly TimelineRow[], offset: number) =>
  groupBy(rows, ({ at }) => dayOf(at, offset));

/**
 * The timeline of the first page, before the days are known. Its last day may be incomplete: its rows are kept only
 * when it is the only day.
 */
export function fromFirstPage({ items, next, sessions }: TimelinePage, offset: number): LoadedTimeline {
  const days = [...rowsByDay(items, offset)].map(
    ([day, rows]): LoadedDay => ({ day, count: rows.length, pages: [rows], isWhole: true }),
  );
  const last = days.at(-1);
  if (next !== undefined && last) {
    const rest = days.length === 1 ? { next } : { pages: [] };
    days[days.length - 1] = { ...last, ...rest, isWhole: false };
  }
  return { days, titles: sessions };
}

export const loadedRows = ({ pages }: LoadedDay) => pages.reduce((sum, page) => sum + page.length, 0);

/** Adds all days there are, and keeps their loaded rows. */
export function withDays({ days, titles }: LoadedTimeline, all: readonly Day[]): LoadedTimeline {
  const known = new Map(days.map((loaded) => [loaded.day, loaded]));
  const timeline = all.map(({ day, rows }): LoadedDay => {
    const loaded = known.get(day) ?? { day, pages: [], isWhole: false, count: 0 };
    return { ...loaded, count: Math.max(rows, loadedRows(loaded)) };
  });
  return { days: timeline, titles };
}

/** The next request for a day, together with the small days that follow it; undefined when the day has all its rows. */
export function dayRequest({ days }: LoadedTimeline, at: number, offset: number): DayRequest | undefined {
  const first = days[at];
  if (!first || first.isWhole) return undefined;
  const { from, to } = dayBounds(first.day, offset);
  if (first.next !== undefined) return { from, to, cursor: first.next, days: [first.day] };
  let rows = first.count;
  const names = [first.day];
  for (const { day, count, isWhole, next } of days.slice(at + 1)) {
    rows += count;
    if (isWhole || next !== undefined || rows > PAGE_SIZE) break;
    names.push(day);
  }
  return { from: dayBounds(names.at(-1) ?? first.day, offset).from, to, days: names };
}

/** Adds the rows of a request. When there are more, the day at which the page ended continues from its cursor. */
export function withPage(
  timeline: LoadedTimeline,
  { days: requested, cursor }: DayRequest,
  { items, next, sessions }: TimelinePage,
  offset: number,
): LoadedTimeline {
  const rows = rowsByDay(items, offset);
  const reached = next === undefined ? "" : dayOf(items.at(-1)?.at ?? 0, offset);
  const days = timeline.days.map((loaded) => {
    const { day, pages } = loaded;
    // The page did not reach the days after the one at which it ended.
    if (!requested.includes(day) || day < reached) return loaded;
    // Requested twice: its rows are there.
    if (loaded.isWhole || loaded.next !== cursor) return loaded;
    const page = rows.get(day);
    const isWhole = day !== reached;
    return { ...loaded, pages: page ? [...pages, page] : pages, isWhole, next: isWhole ? undefined : next };
  });
  return { days, titles: { ...timeline.titles, ...sessions } };
}

const MOST_LOADED_ROWS = 6_000;

/** Drops rows of the days that are farthest from the one at `at` when there are many; they are loaded again when they are seen. */
export function withoutFarRows({ days, titles }: LoadedTimeline, at: number): LoadedTimeline {
  let rows = days.reduce((sum, loaded) => sum + loadedRows(loaded), 0);
  const far = days.map((_, index) => index).sort((a, b) => Math.abs(b - at) - Math.abs(a - at));
  const dropped = new Set<number>();
  for (const index of far) {
    const own = days[index];
    if (rows <= MOST_LOADED_ROWS || index === at || !own) break;
    rows -= loadedRows(own);
    dropped.add(index);
  }
  if (dropped.size === 0) return { days, titles };
  const kept = days.map((loaded, index) =>
    dropped.has(index) ? { ...loaded, pages: [], next: undefined, isWhole: false } : loaded,
  );
  return { days: kept, titles };
}

const FIRST_PAGE_SIZE = 100;

/** Loads the first page and the days at once, then every day that `loadDay` is called with. */
export function useTimeline(filters: Query) {
  const [timeline, setTimeline] = useState<LoadedTimeline>(emptyTimeline);
  const { offset } = locale.value;
  const current = useRef<{ signal: AbortSignal; requested: Set<string> }>(undefined);
  const latest = useRef(timeline);
  latest.current = timeline;
  const loading = useLoading(
    async (signal) => {
      current.current = { signal, requested: new Set() };
      // The worker answers in this order: counting the days of a large store takes longer than its first page.
      const query = { ...filters, limit: FIRST_PAGE_SIZE };
      const loadingPage = getJson<TimelinePage>("/api/timeline", query, signal);
      const loadingDays = getJson<readonly Day[]>("/api/days", { ...filters, offset }, signal);
      // When the first page fails as well, only that failure is reported.
      loadingDays.catch(() => undefined);
      setTimeline(fromFirstPage(await loadingPage, offset));
      const days = await loadingDays;
      setTimeline((before) => withDays(before, days));
    },
    [JSON.stringify(filters), offset],
  );

  const loadDay = async (day: number) => {
    const wanted = dayRequest(latest.current, day, offset);
    if (!wanted || !current.current) return;
    const { signal, requested } = current.current;
    const { from, to, cursor, days } = wanted;
    const name = `${days.join()} ${cursor ?? ""}`;
    if (requested.has(name)) return;
    requested.add(name);
    try {
      const query = { ...filters, from, to, cursor, limit: PAGE_SIZE };
      const page = await getJson<TimelinePage>("/api/timeline", query, signal);
      setTimeline((before) => withoutFarRows(withPage(before, wanted, page, offset), day));
    } catch (problem) {
      if (!signal.aborted) loading.setError(toApiError(problem));
    } finally {
      requested.delete(name);
    }
  };
  return { timeline, loading, loadDay };
}
