// Overview: the signed-in page's context, sessions, the timeline and its days, and whole rows.
import type { Context } from "hono";
import { z } from "zod";
import { ThroughlineError } from "../../lib/index.ts";
import { chronicleKinds, type Store } from "../../store/index.ts";
import { homeFacts } from "../overview/home.ts";
import { projectCards } from "../overview/projects.ts";
import { type SessionPlaces, sessionCards, sessionDetail } from "../overview/sessions.ts";
import { itemsOf, timelinePage } from "../overview/timeline.ts";
import {
  type Handlers,
  namedIn,
  observationQuery,
  pageQuery,
  readQuery,
  scopeQuery,
  usage,
} from "../request.ts";
import type { Me, UsageSummary } from "../wire.ts";
import type { MemoryHandlers } from "./memoryHandlers.ts";
import { renewCookie, type SignInParts } from "./signIn.ts";

export interface OverviewParts {
  readonly store: Store;
  /** What the worker knows of itself and of its settings. */
  readonly standing: {
    readonly version: string;
    readonly locale: () => Me["locale"];
    readonly isPaused: () => boolean;
    readonly isExcluded: (folder: string) => boolean;
  };
  /** Where sessions have their notes, snapshots and archives. */
  readonly places: Omit<SessionPlaces, "store">;
  readonly memories: Pick<MemoryHandlers, "quarantine">;
  readonly usage: { readonly summary: (eastMinutes: number) => Promise<UsageSummary> };
}

const MOST_REFS = 500;
const LAST_MINUTE = 24 * 60 - 1;

const nonEmpty = z
  .string()
  .transform((text) => text || undefined)
  .optional();

const filterFields = {
  type: observationQuery.shape.type,
  file: nonEmpty,
  concept: nonEmpty,
  kinds: z
    .string()
    .transform((names) => names.split(","))
    .pipe(z.array(z.enum(chronicleKinds)))
    .optional(),
};
const filterQuery = scopeQuery.extend(filterFields);
const timelineQuery = pageQuery.extend(filterFields);
const sessionsQuery = pageQuery.extend({ status: z.enum(["active", "completed"]).optional() });
/** Minutes east of UTC. */
const offsetQuery = z.object({
  offset: z.coerce.number().int().min(-LAST_MINUTE).max(LAST_MINUTE).default(0),
});

function refsOf(c: Context) {
  const refs = namedIn(c, "refs").split(",");
  if (refs.length > MOST_REFS) throw usage(`at most ${MOST_REFS} refs can be asked for at once`);
  return refs;
}

/** While the exclusions cannot be read, nothing is captured. */
function orExcluded(isExcluded: (folder: string) => boolean): (folder: string) => boolean {
  return (folder) => {
    try {
      return isExcluded(folder);
    } catch (error) {
      if (error instanceof ThroughlineError) return true;
      throw error;
    }
  };
}

export function overviewRoutes(parts: OverviewParts, signIn: SignInParts) {
  const { store, standing, memories, usage } = parts;
  const places = { ...parts.places, store };
  const home = { places, memories, usage: usage.summary, now: Date.now };
  const { version, locale, isPaused, isExcluded } = standing;
  return {
    "GET /api/me": async (c): Promise<Me> => {
      const projects = await projectCards(store, orExcluded(isExcluded));
      renewCookie(c, signIn);
      return { version, locale: locale(), paused: isPaused(), projects };
    },
    "GET /api/home": (c) => homeFacts(home, readQuery(c, offsetQuery).offset),
    "GET /api/sessions": (c) => sessionCards(store, readQuery(c, sessionsQuery)),
    "GET /api/session": (c) => sessionDetail(places, namedIn(c, "id")),
    "GET /api/timeline": (c) => timelinePage(store, readQuery(c, timelineQuery)),
    "GET /api/days": (c) => store.chronicleDays(readQuery(c, filterQuery), readQuery(c, offsetQuery).offset),
    "GET /api/items": (c) => itemsOf(store, refsOf(c)),
  } satisfies Partial<Handlers>;
}
