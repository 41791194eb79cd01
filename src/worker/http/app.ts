// The addresses of the HTTP face. Who may ask is settled before; this only answers.
import { type Context, Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { isObject, type JsonObject, parseJson, ThroughlineError } from "../../lib/index.ts";
import { type ObservationType, observationTypes, type PageRequest, type Store } from "../../store/index.ts";
import type { Memory } from "../memory.ts";
import type { ModsDesk } from "../mods/desk.ts";
import { type Bell, follow, readCursor, shown } from "./feed.ts";
import { bodyLimit } from "./guard.ts";

/** Reads and changes settings; refuses what is not allowed by throwing. */
export interface SettingsAccess {
  read(): object;
  /** A value of null takes a setting out of the file. */
  change(changes: Readonly<Record<string, unknown>>): object;
}

export interface AppParts {
  readonly store: Store;
  /** What can be found again. */
  readonly memory: Memory;
  readonly settings: SettingsAccess;
  /** What the worker says of itself. */
  readonly status: () => Promise<object>;
  /** What the mod inside Claude Code asks. */
  readonly mods?: Pick<ModsDesk, "ask"> | undefined;
  readonly bell: Bell;
  /** Aborted when the worker stops: streams end then. */
  readonly stopping: AbortSignal;
  readonly streams: { count: number };
  readonly onError: (error: unknown) => void;
}

const QUIET_MS = 15_000;
const MAX_STREAMS = 32;

const statuses: Partial<Record<string, 400 | 404 | 409>> = {
  usage: 400,
  "config-invalid": 400,
  "not-found": 404,
};

function problem(c: Context, status: 400 | 404 | 409 | 413 | 500 | 501 | 503, code: string, message: string) {
  return c.json({ error: { code, message } }, status);
}

function usage(message: string): ThroughlineError {
  return new ThroughlineError("usage", message);
}

function pageRequest(c: Context): PageRequest {
  const { project, session, from, to, cursor, limit, order } = c.req.query();
  const wanted = limit === undefined ? undefined : Number(limit);
  if (wanted !== undefined && !(Number.isInteger(wanted) && wanted >= 1 && wanted <= 500)) {
    throw usage("limit is a whole number from 1 to 500");
  }
  if (order !== undefined && order !== "newest" && order !== "oldest")
    throw usage("order is newest or oldest");
  for (const [name, time] of Object.entries({ from, to })) {
    if (time !== undefined && Number.isNaN(Date.parse(time))) throw usage(`${name} is an ISO time`);
  }
  return {
    ...(project === undefined ? {} : { project }),
    ...(session === undefined ? {} : { session }),
    ...(from === undefined ? {} : { from: new Date(from).toISOString() }),
    ...(to === undefined ? {} : { to: new Date(to).toISOString() }),
    ...(cursor === undefined ? {} : { cursor }),
    ...(wanted === undefined ? {} : { limit: wanted }),
    ...(order === undefined ? {} : { order }),
  };
}

function observationType(c: Context): { readonly type?: ObservationType } {
  const given = c.req.query("type");
  if (given === undefined) return {};
  const type = observationTypes.find((known) => known === given);
  if (type === undefined) throw usage(`type is one of ${observationTypes.join(", ")}`);
  return { type };
}

/** The body as far as it may go: one that names no length is counted while it comes. */
async function bodyOf(c: Context): Promise<string | "too-large"> {
  const decoder = new TextDecoder();
  const limit = bodyLimit(c.req.path);
  let text = "";
  let bytes = 0;
  for await (const chunk of c.req.raw.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > limit) return "too-large";
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The body as an object, or the answer to one that is none. */
async function objectOf(c: Context, what: string): Promise<JsonObject | Response> {
  const body = await bodyOf(c);
  if (body === "too-large")
    return problem(c, 413, "body-too-large", `A body may have ${bodyLimit(c.req.path)} bytes.`);
  const value = parseJson(body);
  if (!isObject(value)) throw usage(`the body is one JSON object: ${what}`);
  return value;
}

async function postSettings(c: Context, settings: SettingsAccess): Promise<Response> {
  const changes = await objectOf(c, "setting keys and their values");
  return changes instanceof Response ? changes : c.json(settings.change(changes));
}

/** A request of the mod inside Claude Code. Declining is an answer: then the mod leaves everything to others. */
async function postMods(c: Context, mods: AppParts["mods"]): Promise<Response> {
  const body = await objectOf(c, "who asks, and what");
  if (body instanceof Response) return body;
  const reply = await mods?.ask(c.req.param("op") ?? "", body);
  if (reply?.kind === "done") return c.json(reply.data);
  if (reply?.kind === "declined") return problem(c, 409, "declined", reply.why);
  return problem(c, 404, "not-found", `There is nothing at ${c.req.method} ${c.req.path}.`);
}

async function streamChanges(c: Context, { store, bell, stopping, streams }: AppParts): Promise<Response> {
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
      for await (const item of follow(store, bell, start, { quietMs: QUIET_MS, signal })) {
        if (item === undefined) await stream.write(": quiet\n\n");
        else {
          const data = JSON.stringify(shown(item));
          await stream.writeSSE({ id: String(item.cursor), event: item.kind, data });
        }
      }
    } finally {
      streams.count -= 1;
    }
  });
}

export function makeApp(parts: AppParts): Hono {
  const { store, settings, status, memory } = parts;
  const app = new Hono();
  app.get("/", (c) => problem(c, 501, "not-built", "The viewer is not built yet."));
  app.get("/health", (c) => c.json({ status: "ok" }));
  app.get("/stream", (c) => streamChanges(c, parts));
  app.get("/api/search", async (c) => c.json(await memory.search(c.req.query())));
  app.get("/api/timeline", async (c) => c.json(await memory.timeline(c.req.query())));
  app.get("/api/show", async (c) => c.json(await memory.show(c.req.query())));
  app.get("/api/prompts", async (c) => c.json(await store.prompts(pageRequest(c))));
  app.get("/api/observations", async (c) =>
    c.json(await store.observations({ ...pageRequest(c), ...observationType(c) })),
  );
  app.get("/api/summaries", async (c) => c.json(await store.summaries(pageRequest(c))));
  app.get("/api/stats", async (c) => c.json({ store: await store.stats(), worker: await status() }));
  app.get("/api/settings", (c) => c.json(settings.read()));
  app.post("/api/settings", (c) => postSettings(c, settings));
  app.post("/mods/:op", (c) => postMods(c, parts.mods));
  app.notFound((c) => problem(c, 404, "not-found", `There is nothing at ${c.req.method} ${c.req.path}.`));
  app.onError((error, c) => {
    if (error instanceof ThroughlineError) {
      const known = statuses[error.code];
      if (known !== undefined) {
        return c.json({ error: { code: error.code, message: error.message, fix: error.fix } }, known);
      }
    }
    parts.onError(error);
    return problem(c, 500, "internal", "The worker could not answer; its log says why.");
  });
  return app;
}
