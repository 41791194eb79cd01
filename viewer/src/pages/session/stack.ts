// The numbers behind the chart of the window: stacked sums, batches and markers of changes, the top of the scale.
import {
  type WindowEvent,
  type WindowPart,
  type WindowPoint,
  windowParts,
} from "../../../../src/http/wire.ts";

export const totalTokens = ({ tokens }: WindowPoint) =>
  windowParts.reduce((sum, part) => sum + tokens[part], 0);

/** The number of a point's request among all, from 0: a chart of a long session has not every request. */
export const requestOf = (points: readonly WindowPoint[], at: number) => points[at]?.request ?? at;

/** The parts that occur at all, from the bottom of the stack up. */
export function partsIn(points: readonly WindowPoint[]): WindowPart[] {
  return windowParts.filter((part) => points.some(({ tokens }) => tokens[part] > 0));
}

/** For each part the sum of it and all below it; highest first, so that each is painted over the one before. */
export function stackOf(points: readonly WindowPoint[], parts: readonly WindowPart[]) {
  const below = points.map(() => 0);
  const layers = parts.map((part) => ({
    part,
    tops: points.map(({ tokens }, at) => {
      const top = (below[at] ?? 0) + tokens[part];
      below[at] = top;
      return top;
    }),
  }));
  return layers.reverse();
}

/** The scale includes the limit only when the window comes near it; a small window would be flat otherwise. */
export function scaleTop(points: readonly WindowPoint[], limit: number | undefined) {
  const most = Math.max(1, ...points.map(totalTokens));
  return limit !== undefined && most > limit * 0.3 ? Math.max(limit, most) * 1.06 : most * 1.12;
}

/** Events, at least one. */
export type EventBatch = [WindowEvent, ...WindowEvent[]];

const sharedByBatch = ["kind", "level", "why", "by", "point", "undone"] as const;

/** Edits made at once for one reason form a batch, such as thirty results cleared together. */
export function batchesOf(events: readonly WindowEvent[]) {
  const batches: EventBatch[] = [];
  for (const event of events) {
    const batch = batches.at(-1);
    const fits = event.kind === "edit" && sharedByBatch.every((name) => event[name] === batch?.[0][name]);
    if (fits) batch?.push(event);
    else batches.push([event]);
  }
  return batches;
}

export interface EventMarker {
  readonly point: number;
  readonly events: EventBatch;
}

/** Joins events less than `apart` requests from each other into one marker. A compaction keeps a marker of its own. */
export function markersOf(events: readonly WindowEvent[], apart: number): EventMarker[] {
  const markers: EventMarker[] = [];
  for (const event of events.toSorted((a, b) => a.point - b.point)) {
    const last = markers.at(-1);
    const isNear = last !== undefined && event.point - last.point < apart;
    if (isNear && event.kind !== "compaction" && last.events[0].kind !== "compaction")
      last.events.push(event);
    else markers.push({ point: event.point, events: [event] });
  }
  return markers;
}
