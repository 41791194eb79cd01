// The live feed: every change once, in order, from the reader's cursor on, as server-sent events.
import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import type { FeedItem, Store } from "../../store/index.ts";
import { type Handlers, problem, usage } from "../request.ts";

export interface FeedParts {
  readonly store: Store;
  readonly changes: ChangeNotifier;
  /** Aborted when the worker stops: streams end then. */
  readonly stopping: AbortSignal;
  readonly streams: { count: number };
}

const ROWS_PER_READ = 100;
const KEEP_ALIVE_MS = 15_000;
const MAX_STREAMS = 32;

/** Wakes the streams that wait for changes. */
interface ChangeNotifier {
  notify(): void;
  /** Resolves at the next `notify`, after `timeoutMs`, or when `signal` is aborted, whichever is first. */
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
        const wake = () => {
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
 * Changes behind `start`, then those to come; undefined when nothing came for a while, so that a comment can keep the
 * connection alive. Ends when `signal` is aborted.
 */
async function* followFeed(
  { store, changes }: FeedParts,
  start: number,
  signal: AbortSignal,
): AsyncGenerator<FeedItem | undefined> {
  let cursor = start;
  while (!signal.aborted) {
    // Waiting begins before the read: a change between the two would be missed.
    const changed = changes.wait(KEEP_ALIVE_MS, signal);
    const items = await store.feedSince(cursor, ROWS_PER_READ);
    for (const item of items) {
      yield item;
      cursor = item.cursor;
    }
    if (items.length > 0) continue;
    await changed;
    yield undefined;
  }
}

/** A raw event is sent without its payload, which may be megabytes. */
function feedData(item: FeedItem): object {
  if (item.kind !== "event") return item.row;
  const { payload, ...rest } = item.row;
  return typeof payload.tool_name === "string" ? { ...rest, toolName: payload.tool_name } : rest;
}

async function streamChanges(c: Context, parts: FeedParts) {
  // The answer to HEAD has no body and would never end.
  if (c.req.method === "HEAD") return c.body(null);
  const { store, streams } = parts;
  const cursor = c.req.header("last-event-id") ?? c.req.query("lastEventId") ?? "";
  if (!/^\d{0,15}$/.test(cursor)) throw usage("Last-Event-ID is not an id of this stream");
  if (streams.count >= MAX_STREAMS)
    return problem(c, 503, "busy", `${MAX_STREAMS} streams are open, and that is all there can be.`);
  const start = cursor === "" ? await store.feedHead() : Number(cursor);
  streams.count += 1;
  return streamSSE(c, async (stream) => {
    const gone = new AbortController();
    stream.onAbort(() => gone.abort());
    try {
      await stream.write(`retry: 1000\nid: ${start}\n\n`);
      for await (const item of followFeed(parts, start, AbortSignal.any([gone.signal, parts.stopping]))) {
        if (!item) await stream.write(": quiet\n\n");
        else {
          const data = JSON.stringify(feedData(item));
          await stream.writeSSE({ id: String(item.cursor), event: item.kind, data });
        }
      }
    } finally {
      streams.count -= 1;
    }
  });
}

export const feedRoutes = (parts: FeedParts) =>
  ({ "GET /stream": (c) => streamChanges(c, parts) }) satisfies Partial<Handlers>;
