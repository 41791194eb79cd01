// The addresses of the HTTP face, put together. Who may ask is settled before; this only answers.
import { type Context, Hono } from "hono";
import type { WindowDesk } from "../inspector/index.ts";
import { ThroughlineError } from "../lib/index.ts";
import type { ModsHandlers } from "../mods/index.ts";
import type { Finder } from "../tools/index.ts";
import type { MemoryHandlers } from "./routes/memoryHandlers.ts";
import { memoryRoutes } from "./routes/memory.ts";
import { modsRoutes } from "./modsRoutes.ts";
import { type OverviewParts, overviewRoutes } from "./routes/overview.ts";
import { type PrivacyParts, privacyRoutes } from "./privacyRoutes.ts";
import { type Handlers, observationType, pageRequest, problem } from "./request.ts";
import { partsOf } from "./routes/table.ts";
import { type SettingsAccess, settingsRoutes } from "./settingsRoutes.ts";
import { type SignInParts, signInRoutes } from "./routes/signIn.ts";
import { type StreamParts, streamRoutes } from "./routes/feed.ts";
import { type TransferParts, transferRoutes } from "./routes/transfer.ts";
import { viewerRoutes } from "./viewerRoutes.ts";
import { windowRoutes } from "./windowRoutes.ts";
import type { Savings } from "./wire.ts";

export interface AppParts extends StreamParts, OverviewParts {
  /** What can be found again. */
  readonly finder: Finder;
  readonly settings: SettingsAccess;
  /** What windows held, and what was done to them. */
  readonly windows: WindowDesk;
  /** What the worker says of itself. */
  readonly status: () => Promise<object>;
  /** What was saved in all sessions. */
  readonly savings: () => Promise<Savings>;
  /** What the mod inside Claude Code asks. */
  readonly mods?: Pick<ModsHandlers, "ask"> | undefined;
  /** What the page does with memories. */
  readonly memories: MemoryHandlers;
  readonly privacy: PrivacyParts;
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

function handlersFor(parts: AppParts, door: SignInParts): Handlers {
  const { store, status, finder } = parts;
  return {
    ...viewerRoutes(parts.viewerFolder),
    ...signInRoutes(door),
    ...streamRoutes(parts),
    ...overviewRoutes(parts, door),
    ...memoryRoutes(parts),
    ...settingsRoutes(parts.settings),
    ...windowRoutes(parts.windows),
    ...privacyRoutes(parts.privacy),
    ...transferRoutes(parts.transfer),
    ...modsRoutes(parts.mods),
    "GET /health": (c) => c.json({ status: "ok" }),
    "GET /api/search": async (c) => c.json(await finder.search(c.req.query())),
    "GET /api/around": async (c) => c.json(await finder.timeline(c.req.query())),
    "GET /api/show": async (c) => c.json(await finder.show(c.req.query())),
    "GET /api/prompts": async (c) => c.json(await store.prompts(pageRequest(c))),
    "GET /api/observations": async (c) =>
      c.json(await store.observations({ ...pageRequest(c), ...observationType(c) })),
    "GET /api/summaries": async (c) => c.json(await store.summaries(pageRequest(c))),
    "GET /api/stats": async (c) =>
      c.json({ store: await store.stats(), worker: await status(), savings: await parts.savings() }),
  };
}

function failed(error: unknown, c: Context, onError: AppParts["onError"]): Response {
  if (error instanceof ThroughlineError) {
    const known = statuses[error.code];
    if (known === undefined) onError(error);
    return problem(c, known ?? 500, error.code, error.message, error.fix);
  }
  onError(error);
  return problem(c, 500, "internal", "The worker could not answer; its log says why.");
}

export function makeApp(parts: AppParts, door: SignInParts): Hono {
  const app = new Hono();
  for (const [route, handler] of Object.entries(handlersFor(parts, door))) {
    const { method, path } = partsOf(route);
    app.on(method, path, handler);
  }
  app.notFound((c) => problem(c, 404, "not-found", `There is nothing at ${c.req.method} ${c.req.path}.`));
  app.onError((error, c) => failed(error, c, parts.onError));
  return app;
}
