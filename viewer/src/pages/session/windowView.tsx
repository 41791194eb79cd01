// The context inspector: the chart, what a request held in numbers, every change as a line, and all of it as a table.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { WindowView as View, WindowEvent, WindowPoint } from "../../../../src/http/wire.ts";
import { count, dateTime } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { useResource } from "../../parts/resource.ts";
import { Bones, Empty, ProblemNote } from "../../parts/states.tsx";
import { t } from "../../state/look.ts";
import { filter, filtered } from "../../state/place.ts";
import { reader } from "../../state/reader.ts";
import { ask } from "../../wire.ts";
import { Cost } from "./cost.tsx";
import { eventName, windowEvents, windowTurn } from "./eventPanel.tsx";
import { batchesOf, partsIn, totalOf } from "./stack.ts";

type Chart = ComponentType<{ view: View; onPoint: (point: number | undefined) => void }>;

/** The chart's library is only for this page. */
function useChart(): Chart | undefined {
  const [chart, setChart] = useState<{ Chart: Chart }>();
  useEffect(() => {
    import("./windowChart.tsx").then((module) => setChart({ Chart: module.default }));
  }, []);
  return chart?.Chart;
}

const tokens = (value: number): string => count(value, reader.value);

/** What one request held; the last one unless the pointer is at another. */
function Readout({ view, at }: { readonly view: View; readonly at: number | undefined }) {
  const { window: words } = t.value;
  const index = Math.min(at ?? view.points.length - 1, view.points.length - 1);
  const point = view.points[index];
  if (point === undefined) return null;
  return (
    <div class="readout small num">
      <p>
        <strong>{words.request(index + 1)}</strong> · {dateTime(point.at, reader.value)} ·{" "}
        {words.inWindow(tokens(totalOf(point)))}
        {view.limit !== undefined && ` · ${words.limit(tokens(view.limit))}`}
        {point.outOfSight > 0 && ` · ${words.outOfSight(tokens(point.outOfSight))}`}
      </p>
      <ul class="legend">
        {partsIn(view.points).map((part) => (
          <li key={part}>
            <span class="swatch" data-part={part} />
            {words.parts[part]} <span class="faint">{tokens(point.tokens[part])}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** One event, or several that were one deed: then it opens the first, and the panel leads through the rest. */
function EventLine({ batch }: { readonly batch: readonly [WindowEvent, ...WindowEvent[]] }) {
  const { window: words } = t.value;
  const [event] = batch;
  const isOpen = batch.some(({ id }) => id === filtered("event"));
  const saved = batch.reduce((sum, { before, after }) => sum + before - after, 0);
  return (
    <li>
      <button
        type="button"
        class={isOpen ? "line event-line open" : "line event-line"}
        data-line
        data-ref={event.id}
        aria-expanded={isOpen}
        onClick={() => filter({ event: isOpen ? "" : event.id })}
      >
        <span class={`sign ${event.kind}`} />
        <span class="two">
          <span class="clip">
            <strong>{eventName(event)}</strong>
            {batch.length > 1 && <span class="times num">×{batch.length}</span>} {event.why}
          </span>
        </span>
        <span class="side">
          {event.undone && <span class="tag">{words.undone}</span>}
          {saved > 0 && <span>−{tokens(saved)}</span>}
          <time dateTime={event.at}>{dateTime(event.at, reader.value)}</time>
        </span>
      </button>
    </li>
  );
}

const TABLE_ROWS = 200;

/** The numbers behind the picture; a long session every few requests. */
function Numbers({ view }: { readonly view: View }) {
  const { window: words } = t.value;
  const parts = partsIn(view.points);
  const step = Math.max(1, Math.ceil(view.points.length / TABLE_ROWS));
  const shown = view.points
    .map((point, at): [number, WindowPoint] => [at, point])
    .filter(([at]) => at % step === 0);
  return (
    <details class="numbers">
      <summary>{words.asTable}</summary>
      <div class="scrolls-x">
        <table class="table num">
          <thead>
            <tr>
              <th scope="col">{words.requestHead}</th>
              {parts.map((part) => (
                <th key={part} scope="col" class="end">
                  {words.parts[part]}
                </th>
              ))}
              <th scope="col" class="end">
                {words.total}
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map(([at, point]) => (
              <tr key={at}>
                <th scope="row">{at + 1}</th>
                {parts.map((part) => (
                  <td key={part} class="end">
                    {tokens(point.tokens[part])}
                  </td>
                ))}
                <td class="end">{tokens(totalOf(point))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

interface InspectorProps {
  readonly view: View;
  /** Where it is not told above. */
  readonly showsCost: boolean;
}

function Inspector({ view, showsCost }: InspectorProps) {
  const { window: words } = t.value;
  const [at, setAt] = useState<number>();
  const Chart = useChart();
  const notes: Readonly<Record<string, string>> = words.notes;
  return (
    <>
      {showsCost && view.cost !== undefined && <Cost cost={view.cost} />}
      <Readout view={view} at={at} />
      {Chart === undefined ? <div class="window-chart" /> : <Chart view={view} onPoint={setAt} />}
      {view.notes.map((note) => (
        <p key={note} class="note">
          {notes[note] ?? note}
        </p>
      ))}
      <section class="block">
        <h2>{words.events(view.events.length)}</h2>
        {view.events.length === 0 ? (
          <p class="muted">{words.noEvents}</p>
        ) : (
          <ol class="event-lines">
            {batchesOf(view.events).map(([first, ...rest]) =>
              first === undefined ? null : <EventLine key={first.id} batch={[first, ...rest]} />,
            )}
          </ol>
        )}
      </section>
      <Numbers view={view} />
    </>
  );
}

export function WindowView({ session, showsCost }: { session: string; showsCost: boolean }) {
  const { window: words } = t.value;
  const { data, error, reload } = useResource(`${session} ${windowTurn.value}`, (signal) =>
    ask<View>("/api/window", { session }, signal),
  );
  useEffect(() => {
    windowEvents.value = data?.events ?? [];
  }, [data]);
  if (error !== undefined) return <ProblemNote error={error} retry={reload} />;
  if (data === undefined) return <Bones />;
  if (data.points.length === 0 && data.events.length === 0) {
    return (
      <Empty title={words.empty}>
        {words.emptyHelp} <Icon name="window" />
      </Empty>
    );
  }
  return <Inspector view={data} showsCost={showsCost} />;
}
