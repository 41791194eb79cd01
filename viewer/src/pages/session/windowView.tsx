// The context inspector: the chart, what a request held in numbers, every change as a line, and all of it as a table.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { SessionCost, WindowView as View, WindowEvent, WindowPoint } from "../../../../src/http/wire.ts";
import { compactCount, dateTime, dollars, percent } from "../../components/format.ts";
import { Icon } from "../../components/icon.tsx";
import { Empty, LineButton, PageSection, Time } from "../../components/layout.tsx";
import { ProblemNote, Skeleton, useResource } from "../../components/resource.tsx";
import { t, textFor } from "../../state/preferences.ts";
import { getFilter } from "../../state/route.ts";
import { eventName, shownEvents, windowVersion } from "./eventPanel.tsx";
import { batchesOf, partsIn, totalTokens } from "./stack.ts";

type Chart = ComponentType<{ view: View; onPoint: (point: number | undefined) => void }>;

/** The chart's library is only for this page. */
function useChart() {
  const [chart, setChart] = useState<{ Chart: Chart }>();
  useEffect(() => {
    import("./windowChart.tsx").then((module) => setChart({ Chart: module.default }));
  }, []);
  return chart?.Chart;
}

/** What one request held; the last one unless the pointer is at another. */
function Readout({ view, at }: { readonly view: View; readonly at: number | undefined }) {
  const { window: words } = t.value;
  const index = Math.min(at ?? view.points.length - 1, view.points.length - 1);
  const point = view.points[index];
  if (point === undefined) return null;
  return (
    <div class="readout small num">
      <p>
        <strong>{words.request(index + 1)}</strong> · {dateTime(point.at)} ·{" "}
        {words.inWindow(compactCount(totalTokens(point)))}
        {view.limit !== undefined && ` · ${words.limit(compactCount(view.limit))}`}
        {point.outOfSight > 0 && ` · ${words.outOfSight(compactCount(point.outOfSight))}`}
      </p>
      <ul class="legend">
        {partsIn(view.points).map((part) => (
          <li key={part}>
            <span class="swatch" data-part={part} />
            {words.parts[part]} <span class="faint">{compactCount(point.tokens[part])}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** One event, or several that happened at once: then it opens the first, and the panel leads through the rest. */
function EventLine({ batch }: { readonly batch: readonly [WindowEvent, ...WindowEvent[]] }) {
  const { window: words } = t.value;
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
          {event.undone && <span class="tag">{words.undone}</span>}
          {saved > 0 && <span>−{compactCount(saved)}</span>}
          <Time at={event.at} as={dateTime} />
        </span>
      </LineButton>
    </li>
  );
}

const TABLE_ROWS = 200;

/** The numbers behind the picture; a long session every few requests. */
function NumbersTable({ view }: { readonly view: View }) {
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
                    {compactCount(point.tokens[part])}
                  </td>
                ))}
                <td class="end">{compactCount(totalTokens(point))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function WindowInspector({ view, showsCost }: { readonly view: View; readonly showsCost: boolean }) {
  const { window: words } = t.value;
  const [at, setAt] = useState<number>();
  const Chart = useChart();
  return (
    <>
      {showsCost && view.cost !== undefined && <Cost cost={view.cost} />}
      <Readout view={view} at={at} />
      {Chart === undefined ? <div class="window-chart" /> : <Chart view={view} onPoint={setAt} />}
      {view.notes.map((note) => (
        <p key={note} class="note">
          {textFor(words.notes, note)}
        </p>
      ))}
      <PageSection title={words.events(view.events.length)}>
        {view.events.length === 0 ? (
          <p class="muted">{words.noEvents}</p>
        ) : (
          <ol class="event-lines">
            {batchesOf(view.events).map(([first, ...rest]) =>
              first === undefined ? null : <EventLine key={first.id} batch={[first, ...rest]} />,
            )}
          </ol>
        )}
      </PageSection>
      <NumbersTable view={view} />
    </>
  );
}

/** `showsCost` where the head of the page does not. */
export function ContextView({ session, showsCost }: { session: string; showsCost: boolean }) {
  const { window: words } = t.value;
  const { data, error, reload } = useResource<View>("/api/window", { session }, windowVersion.value);
  useEffect(() => {
    shownEvents.value = data?.events ?? [];
  }, [data]);
  if (error !== undefined) return <ProblemNote error={error} retry={reload} />;
  if (data === undefined) return <Skeleton />;
  if (data.points.length === 0 && data.events.length === 0) {
    return (
      <Empty title={words.empty}>
        {words.emptyHelp} <Icon name="window" />
      </Empty>
    );
  }
  return <WindowInspector view={data} showsCost={showsCost} />;
}

export function Cost({ cost }: { readonly cost: SessionCost }) {
  const { session } = t.value;
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = cost;
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
