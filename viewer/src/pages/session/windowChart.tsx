// The chart of the window over its requests: what it held, stacked, with the limit and a marker for every change.
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { WindowView } from "../../../../src/http/wire.ts";
import { compactCount, locale } from "../../components/format.ts";
import { isDark, t } from "../../state/preferences.ts";
import { getFilter, setFilters } from "../../state/route.ts";
import { pointed } from "../../turns/stepLine.tsx";
import { type EventMarker, markersOf, partsIn, requestOf, scaleTop, stackOf } from "./stack.ts";

const CHART_HEIGHT = 190;
/** Pixels between two markers. */
const MARKER_DISTANCE = 16;

interface ChartProps {
  readonly view: WindowView;
  /** Called with the request that the pointer is at; with undefined when it leaves. */
  readonly onPoint: (point: number | undefined) => void;
  /** Called with the request that was clicked. */
  readonly onChoose: (point: number) => void;
}

/** Resolves a colour of the stylesheet, which a canvas cannot read. */
function colourOf(box: HTMLElement, name: string) {
  const probe = document.createElement("span");
  probe.style.color = `var(--${name})`;
  box.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function drawLimit(chart: uPlot, limit: number, colour: string) {
  const y = Math.round(chart.valToPos(limit, "y", true));
  const { left, top, width } = chart.bbox;
  if (y < top) return;
  const { ctx } = chart;
  ctx.save();
  ctx.strokeStyle = colour;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(left, y);
  ctx.lineTo(left + width, y);
  ctx.stroke();
  ctx.restore();
}

function optionsFor(
  box: HTMLElement,
  { view, onPoint, onChoose }: ChartProps,
  onScaled: (chart: uPlot) => void,
): uPlot.Options {
  const { points, limit } = view;
  const limitColour = colourOf(box, "bad");
  const axis = {
    stroke: colourOf(box, "ink-3"),
    grid: { stroke: colourOf(box, "line"), width: 1 },
    ticks: { show: false },
    font: `11px ${getComputedStyle(box).fontFamily}`,
  };
  const paths = uPlot.paths.stepped?.({ align: 1 });
  return {
    width: box.clientWidth,
    height: CHART_HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: { x: { time: false }, y: { range: () => [0, scaleTop(points, limit)] } },
    axes: [
      {
        ...axis,
        size: 28,
        grid: { show: false },
        values: (_, ticks) =>
          ticks.map((tick) =>
            Number.isInteger(tick) && tick < points.length ? String(requestOf(points, tick) + 1) : "",
          ),
      },
      { ...axis, size: 56, values: (_, ticks) => ticks.map((tick) => compactCount(tick)) },
    ],
    series: [
      {},
      ...partsIn(points)
        .reverse()
        .map((part) => ({
          width: 0,
          fill: colourOf(box, `window-${part}`),
          points: { show: false },
          ...(paths && { paths }),
        })),
    ],
    hooks: {
      draw: limit === undefined ? [] : [(chart) => drawLimit(chart, limit, limitColour)],
      setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)],
      ready: [onScaled],
      setSize: [onScaled],
      init: [
        (chart) => {
          chart.over.addEventListener("click", () => {
            if (chart.cursor.idx !== null && chart.cursor.idx !== undefined)
              onChoose(Math.min(chart.cursor.idx, points.length - 1));
          });
        },
      ],
    },
  };
}

function Markers({ chart, markers }: { readonly chart: uPlot; readonly markers: readonly EventMarker[] }) {
  const current = getFilter("event");
  const { left } = chart.over.getBoundingClientRect();
  const shift = left - (chart.root.parentElement?.getBoundingClientRect().left ?? 0);
  return (
    <div class="markers" aria-hidden="true">
      {markers.map(({ point, events }) => {
        const [first] = events;
        const at = events.findIndex(({ id }) => id === current);
        const next = events[(at + 1) % events.length];
        return (
          <button
            key={first.id}
            type="button"
            tabIndex={-1}
            class={`marker ${first.kind}${at === -1 ? "" : " current"}`}
            style={{ left: `${shift + chart.valToPos(point, "x")}px` }}
            title={first.why}
            onClick={() => setFilters({ event: next?.id ?? "" })}
          >
            {events.length > 1 ? events.length : ""}
          </button>
        );
      })}
    </div>
  );
}

/** Where the request is that the pointer is at in the trace. */
function PointedLine({
  chart,
  view: { points, session },
}: {
  readonly chart: uPlot;
  readonly view: WindowView;
}) {
  const { value } = pointed;
  if (value?.session !== session) return null;
  const at = points.findLastIndex((_, index) => requestOf(points, index) <= value.point);
  const { left } = chart.over.getBoundingClientRect();
  const shift = left - (chart.root.parentElement?.getBoundingClientRect().left ?? 0);
  return <span class="pointed-line" style={{ left: `${shift + chart.valToPos(at + 0.5, "x")}px` }} />;
}

export default function WindowChart(props: ChartProps) {
  const { view } = props;
  const box = useRef<HTMLDivElement>(null);
  const [drawn, setDrawn] = useState<{ chart: uPlot; markers: readonly EventMarker[] }>();
  const dark = isDark.value;
  const { language } = locale.value;
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const { points, events } = view;
    const onScaled = (chart: uPlot) => {
      const apart = (MARKER_DISTANCE * points.length) / Math.max(1, chart.over.clientWidth);
      setDrawn({ chart, markers: markersOf(events, apart) });
    };
    // A step reaches to the next point, so the last point is repeated.
    const steps = [...points, ...points.slice(-1)];
    const data = [steps.map((_, at) => at), ...stackOf(steps, partsIn(points)).map(({ tops }) => tops)];
    const chart = new uPlot(optionsFor(element, props, onScaled), data as uPlot.AlignedData, element);
    const observer = new ResizeObserver(() =>
      chart.setSize({ width: element.clientWidth, height: CHART_HEIGHT }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [view, dark, language]);
  return (
    <div class="window-chart">
      {drawn && <PointedLine chart={drawn.chart} view={view} />}
      <div ref={box} role="img" aria-label={t.window.chartLabel(view.points.length, view.events.length)} />
      {drawn && <Markers chart={drawn.chart} markers={drawn.markers} />}
    </div>
  );
}
