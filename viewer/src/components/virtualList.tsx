// A virtual list: renders only the rows in view, whatever their number. Rows have known heights, so none is measured.
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

/** Scrolls a row to the top. */
export type ScrollToRow = (index: number) => void;

interface VirtualListProps<T> {
  readonly rows: readonly T[];
  readonly label: string;
  readonly heightOf: (row: T) => number;
  readonly render: (row: T) => ComponentChildren;
  /** Called with the range of rendered rows, whose end is excluded, and the row at the top. */
  readonly onSeen?: (first: number, end: number, top: number) => void;
  readonly scrollToRow?: RefObject<ScrollToRow | null>;
  /** A list that is scrolled to the top shows rows that arrive above; otherwise it stays at the row it shows. */
  readonly sticksToTop?: boolean;
}

function useViewport(box: RefObject<HTMLElement | null>) {
  const [view, setView] = useState({ top: 0, height: 800 });
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const update = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(update);
    observer.observe(element);
    element.addEventListener("scroll", update, { passive: true });
    update();
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", update);
    };
  }, [box]);
  return view;
}

export function VirtualList<T extends { readonly key: string }>(props: VirtualListProps<T>) {
  const { rows, label, heightOf, render, onSeen, scrollToRow, sticksToTop } = props;
  const box = useRef<HTMLElement>(null);
  const view = useViewport(box);
  const starts = useMemo(() => rowOffsets(rows.map(heightOf)), [rows, heightOf]);
  const keys = useMemo(() => rows.map(({ key }) => key), [rows]);
  // Keeps the row that the reader looks at in place when rows arrive above it.
  const anchor = useRef<Anchor>(undefined);
  const before = useRef(starts);
  useLayoutEffect(() => {
    const element = box.current;
    if (before.current !== starts && anchor.current && element !== null) {
      const wanted = scrollTopFor(starts, keys, anchor.current);
      if (wanted !== undefined && wanted !== element.scrollTop) element.scrollTop = wanted;
    }
    before.current = starts;
  }, [starts, keys]);
  anchor.current = sticksToTop && view.top < 8 ? undefined : anchorAt(starts, keys, view.top);
  const { first, end } = visibleRows(starts, view);
  const top = rowIndexAt(starts, view.top);
  useEffect(() => onSeen?.(first, end, top), [onSeen, first, end, top]);
  if (scrollToRow) scrollToRow.current = (index) => box.current?.scrollTo({ top: starts[index] ?? 0 });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
    <section class="rows" ref={box} tabIndex={0} aria-label={label}>
      <ul class="sized" style={{ height: `${starts.at(-1)}px` }}>
        {rows.slice(first, end).map((row, at) => (
          <li
            key={row.key}
            class="placed"
            aria-setsize={rows.length}
            aria-posinset={first + at + 1}
            style={{ top: `${starts[first + at]}px`, height: `${heightOf(row)}px` }}
          >
            {render(row)}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Where each row begins; the last value, one more than there are rows, is the height of all. */
export function rowOffsets(heights: readonly number[]): readonly number[] {
  const starts = [0];
  let at = 0;
  for (const height of heights) {
    at += height;
    starts.push(at);
  }
  return starts;
}

/** The row at this height: the last one that begins at or before it. */
export function rowIndexAt(starts: readonly number[], offset: number) {
  let low = 0;
  let high = Math.max(0, starts.length - 2);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The range of rows to render, its end excluded: those in view and `beyond` more on each side. */
export function visibleRows(
  starts: readonly number[],
  { top, height }: { readonly top: number; readonly height: number },
  beyond = 12,
) {
  const first = Math.max(0, rowIndexAt(starts, top) - beyond);
  const end = Math.min(starts.length - 1, rowIndexAt(starts, top + height) + 1 + beyond);
  return { first, end };
}

/** A row, and how far it is scrolled past the top. */
interface Anchor {
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

/** Where to scroll so that the anchor stays in place; undefined when it is gone. */
export function scrollTopFor(starts: readonly number[], keys: readonly string[], { key, past }: Anchor) {
  const at = keys.indexOf(key);
  return at === -1 ? undefined : (starts[at] ?? 0) + past;
}
