// The trace of a session: its turns, each with what was found in it and its steps, as one virtual list of known heights.
import { signal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { SessionDetail, TimelinePage, TimelineRow } from "../../../../src/http/wire.ts";
import { Button, Empty } from "../../components/layout.tsx";
import { LoadedList, useLoading } from "../../components/resource.tsx";
import { type ScrollToRow, VirtualList } from "../../components/virtualList.tsx";
import { getJson } from "../../state/api.ts";
import { lastRow } from "../../state/feed.ts";
import { t } from "../../state/preferences.ts";
import { setFilters } from "../../state/route.ts";
import { loadFigures, loadSteps } from "../../state/traces.ts";
import { type TurnEntry, turnEntries, turnEntryHeight } from "../../turns/entries.ts";
import { openTurns, toggle } from "../../turns/opened.ts";
import { TurnEntryLine } from "../../turns/turnLine.tsx";
import { sessionTurns, type Turn, turnsOf } from "../../turns/turns.ts";
import { useOpenSteps, useShown } from "../../turns/useShown.ts";

/** A request that was chosen in the chart, and is to be scrolled to once its turn is open. */
export const wantedRequest = signal<number>();

const TURN_ROWS_PER_PAGE = 500;

function useStoredRows(session: string) {
  const [rows, setRows] = useState<readonly TimelineRow[]>([]);
  // Loads again when a row of this session arrives.
  const news = useRef<string>(undefined);
  if (lastRow.value?.session === session) news.current = lastRow.value.key;
  const loading = useLoading(
    async (signal) => {
      const loaded: TimelineRow[] = [];
      let cursor: string | undefined;
      do {
        const query = { session, cursor, limit: TURN_ROWS_PER_PAGE, order: "oldest" };
        const page: TimelinePage = await getJson("/api/timeline", query, signal);
        loaded.push(...page.items);
        cursor = page.next;
        // The first page is shown while the others are read; a reload replaces all at its end.
        if (rows.length === 0 || cursor === undefined) setRows([...loaded]);
      } while (cursor !== undefined);
    },
    [session, news.current],
  );
  return { rows, loading };
}

/** The turn that holds a request: requests are counted through all turns. */
function turnOfRequest(turns: readonly Turn[], request: number) {
  let before = 0;
  for (const turn of turns) {
    before += turn.figures?.requests ?? 0;
    if (request < before) return turn;
  }
  return undefined;
}

/** Opens the turn of a wanted request, and scrolls to its line as soon as that is there. */
function useWantedRequest(
  turns: readonly Turn[],
  entries: readonly TurnEntry[],
  scrollToRow: ScrollToRow | null,
) {
  const wanted = wantedRequest.value;
  useEffect(() => {
    if (wanted === undefined) return;
    const at = entries.findIndex(
      (entry) => entry.kind === "step" && entry.step.kind === "request" && entry.step.point === wanted,
    );
    if (at >= 0) {
      scrollToRow?.(Math.max(0, at - 3));
      wantedRequest.value = undefined;
      return;
    }
    const turn = turnOfRequest(turns, wanted);
    if (turn && !openTurns().has(turn.key)) toggle("turn", turn.key);
  }, [wanted, entries]);
}

interface ToolbarProps {
  readonly failing: number;
  readonly onlyFailing: boolean;
  readonly isAllOpen: boolean;
  readonly setOnlyFailing: (only: boolean) => void;
  readonly setAllOpen: (open: boolean) => void;
}

function Toolbar({ failing, onlyFailing, isAllOpen, setOnlyFailing, setAllOpen }: ToolbarProps) {
  const { trace } = t;
  return (
    <div class="trace-tools">
      <Button
        class="quiet"
        aria-pressed={isAllOpen}
        onClick={() => {
          setAllOpen(!isAllOpen);
          setFilters({ turn: "", call: "" }, "replace");
        }}
      >
        {isAllOpen ? trace.closeAll : trace.openAll}
      </Button>
      {failing > 0 && (
        <Button class="quiet" aria-pressed={onlyFailing} onClick={() => setOnlyFailing(!onlyFailing)}>
          {trace.onlyFailing(failing)}
        </Button>
      )}
      <span class="legend tiny muted">
        {(["model", "thinking", "ok", "failed"] as const).map((name) => (
          <span key={name}>
            <span class={`swatch-bar ${name}`} /> {trace.bars[name]}
          </span>
        ))}
      </span>
    </div>
  );
}

export function TraceView({ session: { claudeSessionId: id, project } }: SessionDetail) {
  const { rows, loading } = useStoredRows(id);
  const shown = useShown();
  const [isAllOpen, setAllOpen] = useState(false);
  const [onlyFailing, setOnlyFailing] = useState(false);
  const scrollToRow = useRef<ScrollToRow>(null);
  useEffect(() => loadFigures(id), [id, shown.traces]);
  const trace = shown.traces.get(id);
  const turns = useMemo(
    () => sessionTurns({ id, project }, turnsOf(rows), trace?.turns ?? []),
    [rows, trace?.turns, id],
  );
  const entries = useMemo(() => {
    const listed = onlyFailing ? turns.filter(({ figures }) => (figures?.failed ?? 0) > 0) : turns;
    const opened = isAllOpen ? new Set(listed.map(({ key }) => key)) : shown.turns;
    return listed.flatMap((turn) => turnEntries(turn, { turns: opened, calls: shown.calls, trace }));
  }, [turns, trace, shown, isAllOpen, onlyFailing]);
  useOpenSteps(isAllOpen ? [] : entries);
  useEffect(() => {
    if (isAllOpen && trace?.state === "known") loadSteps(id, "all");
  }, [isAllOpen, trace?.state]);
  useWantedRequest(turns, entries, scrollToRow.current);
  const failing = turns.reduce((sum, { figures }) => sum + (figures?.failed ?? 0), 0);
  return (
    <LoadedList from={loading} empty={<Empty title={t.session.noTrace}>{t.session.noTraceHelp}</Empty>}>
      {turns.length > 0 && (
        <>
          <Toolbar {...{ failing, onlyFailing, isAllOpen, setOnlyFailing, setAllOpen }} />
          <VirtualList
            rows={entries}
            label={t.session.trace}
            heightOf={turnEntryHeight}
            render={(entry) => <TurnEntryLine entry={entry} withDate />}
            scrollToRow={scrollToRow}
          />
        </>
      )}
    </LoadedList>
  );
}
