// Looking around: who is asking, sessions, the timeline and its days, and rows whole.
import type { Context } from "hono";
import { ThroughlineError } from "../../lib/index.ts";
import { type ChronicleFilter, type ChronicleKind, chronicleKinds, type Store } from "../../store/index.ts";
import { projectCards } from "../overview/projects.ts";
import { type SessionPlaces, sessionCards, sessionDetail } from "../overview/sessions.ts";
import { itemsOf, timelinePage } from "../overview/timeline.ts";
import { type Handlers, namedIn, observationType, pageRequest, usage } from "../request.ts";
import { renewCookie, type SignInParts } from "./signIn.ts";
import type { Me } from "../wire.ts";

/** What the worker knows of itself and of its settings. */
interface Standing {
  readonly version: string;
  readonly locale: () => Me["locale"];
  readonly isPaused: () => boolean;
  readonly isExcluded: (folder: string) => boolean;
}

export interface OverviewParts {
  readonly store: Store;
  readonly standing: Standing;
  /** Where sessions have their notes, snapshots and archives. */
  readonly places: Omit<SessionPlaces, "store">;
}

const MOST_REFS = 500;
const MINUTES_A_DAY = 24 * 60;

function kindsOf(c: Context): { readonly kinds?: readonly ChronicleKind[] } {
  const given = c.req.query("kinds");
  if (given === undefined) return {};
  const kinds = given.split(",").map((name) => {
    const kind = chronicleKinds.find((known) => known === name);
    if (kind === undefined) throw usage(`kinds are some of ${chronicleKinds.join(", ")}`);
    return kind;
  });
  return { kinds };
}

function filterOf(c: Context): ChronicleFilter {
  const { project, session, from, to } = pageRequest(c);
  const { file, concept } = c.req.query();
  const given = { project, session, from, to, file: file || undefined, concept: concept || undefined };
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    ...observationType(c),
    ...kindsOf(c),
  };
}

function eastMinutes(c: Context): number {
  const offset = Number(c.req.query("offset") ?? 0);
  if (Number.isInteger(offset) && Math.abs(offset) < MINUTES_A_DAY) return offset;
  throw usage("offset is a whole number of minutes east of UTC");
}

function statusOf(c: Context): { readonly status?: "active" | "completed" } {
  const status = c.req.query("status");
  if (status === undefined) return {};
  if (status === "active" || status === "completed") return { status };
  throw usage("status is active or completed");
}

function refsOf(c: Context): string[] {
  const refs = namedIn(c, "refs").split(",");
  if (refs.length > MOST_REFS) throw usage(`at most ${MOST_REFS} refs can be asked for at once`);
  return refs;
}

/** While it is not known what is excluded, nothing is captured. */
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

export function overviewRoutes(
  { store, standing, places }: OverviewParts,
  door: SignInParts,
): Handlers<
  | "GET /api/me"
  | "GET /api/sessions"
  | "GET /api/session"
  | "GET /api/timeline"
  | "GET /api/days"
  | "GET /api/items"
> {
  return {
    "GET /api/me": async (c) => {
      const projects = await projectCards(store, orExcluded(standing.isExcluded));
      const { version } = standing;
      renewCookie(c, door);
      return c.json({
        version,
        locale: standing.locale(),
        paused: standing.isPaused(),
        projects,
      } satisfies Me);
    },
    "GET /api/sessions": async (c) =>
      c.json(await sessionCards(store, { ...pageRequest(c), ...statusOf(c) })),
    "GET /api/session": async (c) => c.json(await sessionDetail({ ...places, store }, namedIn(c, "id"))),
    "GET /api/timeline": async (c) =>
      c.json(await timelinePage(store, { ...pageRequest(c), ...filterOf(c) })),
    "GET /api/days": async (c) => c.json(await store.chronicleDays(filterOf(c), eastMinutes(c))),
    "GET /api/items": async (c) => c.json(await itemsOf(store, refsOf(c))),
  };
}
