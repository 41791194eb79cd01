// What the commands on the database share: opening it, naming a part of it, telling numbers.
import path from "node:path";
import { databaseFile, projectOf } from "../../../home/index.ts";
import { ThroughlineError } from "../../../lib/index.ts";
import { type Counts, openStore, type Scope, type Store, type UpkeepStore } from "../../../store/index.ts";
import { surroundings } from "../../surroundings.ts";
import { counted } from "../../wording.ts";

/** Opens the database, which must be there unless `create` is said, and closes it whatever happens. */
export async function withDatabase<T>(
  use: (store: Store) => Promise<T>,
  { create = false } = {},
): Promise<T> {
  const store = await openStore({ file: databaseFile(surroundings().home), mustExist: !create });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

export const scopeArgs = {
  session: { type: "string", valueHint: "id", description: "only this session" },
  project: {
    type: "string",
    valueHint: "name",
    description: "only this project: its id, its name or a folder",
  },
  from: { type: "string", valueHint: "time", description: "from this day or time on" },
  to: { type: "string", valueHint: "time", description: "before this day or time" },
} as const;

/** The scope that the arguments name, its project by id. */
export async function scopeFrom(
  store: Pick<UpkeepStore, "stats">,
  { session, project, from, to }: { [name in keyof typeof scopeArgs]?: string | undefined },
): Promise<Scope> {
  const id = project === undefined ? undefined : await projectId(store, project);
  const given = Object.entries({ session, project: id, from, to }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given);
}

async function projectId(store: Pick<UpkeepStore, "stats">, wanted: string): Promise<string> {
  if (/^\.{1,2}$|[/\\]/.test(wanted)) return projectOf(path.resolve(surroundings().cwd, wanted)).id;
  const known = (await store.stats()).projects.map(({ project }) => project);
  if (known.includes(wanted)) return wanted;
  const [only, another] = known.filter((id) => id.replace(/-[0-9a-f]{8}$/, "") === wanted);
  if (only !== undefined && another === undefined) return only;
  throw new ThroughlineError(
    only === undefined ? "not-found" : "usage",
    only === undefined ? `nothing is kept of a project ${wanted}` : `several projects are called ${wanted}`,
    { fix: only === undefined ? "give its folder, or its id" : `name one: ${only}, ${another}` },
  );
}

const singular = (name: string): string => name.replace(/ies$/, "y").replace(/s$/, "");

/** The tables that have something, by name: `3 sessions, 120 events`. */
export function told(counts: Counts): string {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.length === 0
    ? "nothing"
    : some.map(([name, count]) => counted(count, singular(name), name)).join(", ");
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** A time as a part of a file name. */
export function stamp(now: number): string {
  return new Date(now)
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replace(/:/g, "-");
}
