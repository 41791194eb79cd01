// All routes of the HTTP server and their answers. Requests have passed the guard before.
import { type Context, Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import { notesFolder } from "../compact/index.ts";
import { readScope } from "../forget/index.ts";
import type { Gateway } from "../gateway/index.ts";
import { type Home, pause, resume } from "../home/index.ts";
import type { WindowHandlers } from "../inspector/index.ts";
import { defined, ThroughlineError } from "../lib/index.ts";
import type { LiveHandlers } from "../live/index.ts";
import type { ModsHandlers } from "../mods/index.ts";
import type { Scope } from "../store/index.ts";
import type { Corrected, Finder } from "../tools/index.ts";
import {
  type Handlers,
  namedIn,
  notFound,
  observationQuery,
  pageQuery,
  problem,
  readBody,
  readQuery,
  usage,
} from "./request.ts";
import { type FeedParts, feedRoutes } from "./routes/feed.ts";
import { memoryRoutes } from "./routes/memory.ts";
import type { MemoryHandlers } from "./routes/memoryHandlers.ts";
import { type OverviewParts, overviewRoutes } from "./routes/overview.ts";
import type { SettingsAccess } from "./routes/settings.ts";
import { type SignInParts, signInRoutes } from "./routes/signIn.ts";
import { partsOf } from "./routes/table.ts";
import { type TransferParts, transferRoutes } from "./routes/transfer.ts";
import { viewerRoutes } from "./routes/viewer.ts";
import type { Forgetting, Pausing, Savings } from "./wire.ts";

export interface AppParts extends FeedParts, OverviewParts {
  readonly finder: Finder;
  readonly settings: SettingsAccess;
  readonly windows: WindowHandlers;
  readonly status: () => Promise<object>;
  /** What was saved in all sessions. */
  readonly savings: () => Promise<Savings>;
  readonly mods?: Pick<ModsHandlers, "ask"> | undefined;
  readonly live?: LiveHandlers | undefined;
  readonly gateway: Gateway;
  readonly memories: MemoryHandlers;
  readonly home: Home;
  /** Previews what would be deleted, or deletes it and looks again. Throws `usage` for an empty scope. */
  readonly forget: (scope: Scope, carryOut: boolean) => Promise<Forgetting>;
  /** Edits or deletes one observation or summary, or undoes that. */
  readonly correct: (request: unknown) => Promise<Corrected>;
  readonly transfer: TransferParts;
  /** Where the build put the page. */
  readonly viewerFolder: string;
  readonly onError: (error: unknown) => void;
}

const statuses: Partial<Record<string, 400 | 404 | 409 | 503>> = {
  usage: 400,
  "config-invalid": 400,
  "not-found": 404,
  "ambiguous-handle": 409,
  "undo-refused": 409,
  "memory-refused": 400,
  "memory-changed": 409,
  busy: 409,
  "database-busy": 503,
};

const RETRY_AFTER_SECONDS = 5;

const anyObject = z.record(z.string(), z.unknown());
const pausing = z.object({ paused: z.boolean() });
const replayScope = z.object({
  session: z.string().optional(),
  project: z.string().optional(),
  from: z.iso.datetime().optional(),
});
const undoing = z.object({ session: z.string(), entry: z.string() });

function turnOf(c: Context) {
  const turn = c.req.query("turn");
  if (turn === undefined || turn === "all") return turn;
  if (/^\d{1,9}$/.test(turn)) return Number(turn);
  throw usage("turn is a whole number from 0, or `all`");
}

function requestIn(c: Context, name: "from" | "to") {
  const text = namedIn(c, name);
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw usage(`${name} is the number of a request, from 0`);
}

function offsetOf(c: Context) {
  const offset = Number(c.req.query("offset") ?? 0);
  if (Number.isInteger(offset) && offset >= 0) return offset;
  throw usage("offset is a whole number from 0");
}

/** The mod leaves a request that was declined to Claude Code, a carrier goes on with the edits in force. */
async function askCarried(c: Context, asked: AppParts["mods"] | AppParts["live"]) {
  const reply = await asked?.ask(c.req.param("op") ?? "", await readBody(c, anyObject));
  if (reply?.kind === "done") return reply.data;
  return reply?.kind === "declined" ? problem(c, 409, "declined", reply.why) : notFound(c);
}

async function setPaused(c: Context, home: Home): Promise<Pausing> {
  const { paused } = await readBody(c, pausing);
  if (paused) pause(home);
  else resume(home);
  return { paused };
}

function handlersFor(parts: AppParts, signIn: SignInParts): Handlers {
  const { store, status, finder, settings, windows, savings, home, gateway } = parts;
  return {
    ...viewerRoutes(parts.viewerFolder),
    ...signInRoutes(signIn),
    ...feedRoutes(parts),
    ...overviewRoutes(parts, signIn),
    ...memoryRoutes(parts),
    ...transferRoutes(parts.transfer),
    "GET /health": () => ({ status: "ok" }),
    "GET /api/search": (c) => finder.search(c.req.query()),
    "GET /api/around": (c) => finder.timeline(c.req.query()),
    "GET /api/show": (c) => finder.show(c.req.query()),
    "GET /api/errors": (c) => finder.errors(c.req.query()),
    "GET /api/prompts": (c) => store.prompts(readQuery(c, pageQuery)),
    "GET /api/observations": (c) => store.observations(readQuery(c, observationQuery)),
    "GET /api/summaries": (c) => store.summaries(readQuery(c, pageQuery)),
    "GET /api/stats": async () => ({
      store: await store.stats(),
      worker: await status(),
      savings: await savings(),
    }),
    "GET /api/settings": settings.read,
    "POST /api/settings": async (c) => settings.change(await readBody(c, anyObject)),
    "POST /api/provider-test": settings.testProvider,
    "GET /api/window": (c) => windows.view(namedIn(c, "session")),
    "GET /api/window/event": (c) => windows.event(namedIn(c, "session"), namedIn(c, "event")),
    "GET /api/window/compare": (c) =>
      windows.compare(namedIn(c, "session"), requestIn(c, "from"), requestIn(c, "to")),
    "GET /api/window/preview": (c) => windows.preview(namedIn(c, "session"), notesFolder),
    "POST /api/replay": async (c) => windows.replay(defined(await readBody(c, replayScope))),
    "GET /api/trace": (c) => windows.trace(namedIn(c, "session"), turnOf(c)),
    "GET /api/trace/call": (c) => windows.call(namedIn(c, "session"), namedIn(c, "call")),
    "GET /api/recall": (c) => windows.recall(namedIn(c, "handle"), offsetOf(c)),
    "POST /api/undo": async (c) => {
      const { session, entry } = await readBody(c, undoing);
      return windows.undo(session, entry);
    },
    "POST /api/pause": (c) => setPaused(c, home),
    "POST /api/forget": async (c) => {
      const body = await readBody(c, anyObject);
      return parts.forget(readScope(body), body.carryOut === true);
    },
    "POST /api/item": async (c) => parts.correct(await readBody(c, anyObject)),
    "POST /v1/events": async (c) => gateway.ingest(await readBody(c, anyObject)),
    "POST /v1/context": async (c) => gateway.context(await readBody(c, anyObject)),
    "GET /v1/search": (c) => finder.search(c.req.query()),
    "GET /v1/recall": (c) => windows.recall(namedIn(c, "handle"), offsetOf(c)),
    "POST /mods/:op": (c) => askCarried(c, parts.mods),
    "POST /live/:op": (c) => askCarried(c, parts.live),
  };
}

function errorResponse(error: unknown, c: Context, onError: AppParts["onError"]) {
  if (error instanceof HTTPException) return error.getResponse();
  const known = error instanceof ThroughlineError ? statuses[error.code] : undefined;
  if (known === undefined) onError(error);
  // Too much to store: the sender tries again.
  if (error instanceof ThroughlineError && error.code === "busy" && c.req.path === "/v1/events") {
    c.header("Retry-After", String(RETRY_AFTER_SECONDS));
    return problem(c, 503, error.code, error.message, error.fix);
  }
  if (error instanceof ThroughlineError)
    return problem(c, known ?? 500, error.code, error.message, error.fix);
  return problem(c, 500, "internal", "The worker could not answer; its log says why.");
}

export function makeApp(parts: AppParts, signIn: SignInParts): Hono {
  const app = new Hono();
  for (const [route, handler] of Object.entries(handlersFor(parts, signIn))) {
    const { method, path } = partsOf(route);
    app.on(method, path, async (c) => {
      const answer = await handler(c);
      return answer instanceof Response ? answer : c.json(answer as object);
    });
  }
  app.notFound(notFound);
  app.onError((error, c) => errorResponse(error, c, parts.onError));
  return app;
}
