// The context view: the chart of the window, the numbers of one request, every change as a line, and a table of it all.
import { useEffect, useState } from "preact/hooks";
import type { SessionCost, WindowView } from "../../../../src/http/wire.ts";
import { compactCount, dateTime, dollars, percent } from "../../components/format.ts";
import { Icon } from "../../components/icon.tsx";
import { DataTable, Empty, LineButton, PageSection, Time } from "../../components/layout.tsx";
import { Loaded, useResource } from "../../components/resource.tsx";
import { t, textFor } from "../../state/preferences.ts";
import { getFilter } from "../../state/route.ts";
import { eventName, shownEvents, windowVersion } from "./eventPanel.tsx";
import { batchesOf, type EventBatch, partsIn, totalTokens } from "./stack.ts";

/** Loads the chart and its library when the view is first shown. */
function useChart() {
  const [chart, setChart] = useState<typeof import("./windowChart.tsx")>();
  useEffect(() => {
    import("./windowChart.tsx").then(setChart);
  }, []);
  return chart?.default;
}

/** The numbers of the request that the pointer is at, or of the last one. */
function Readout({
  points,
  limit,
  at = points.length - 1,
}: WindowView & { readonly at: number | undefined }) {
  const { window } = t;
  const index = Math.min(at, points.length - 1);
  const point = points[index];
  if (point === undefined) return null;
  return (
    <div class="readout small num">
      <p>
        <strong>{window.request(index + 1)}</strong> · {dateTime(point.at)} ·{" "}
        {window.inWindow(compactCount(totalTokens(point)))}
        {limit !== undefined && ` · ${window.limit(compactCount(limit))}`}
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
          return at % step === 0 ? [[at + 1, ...counts.map((count) => compactCount(count))]] : [];
        })}
      />
    </details>
  );
}

interface ContextProps {
  readonly session: string;
  /** Whether to show the cost, where the head of the page does not. */
  readonly showsCost: boolean;
}

export function ContextView({ session, showsCost }: ContextProps) {
  const { window } = t;
  const resource = useResource<WindowView>("/api/window", { session }, windowVersion.value);
  const { data } = resource;
  const [at, setAt] = useState<number>();
  const Chart = useChart();
  useEffect(() => {
    shownEvents.value = data?.events ?? [];
  }, [data]);
  if (data?.points.length === 0 && data.events.length === 0) {
    return (
      <Empty title={window.empty}>
        {window.emptyHelp} <Icon name="window" />
      </Empty>
    );
  }
  return (
    <Loaded from={resource}>
      {(view) => (
        <>
          {showsCost && view.cost && <Cost {...view.cost} />}
          <Readout {...view} at={at} />
          {Chart === undefined ? <div class="window-chart" /> : <Chart view={view} onPoint={setAt} />}
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
          <NumbersTable {...view} />
        </>
      )}
    </Loaded>
  );
}

export function Cost({ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, ...cost }: SessionCost) {
  const { session } = t;
  const input = inputTokens + cacheReadTokens + cacheWriteTokens;
  const detail = session.inputDetail(
    compactCount(inputTokens),
    compactCount(cacheReadTokens),
    compactCount(cacheWriteTokens),
  );
  return (
    <p class="about small muted num">
      <span>{session.requests(cost.requests)}</span>
      <span title={detail}>{session.tokens(compactCount(input), compactCount(outputTokens))}</span>
      {input > 0 && <span>{session.cached(percent(cacheReadTokens / input))}</span>}
      {cost.dollars !== undefined && <strong>{dollars(cost.dollars)}</strong>}
      {cost.models.map((model) => (
        <span key={model} class="mono">
          {model}
        </span>
      ))}
    </p>
  );
}
