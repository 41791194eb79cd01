// The live feed: every change once, in order, from where the reader left off, for as long as the reader stays.
import type { FeedItem, Store } from "../store/index.ts";

const BATCH = 100;

/** Wakes those who wait for changes. */
export interface ChangeNotifier {
  notify(): void;
  /** Resolves at the next ring, after `timeoutMs`, or when `signal` is aborted, whichever is first. */
  wait(timeoutMs: number, signal: AbortSignal): Promise<void>;
}

export function makeChangeNotifier(): ChangeNotifier {
  const waiting = new Set<() => void>();
  return {
    notify() {
      for (const wake of [...waiting]) wake();
    },
    wait: (timeoutMs, signal) =>
      new Promise((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          signal.removeEventListener("abort", wake);
          waiting.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, timeoutMs);
        waiting.add(wake);
        if (signal.aborted) wake();
        else signal.addEventListener("abort", wake);
      }),
  };
}

/**
 * Changes behind `cursor`, then those to come; undefined when nothing came for `quietMs`, so that the reader
 * can be told that the line is alive. Ends when `signal` is aborted.
 */
export async function* followFeed(
  store: Pick<Store, "feedSince">,
  bell: ChangeNotifier,
  start: number,
  options: { readonly quietMs: number; readonly signal: AbortSignal },
): AsyncGenerator<FeedItem | undefined> {
  let cursor = start;
  while (!options.signal.aborted) {
    // Waiting begins before the look: a change between the two would ring unheard.
    const news = bell.wait(options.quietMs, options.signal);
    const items = await store.feedSince(cursor, BATCH);
    for (const item of items) {
      yield item;
      cursor = item.cursor;
    }
    if (items.length > 0) continue;
    await news;
    yield undefined;
  }
}

/** What goes over the line: of a raw event only what it is, since its payload may be megabytes. */
export function feedData(item: FeedItem): object {
  if (item.kind !== "event") return item.row;
  const { payload, ...rest } = item.row;
  return typeof payload.tool_name === "string" ? { ...rest, toolName: payload.tool_name } : rest;
}

/** The cursor of a `Last-Event-ID`; undefined for none, NaN for what is no cursor. */
export function readCursor(text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}
