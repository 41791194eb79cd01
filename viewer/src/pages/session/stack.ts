// A window over its requests as the chart needs it: sums from below, markers in groups, and where the scale ends.
import type { WindowEvent, WindowPoint } from "../../../../src/http/wire.ts";
import { type WindowPart, windowParts } from "../../../../src/http/wire.ts";

export const totalTokens = ({ tokens }: WindowPoint): number =>
  windowParts.reduce((sum, part) => sum + tokens[part], 0);

/** Parts that occur at all, in the order in which they stand on each other. */
export function partsIn(points: readonly WindowPoint[]): WindowPart[] {
  return windowParts.filter((part) => points.some(({ tokens }) => tokens[part] > 0));
}

/** For each part the sum of it and all below it; highest first, so that each is painted over the one before. */
export function stackOf(
  points: readonly WindowPoint[],
  parts: readonly WindowPart[],
): { readonly part: WindowPart; readonly tops: number[] }[] {
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

/** The limit is in the picture when the window comes anywhere near it; otherwise the picture would be of nothing. */
export function scaleTop(points: readonly WindowPoint[], limit: number | undefined): number {
  const most = Math.max(1, ...points.map(totalTokens));
  return limit !== undefined && most > limit * 0.3 ? Math.max(limit, most) * 1.06 : most * 1.12;
}

/** What was done at once for one reason is one line: thirty results cleared together are one thing to a reader. */
export function batchesOf(events: readonly WindowEvent[]): WindowEvent[][] {
  const batches: WindowEvent[][] = [];
  for (const event of events) {
    const last = batches.at(-1)?.at(-1);
    const isSame =
      last !== undefined &&
      event.kind === "edit" &&
      (["kind", "level", "why", "by", "point", "undone"] as const).every(
        (name) => event[name] === last[name],
      );
    if (isSame) batches.at(-1)?.push(event);
    else batches.push([event]);
  }
  return batches;
}

export interface Marker {
  readonly point: number;
  readonly events: readonly WindowEvent[];
}

/** Events that would stand on top of each other are one marker. `apart` is in requests. */
export function markersOf(events: readonly WindowEvent[], apart: number): Marker[] {
  const markers: { point: number; events: WindowEvent[] }[] = [];
  for (const event of events.toSorted((a, b) => a.point - b.point)) {
    const last = markers.at(-1);
    const fits = last !== undefined && event.point - last.point < apart;
    // A compaction stands for itself: it is what one looks for.
    if (fits && event.kind !== "compaction" && last.events[0]?.kind !== "compaction") last.events.push(event);
    else markers.push({ point: event.point, events: [event] });
  }
  return markers;
}
