// What is known of the timeline: how much each day has, which of it was read already, and what to ask for next.
import type { Day, TimelinePage, TimelineRow } from "../../../../src/http/wire.ts";
import { boundsOf, dayOf } from "../../parts/format.ts";
import { grouped } from "../../parts/grouped.ts";

export interface DayShelf {
  readonly day: string;
  /** How many rows it has. */
  readonly count: number;
  /** As they were read, newest first; none before the first was. */
  readonly pages: readonly (readonly TimelineRow[])[];
  /** Where to go on reading; absent when nothing was read yet, or everything. */
  readonly next?: string;
  readonly isWhole: boolean;
}

export interface Shelves {
  /** Newest first. */
  readonly days: readonly DayShelf[];
  /** Of sessions, by id. */
  readonly titles: Readonly<Record<string, string>>;
}

/** A request for the rows of some days, one after the other, or for the rest of one. */
export interface Wanted {
  readonly from: string;
  readonly to: string;
  readonly cursor?: string;
  /** Newest first. */
  readonly days: readonly string[];
}

/** Rows of one request: small days come together, a large one in parts. */
export const PAGE = 400;

export const noShelves: Shelves = { days: [], titles: {} };

function byDay(rows: readonly TimelineRow[], offset: number): ReadonlyMap<string, readonly TimelineRow[]> {
  return grouped(rows, ({ at }) => dayOf(at, offset));
}

/**
 * What the first page alone tells, before the days are known. The last day of it may go on elsewhere:
 * it is kept only when it is the only one.
 */
export function fromFirstPage({ items, next, sessions }: TimelinePage, offset: number): Shelves {
  const days = [...byDay(items, offset)].map(
    ([day, rows]): DayShelf => ({ day, count: rows.length, pages: [rows], isWhole: true }),
  );
  const last = days.at(-1);
  if (next === undefined || last === undefined) return { days, titles: sessions };
  const open: DayShelf =
    days.length === 1
      ? { ...last, isWhole: false, next }
      : { day: last.day, count: last.count, pages: [], isWhole: false };
  return { days: [...days.slice(0, -1), open], titles: sessions };
}

const readOf = ({ pages }: DayShelf): number => pages.reduce((sum, page) => sum + page.length, 0);

/** All days there are; what was read of them stays. */
export function withDays({ days, titles }: Shelves, all: readonly Day[]): Shelves {
  const known = new Map(days.map((shelf) => [shelf.day, shelf]));
  const shelves = all.map(({ day, rows }): DayShelf => {
    const shelf = known.get(day) ?? { day, pages: [], isWhole: false, count: 0 };
    return { ...shelf, count: Math.max(rows, readOf(shelf)) };
  });
  return { days: shelves, titles };
}

/** What to ask for so that this day gets rows; undefined when it has them all. Small unread days behind it come along. */
export function wantedAt({ days }: Shelves, at: number, offset: number): Wanted | undefined {
  const first = days[at];
  if (first === undefined || first.isWhole) return undefined;
  const { to } = boundsOf(first.day, offset);
  if (first.next !== undefined) {
    return { from: boundsOf(first.day, offset).from, to, cursor: first.next, days: [first.day] };
  }
  let rows = first.count;
  let end = at + 1;
  for (; end < days.length; end++) {
    const shelf = days[end];
    if (shelf === undefined || shelf.isWhole || shelf.next !== undefined || rows + shelf.count > PAGE) break;
    rows += shelf.count;
  }
  const names = days.slice(at, end).map(({ day }) => day);
  return { from: boundsOf(names.at(-1) ?? first.day, offset).from, to, days: names };
}

/** With the rows that were asked for. Where there are more than a page, the day at which it ended goes on from there. */
export function withPage(shelves: Shelves, wanted: Wanted, page: TimelinePage, offset: number): Shelves {
  const rows = byDay(page.items, offset);
  const reached = page.next === undefined ? undefined : dayOf(page.items.at(-1)?.at ?? 0, offset);
  const asked = new Set(wanted.days);
  const days = shelves.days.map((shelf): DayShelf => {
    if (!asked.has(shelf.day)) return shelf;
    // Days behind the one at which the page ended were not reached: they stay as they are.
    if (reached !== undefined && shelf.day < reached) return shelf;
    const { next: _, ...rest } = shelf;
    const pages = [...shelf.pages, ...(rows.has(shelf.day) ? [rows.get(shelf.day) ?? []] : [])];
    const goesOn = page.next !== undefined && shelf.day === reached;
    return { ...rest, pages, isWhole: !goesOn, ...(goesOn ? { next: page.next } : {}) };
  });
  return { days, titles: { ...shelves.titles, ...page.sessions } };
}
