// The live feed as an answer: server-sent events from where the reader left off.
import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import type { Store } from "../../store/index.ts";
import { type ChangeNotifier, feedData, followFeed, readCursor } from "../feed.ts";
import { type Handlers, problem, usage } from "../request.ts";

export interface StreamParts {
  readonly store: Store;
  readonly bell: ChangeNotifier;
  /** Aborted when the worker stops: streams end then. */
  readonly stopping: AbortSignal;
  readonly streams: { count: number };
}

const QUIET_MS = 15_000;
const MAX_STREAMS = 32;

async function streamChanges(c: Context, { store, bell, stopping, streams }: StreamParts): Promise<Response> {
  // A head has no end to be waited for.
  if (c.req.method === "HEAD") return c.body(null);
  const asked = readCursor(c.req.header("last-event-id") ?? c.req.query("lastEventId"));
  if (Number.isNaN(asked)) throw usage("Last-Event-ID is a number that this stream has sent");
  if (streams.count >= MAX_STREAMS) {
    return problem(c, 503, "busy", `${MAX_STREAMS} streams are open, and that is all there can be.`);
  }
  const start = asked ?? (await store.feedHead());
  streams.count += 1;
  return streamSSE(c, async (stream) => {
    const gone = new AbortController();
    const signal = AbortSignal.any([gone.signal, stopping]);
    stream.onAbort(() => gone.abort());
    try {
      await stream.write(`retry: 1000\nid: ${start}\n\n`);
      for await (const item of followFeed(store, bell, start, { quietMs: QUIET_MS, signal })) {
        if (item === undefined) await stream.write(": quiet\n\n");
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

export const streamRoutes = (parts: StreamParts): Handlers<"GET /stream"> => ({
  "GET /stream": (c) => streamChanges(c, parts),
});
