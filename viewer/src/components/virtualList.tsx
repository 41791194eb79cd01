// A list of any length of which only what is seen is there. Rows say their height; the list does the rest.
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

export interface ListHandle {
  /** Brings a row to the top. */
  showTop(index: number): void;
}

interface VirtualListProps<T> {
  readonly rows: readonly T[];
  readonly label: string;
  readonly keyOf: (row: T) => string;
  readonly heightOf: (row: T) => number;
  readonly render: (row: T, index: number) => ComponentChildren;
  /** Told which rows are there, the end being out, and which one is on top. */
  readonly onSeen?: (first: number, end: number, top: number) => void;
  readonly handle?: RefObject<ListHandle | null>;
  /** At the top, rows that come in above are shown rather than scrolled past. */
  readonly sticksToTop?: boolean;
}

function useViewport(box: RefObject<HTMLElement | null>) {
  const [view, setView] = useState({ top: 0, height: 800 });
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const look = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const watch = new ResizeObserver(look);
    watch.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    look();
    return () => {
      watch.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [box]);
  return view;
}

/** Keeps what the reader looks at in its place when rows come in above it. */
function useAnchor(
  box: RefObject<HTMLElement | null>,
  starts: readonly number[],
  keys: readonly string[],
  top: number,
  sticksToTop: boolean,
) {
  const anchor = useRef<Anchor | undefined>(undefined);
  const before = useRef(starts);
  useLayoutEffect(() => {
    const element = box.current;
    if (before.current !== starts && anchor.current !== undefined && element !== null) {
      const wanted = scrollTopFor(starts, keys, anchor.current);
      if (wanted !== undefined && wanted !== element.scrollTop) element.scrollTop = wanted;
    }
    before.current = starts;
  }, [starts, keys, box]);
  anchor.current = sticksToTop && top < 8 ? undefined : anchorAt(starts, keys, top);
}

export function VirtualList<T>(props: VirtualListProps<T>) {
  const { rows, label, keyOf, heightOf, render, onSeen, handle, sticksToTop = false } = props;
  const box = useRef<HTMLElement>(null);
  const view = useViewport(box);
  const starts = useMemo(() => rowOffsets(rows.map(heightOf)), [rows, heightOf]);
  const keys = useMemo(() => rows.map(keyOf), [rows, keyOf]);
  useAnchor(box, starts, keys, view.top, sticksToTop);
  const { first, end } = visibleRows(starts, view);
  const top = rowIndexAt(starts, view.top);
  useEffect(() => onSeen?.(first, end, top), [onSeen, first, end, top]);
  if (handle !== undefined) {
    handle.current = {
      showTop: (index) => {
        if (box.current !== null) box.current.scrollTop = starts[index] ?? 0;
      },
    };
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
    <section class="rows" ref={box} tabIndex={0} aria-label={label}>
      <ul class="sized" style={{ height: `${starts.at(-1)}px` }}>
        {rows.slice(first, end).map((row, at) => (
          <li
            key={keys[first + at]}
            class="placed"
            aria-setsize={rows.length}
            aria-posinset={first + at + 1}
            style={{ top: `${starts[first + at]}px`, height: `${heightOf(row)}px` }}
          >
            {render(row, first + at)}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Where each row begins; one more than there are rows, the last being the height of all. */
export function rowOffsets(heights: readonly number[]): readonly number[] {
  const starts = new Array<number>(heights.length + 1);
  let at = 0;
  for (let index = 0; index < heights.length; index++) {
    starts[index] = at;
    at += heights[index] ?? 0;
  }
  starts[heights.length] = at;
  return starts;
}

/** The row at this height: the last one that begins at or before it. */
export function rowIndexAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = Math.max(0, starts.length - 2);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

interface Viewport {
  readonly top: number;
  readonly height: number;
}

/** First in, last out. Some rows more on each side, so that a step never meets nothing. */
export function visibleRows(
  starts: readonly number[],
  { top, height }: Viewport,
  beyond = 12,
): { readonly first: number; readonly end: number } {
  const rows = starts.length - 1;
  if (rows <= 0) return { first: 0, end: 0 };
  const first = Math.max(0, rowIndexAt(starts, top) - beyond);
  const end = Math.min(rows, rowIndexAt(starts, top + height) + 1 + beyond);
  return { first, end };
}

/** What the reader looks at: a row, and how far it is scrolled past the top. */
export interface Anchor {
  readonly key: string;
  readonly past: number;
}

export function anchorAt(
  starts: readonly number[],
  keys: readonly string[],
  top: number,
): Anchor | undefined {
  const at = rowIndexAt(starts, top);
  const key = keys[at];
  return key === undefined ? undefined : { key, past: top - (starts[at] ?? 0) };
}

/** Where to scroll so that the anchor stays where it is; undefined when it is gone. */
export function scrollTopFor(
  starts: readonly number[],
  keys: readonly string[],
  { key, past }: Anchor,
): number | undefined {
  const at = keys.indexOf(key);
  return at === -1 ? undefined : (starts[at] ?? 0) + past;
}
