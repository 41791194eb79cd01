// Reads the timeline: the first page and the days at once, then whatever is looked at.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Day, TimelinePage } from "../../../../src/http/wire.ts";
import { asProblem } from "../../parts/resource.ts";
import { reader } from "../../state/reader.ts";
import { revivals } from "../../state/worker.ts";
import { ask, type Query, type WireError } from "../../wire.ts";
import { fromFirstPage, noShelves, PAGE, type Shelves, wantedAt, withDays, withPage } from "./days.ts";

const FIRST = 100;

interface Timeline {
  readonly shelves: Shelves;
  readonly isLoading: boolean;
  readonly error: WireError | undefined;
  /** Reads rows of a day that is looked at. */
  want(day: number): void;
  reload(): void;
}

/** `question` says when filters have changed. */
export function useShelves(question: string, filters: Query): Timeline {
  const [shelves, setShelves] = useState<Shelves>(noShelves);
  const [error, setError] = useState<WireError>();
  const [isLoading, setIsLoading] = useState(true);
  const [turn, setTurn] = useState(0);
  const { offset } = reader.value;
  const current = useRef<{ control: AbortController; asked: Set<string> }>(undefined);
  const latest = useRef(shelves);
  latest.current = shelves;
  const revival = revivals.value;

  useEffect(() => {
    const control = new AbortController();
    const { signal } = control;
    current.current = { control, asked: new Set() };
    setIsLoading(true);
    setError(undefined);
    const days = ask<readonly Day[]>("/api/days", { ...filters, offset }, signal);
    const first = ask<TimelinePage>("/api/timeline", { ...filters, limit: FIRST }, signal);
    first
      .then(async (page) => {
        const begun = fromFirstPage(page, offset);
        setShelves(begun);
        setIsLoading(false);
        const all = await days;
        setShelves((before) => withDays(before, all));
      })
      .catch((problem) => {
        if (signal.aborted) return;
        setError(asProblem(problem));
        setIsLoading(false);
      });
    // Whatever the first page says, a failure of the days is told there and must not be unheard here.
    days.catch(() => undefined);
    return () => control.abort();
  }, [question, turn, revival, offset]);

  const want = (day: number): void => {
    const wanted = wantedAt(latest.current, day, offset);
    const round = current.current;
    if (wanted === undefined || round === undefined) return;
    const name = `${wanted.days.join()} ${wanted.cursor ?? ""}`;
    if (round.asked.has(name)) return;
    round.asked.add(name);
    const { from, to, cursor } = wanted;
    ask<TimelinePage>(
      "/api/timeline",
      { ...filters, from, to, cursor, limit: PAGE },
      round.control.signal,
    ).then(
      (page) => setShelves((before) => withPage(before, wanted, page, offset)),
      (problem) => {
        round.asked.delete(name);
        if (!round.control.signal.aborted) setError(asProblem(problem));
      },
    );
  };
  return { shelves, isLoading, error, want, reload: () => setTurn((n) => n + 1) };
}
