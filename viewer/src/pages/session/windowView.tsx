// The window of a session: its chart above every view, and the list of its changes and numbers.
import { useEffect, useState } from "preact/hooks";
import type { WindowView } from "../../../../src/http/wire.ts";
import { compactCount, dateTime } from "../../components/format.ts";
import { DataTable, LineButton, PageSection, Time } from "../../components/layout.tsx";
import { t, textFor } from "../../state/preferences.ts";
import { getFilter } from "../../state/route.ts";
import { pointed } from "../../turns/stepLine.tsx";
import { CompareRequests, NextCompaction } from "./comparison.tsx";
import { eventName } from "./eventPanel.tsx";
import { batchesOf, type EventBatch, partsIn, requestOf, totalTokens } from "./stack.ts";
import { wantedRequest } from "./traceView.tsx";

/** Loads the chart and its library when it is first shown. */
function useChart() {
  const [chart, setChart] = useState<typeof import("./windowChart.tsx")>();
  useEffect(() => {
    import("./windowChart.tsx").then(setChart);
  }, []);
  return chart?.default;
}

/** The numbers of the request that the pointer is at, here or in the trace, or of the last one. */
function Readout({ points, limit, session }: WindowView) {
  const { window } = t;
  const request = pointed.value?.session === session ? pointed.value.point : undefined;
  const found =
    request === undefined ? -1 : points.findLastIndex((_, at) => requestOf(points, at) <= request);
  const index = found < 0 ? points.length - 1 : found;
  const point = points[index];
  if (!point) return null;
  const total = totalTokens(point);
  return (
    <div class="readout small num">
      <p>
        <strong>{window.request(requestOf(points, index) + 1)}</strong> · {dateTime(point.at)} ·{" "}
        {window.inWindow(compactCount(total))}
        {limit !== undefined && ` · ${window.share(Math.round((100 * total) / limit), compactCount(limit))}`}
        {point.outOfSight > 0 && ` · ${window.outOfSight(compactCount(point.outOfSight))}`}
      </p>
      <ul class="legend">
        {partsIn(points).map((part) => (
          <li key={part}>
            <span class="swatch" data-part={part} />
            {window.parts[part]} <span class="faint">{compactCount(point.tokens[part])}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The chart with the numbers of one request, above every view of the session. */
export function WindowTop({ view, canJump }: { readonly view: WindowView; readonly canJump: boolean }) {
  const Chart = useChart();
  const { session, points } = view;
  if (points.length === 0) return null;
  return (
    <section class="window-top" aria-label={t.session.window}>
      {Chart ? (
        <Chart
          view={view}
          onPoint={(at) => {
            pointed.value = at === undefined ? undefined : { session, point: requestOf(points, at) };
          }}
          onChoose={(at) => {
            if (canJump) wantedRequest.value = requestOf(points, at);
          }}
        />
      ) : (
        <div class="window-chart" />
      )}
      <Readout {...view} />
    </section>
  );
}

/** One change, or a batch of them: its line opens the first, and the panel steps through the rest. */
function EventLine({ batch }: { readonly batch: Readonly<EventBatch> }) {
  const [event] = batch;
  const isOpen = batch.some(({ id }) => id === getFilter("event"));
  const saved = batch.reduce((sum, { before, after }) => sum + before - after, 0);
  return (
    <li>
      <LineButton name="event" id={event.id} isOpen={isOpen} class="line event-line">
        <span class={`sign ${event.kind}`} />
        <span class="two">
          <span class="clip">
            <strong>{eventName(event)}</strong>
            {batch.length > 1 && <span class="times num">×{batch.length}</span>} {event.why}
          </span>
        </span>
        <span class="side">
          {event.undone && <span class="tag">{t.window.undone}</span>}
          {saved > 0 && <span>−{compactCount(saved)}</span>}
          <Time at={event.at} as={dateTime} />
        </span>
      </LineButton>
    </li>
  );
}

const TABLE_ROWS = 200;

/** The numbers of the chart; of a long session only every few requests. */
function NumbersTable({ points }: WindowView) {
  const { window } = t;
  const parts = partsIn(points);
  const step = Math.max(1, Math.ceil(points.length / TABLE_ROWS));
  return (
    <details class="numbers">
      <summary>{window.asTable}</summary>
      <DataTable
        heads={[window.requestHead, ...parts.map((part) => window.parts[part]), window.total]}
        rows={points.flatMap((point, at) => {
          const counts = [...parts.map((part) => point.tokens[part]), totalTokens(point)];
          const head = requestOf(points, at) + 1;
          return at % step === 0 ? [[head, ...counts.map((count) => compactCount(count))]] : [];
        })}
      />
    </details>
  );
}

interface ChangesProps {
  readonly view: WindowView;
  readonly lanes: readonly string[];
}

export function WindowChanges({ view, lanes }: ChangesProps) {
  const { window } = t;
  return (
    <>
      {view.notes.map((note) => (
        <p key={note} class="note">
          {textFor(window.notes, note)}
        </p>
      ))}
      <PageSection title={window.events(view.events.length)}>
        {view.events.length === 0 && <p class="muted">{window.noEvents}</p>}
        <ol class="event-lines">
          {batchesOf(view.events).map((batch) => (
            <EventLine key={batch[0].id} batch={batch} />
          ))}
        </ol>
      </PageSection>
      <CompareRequests view={view} />
      {!view.notes.includes("no-transcript") && <NextCompaction session={view.session} lanes={lanes} />}
      <NumbersTable {...view} />
    </>
  );
}
