// The timeline as it is loaded: how many rows each day has, which were read already, and what to ask for next.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Day, TimelinePage, TimelineRow } from "../../../../src/http/wire.ts";
import { dayBounds, dayOf, locale } from "../../components/format.ts";
import { groupBy } from "../../components/grouped.ts";
import { toApiError } from "../../components/resource.tsx";
import { type ApiError, getJson, type Query, reconnects } from "../../state/api.ts";

export interface LoadedDay {
  readonly day: string;
  /** How many rows it has. */
  readonly count: number;
  /** As they were read, newest first; none before the first was. */
  readonly pages: readonly (readonly TimelineRow[])[];
  /** Where to go on reading; absent when nothing was read yet, or everything. */
  readonly next?: string;
  readonly isWhole: boolean;
}

export interface LoadedTimeline {
  /** Newest first. */
  readonly days: readonly LoadedDay[];
  /** Of sessions, by id. */
  readonly titles: Readonly<Record<string, string>>;
}

/** A request for the rows of some days, one after the other, or for the rest of one. */
export interface DayRequest {
  readonly from: string;
  readonly to: string;
  readonly cursor?: string;
  /** Newest first. */
  readonly days: readonly string[];
}

/** Rows of one request: small days come together, a large one in parts. */
export const PAGE_SIZE = 400;

export const emptyTimeline: LoadedTimeline = { days: [], titles: {} };

function byDay(rows: readonly TimelineRow[], offset: number) {
  return groupBy(rows, ({ at }) => dayOf(at, offset));
}

/**
 * What the first page alone tells, before the days are known. The last day of it may go on elsewhere:
 * it is kept only when it is the only one.
 */
export function fromFirstPage({ items, next, sessions }: TimelinePage, offset: number): LoadedTimeline {
  const days = [...byDay(items, offset)].map(
    ([day, rows]): LoadedDay => ({ day, count: rows.length, pages: [rows], isWhole: true }),
  );
  const last = days.at(-1);
  if (next === undefined || last === undefined) return { days, titles: sessions };
  const open: LoadedDay =
    days.length === 1
      ? { ...last, isWhole: false, next }
      : { day: last.day, count: last.count, pages: [], isWhole: false };
  return { days: [...days.slice(0, -1), open], titles: sessions };
}

const loadedRows = ({ pages }: LoadedDay) => pages.reduce((sum, page) => sum + page.length, 0);

/** All days there are; what was read of them stays. */
export function withDays({ days, titles }: LoadedTimeline, all: readonly Day[]): LoadedTimeline {
  const known = new Map(days.map((loaded) => [loaded.day, loaded]));
  const timeline = all.map(({ day, rows }): LoadedDay => {
    const loaded = known.get(day) ?? { day, pages: [], isWhole: false, count: 0 };
    return { ...loaded, count: Math.max(rows, loadedRows(loaded)) };
  });
  return { days: timeline, titles };
}

/** What to ask for so that this day gets rows; undefined when it has them all. Small unread days behind it come along. */
export function dayRequest({ days }: LoadedTimeline, at: number, offset: number): DayRequest | undefined {
  const first = days[at];
  if (first === undefined || first.isWhole) return undefined;
  const { to } = dayBounds(first.day, offset);
  if (first.next !== undefined) {
    return { from: dayBounds(first.day, offset).from, to, cursor: first.next, days: [first.day] };
  }
  let rows = first.count;
  let end = at + 1;
  for (; end < days.length; end++) {
    const loaded = days[end];
    if (
      loaded === undefined ||
      loaded.isWhole ||
      loaded.next !== undefined ||
      rows + loaded.count > PAGE_SIZE
    )
      break;
    rows += loaded.count;
  }
  const names = days.slice(at, end).map(({ day }) => day);
  return { from: dayBounds(names.at(-1) ?? first.day, offset).from, to, days: names };
}

/** With the rows that were asked for. Where there are more than a page, the day at which it ended goes on from there. */
export function withPage(
  timeline: LoadedTimeline,
  wanted: DayRequest,
  page: TimelinePage,
  offset: number,
): LoadedTimeline {
  const rows = byDay(page.items, offset);
  const reached = page.next === undefined ? undefined : dayOf(page.items.at(-1)?.at ?? 0, offset);
  const asked = new Set(wanted.days);
  const days = timeline.days.map((loaded) => {
    if (!asked.has(loaded.day)) return loaded;
    // Days behind the one at which the page ended were not reached: they stay as they are.
    if (reached !== undefined && loaded.day < reached) return loaded;
    const { next: _, ...rest } = loaded;
    const pages = [...loaded.pages, ...(rows.has(loaded.day) ? [rows.get(loaded.day) ?? []] : [])];
    const goesOn = page.next !== undefined && loaded.day === reached;
    return { ...rest, pages, isWhole: !goesOn, ...(goesOn ? { next: page.next } : {}) };
  });
  return { days, titles: { ...timeline.titles, ...page.sessions } };
}

const FIRST_PAGE_SIZE = 100;

/** Reads the first page and the days at once, then every day that `want` is called with. */
export function useTimeline(filters: Query) {
  const [timeline, setTimeline] = useState<LoadedTimeline>(emptyTimeline);
  const [error, setError] = useState<ApiError>();
  const [isLoading, setIsLoading] = useState(true);
  const [turn, setTurn] = useState(0);
  const { offset } = locale.value;
  const current = useRef<{ control: AbortController; asked: Set<string> }>(undefined);
  const latest = useRef(timeline);
  latest.current = timeline;

  useEffect(() => {
    const control = new AbortController();
    const { signal } = control;
    current.current = { control, asked: new Set() };
    setIsLoading(true);
    setError(undefined);
    const days = getJson<readonly Day[]>("/api/days", { ...filters, offset }, signal);
    const first = getJson<TimelinePage>("/api/timeline", { ...filters, limit: FIRST_PAGE_SIZE }, signal);
    first
      .then(async (page) => {
        setTimeline(fromFirstPage(page, offset));
        setIsLoading(false);
        const all = await days;
        setTimeline((before) => withDays(before, all));
      })
      .catch((problem) => {
        if (signal.aborted) return;
        setError(toApiError(problem));
        setIsLoading(false);
      });
    // Whatever the first page says, a failure of the days is told there and must not be unheard here.
    days.catch(() => undefined);
    return () => control.abort();
  }, [JSON.stringify(filters), turn, reconnects.value, offset]);

  const want = (day: number) => {
    const wanted = dayRequest(latest.current, day, offset);
    const round = current.current;
    if (wanted === undefined || round === undefined) return;
    const name = `${wanted.days.join()} ${wanted.cursor ?? ""}`;
    if (round.asked.has(name)) return;
    round.asked.add(name);
    const { from, to, cursor } = wanted;
    getJson<TimelinePage>(
      "/api/timeline",
      { ...filters, from, to, cursor, limit: PAGE_SIZE },
      round.control.signal,
    ).then(
      (page) => setTimeline((before) => withPage(before, wanted, page, offset)),
      (problem) => {
        round.asked.delete(name);
        if (!round.control.signal.aborted) setError(toApiError(problem));
      },
    );
  };
  return { timeline, isLoading, error, want, reload: () => setTurn((n) => n + 1) };
}
