// A session from its first prompt to its last, turn by turn.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { TimelinePage, TimelineRow } from "../../../../src/http/wire.ts";
import { asProblem } from "../../parts/resource.ts";
import { Bones, Empty, ProblemNote } from "../../parts/states.tsx";
import { VirtualList } from "../../parts/virtualList.tsx";
import { t } from "../../state/look.ts";
import { lastRow } from "../../state/stream.ts";
import { ask, type WireError } from "../../wire.ts";
import { type Entry, heightOf, turnsOf } from "../timeline/entries.ts";
import { Line } from "../timeline/lines.tsx";

const PAGE = 500;

/** All of it, page by page: a story is read from its beginning. */
async function readStory(
  session: string,
  signal: AbortSignal,
  onRows: (rows: readonly TimelineRow[]) => void,
): Promise<void> {
  const rows: TimelineRow[] = [];
  let cursor: string | undefined;
  do {
    const query = { session, cursor, limit: PAGE, order: "oldest" };
    const page: TimelinePage = await ask<TimelinePage>("/api/timeline", query, signal);
    rows.push(...page.items);
    onRows([...rows]);
    cursor = page.next;
  } while (cursor !== undefined);
}

const keyOf = ({ key }: Entry): string => key;

export function Story({ session }: { readonly session: string }) {
  const { session: words } = t.value;
  const [rows, setRows] = useState<readonly TimelineRow[]>();
  const [error, setError] = useState<WireError>();
  const [turn, setTurn] = useState(0);
  // Read again when something comes that belongs to it.
  const news = useRef<string>(undefined);
  if (lastRow.value?.session === session) news.current = lastRow.value.key;
  useEffect(() => {
    const control = new AbortController();
    setError(undefined);
    readStory(session, control.signal, setRows).catch(
      (problem) => control.signal.aborted || setError(asProblem(problem)),
    );
    return () => control.abort();
  }, [session, turn, news.current]);
  const entries = useMemo(() => turnsOf(rows ?? []), [rows]);
  return (
    <>
      {error !== undefined && <ProblemNote error={error} retry={() => setTurn((n) => n + 1)} />}
      {rows === undefined ? (
        error === undefined && <Bones />
      ) : entries.length === 0 ? (
        <Empty title={words.noStory}>{words.noStoryHelp}</Empty>
      ) : (
        <VirtualList
          rows={entries}
          label={words.story}
          keyOf={keyOf}
          heightOf={heightOf}
          render={(entry) => <Line entry={entry} />}
        />
      )}
    </>
  );
}
