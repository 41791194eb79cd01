// The timeline as lines: a day, its sessions, their turns, and what happened in each; gaps where nothing was read yet.
import type { TimelineRow } from "../../../../src/http/wire.ts";
import { grouped } from "../../parts/grouped.ts";
import type { DayShelf, Shelves } from "./days.ts";

export type Entry =
  | { readonly kind: "day"; readonly key: string; readonly day: string; readonly count: number }
  | {
      readonly kind: "session";
      readonly key: string;
      readonly session: string;
      readonly title: string;
      readonly project: string;
      /** When it was last active on this day. */
      readonly at: string;
    }
  | { readonly kind: "turn" | "row"; readonly key: string; readonly row: TimelineRow }
  | { readonly kind: "gap"; readonly key: string; readonly at: number; readonly rows: number };

const heights = { day: 48, session: 38, turn: 32, row: 30 } as const;

export function heightOf(entry: Entry): number {
  return entry.kind === "gap" ? entry.rows * heights.row : heights[entry.kind];
}

/** A turn has its prompt first, and below it what came of it, newest first. */
export function turnsOf(rows: readonly TimelineRow[]): Entry[] {
  return [...grouped(rows, ({ promptNumber }) => promptNumber).values()].flatMap((turn) => {
    const line = (row: TimelineRow, kind: "turn" | "row"): Entry => ({ kind, key: row.ref, row });
    const prompts = turn.filter(({ kind }) => kind === "prompt");
    const rest = turn.filter(({ kind }) => kind !== "prompt");
    return [...prompts.map((row) => line(row, "turn")), ...rest.map((row) => line(row, "row"))];
  });
}

function entriesOfPage(
  day: string,
  rows: readonly TimelineRow[],
  part: number,
  titles: Shelves["titles"],
  continued: string | undefined,
): Entry[] {
  return [...grouped(rows, ({ session }) => session)].flatMap(([session, own], index) => {
    const [newest] = own;
    // A page ends where it ends: the next one goes on without naming the session again.
    if (newest === undefined || (index === 0 && session === continued)) return turnsOf(own);
    const { project, at } = newest;
    const title = titles[session] ?? session;
    return [
      { kind: "session", key: `${day} ${part} ${session}`, session, title, project, at } as const,
      ...turnsOf(own),
    ];
  });
}

function entriesOfDay(shelf: DayShelf, at: number, titles: Shelves["titles"]): Entry[] {
  const { day, count, pages, isWhole } = shelf;
  const lines = pages.flatMap((rows, part) =>
    entriesOfPage(day, rows, part, titles, pages[part - 1]?.at(-1)?.session),
  );
  const left = count - pages.reduce((sum, page) => sum + page.length, 0);
  const gap: Entry[] = isWhole ? [] : [{ kind: "gap", key: `gap ${day}`, at, rows: Math.max(1, left) }];
  return [{ kind: "day", key: day, day, count }, ...lines, ...gap];
}

export function entriesOf({ days, titles }: Shelves): Entry[] {
  return days.flatMap((shelf, at) => entriesOfDay(shelf, at, titles));
}
