// Memories as a source for search: the injectable ones of the caller's project and of all others, each with its standing.

import { type Environment, type Home, projectOf } from "../home/index.ts";
import {
  type Clock,
  defined,
  isoTime,
  MINUTE,
  present,
  SECOND,
  systemClock,
  ThroughlineError,
} from "../lib/index.ts";
import {
  checkMemory,
  claimsOf,
  confirmedBodies,
  findReferences,
  type MemoryPlace,
  readFolder,
  readRepositoryBeside,
  type StoredMemory,
  selectInjectable,
  standingLine,
} from "../memdir/index.ts";
import type { MemoryDocument, MemorySource } from "../search/index.ts";
import type { EventStore } from "../store/index.ts";
import { memoryFolderFor } from "./memoryFolder.ts";

/** The memories that may be injected into a session, most important first. Throws what disk and settings throw. */
export function injectableMemories(place: MemoryPlace, clock: Clock): StoredMemory[] {
  return selectInjectable(readFolder(place), { now: clock.now(), confirmed: confirmedBodies(place) });
}

/** What no longer holds, by the hash of the memory that says it. */
export type StaleMemories = Readonly<Record<string, readonly string[]>>;

/** Reads the whole repository unless no memory points at anything. Undefined where that took too long. */
export async function findStale(
  memories: readonly Pick<StoredMemory, "hash" | "description" | "body">[],
  root: string,
  mostMs: number,
): Promise<StaleMemories | undefined> {
  const pointing = memories.filter((memory) => findReferences(claimsOf(memory)).length > 0);
  if (pointing.length === 0) return {};
  const repository = await readRepositoryBeside(root, { mostMs });
  if (!repository) return undefined;
  const stale = pointing.map((memory) => {
    const missed = checkMemory(memory, repository).checked.filter(({ standing }) => standing === "stale");
    return [memory.hash, missed.map(({ evidence }) => evidence)] as const;
  });
  return Object.fromEntries(stale.filter(([, evidence]) => evidence.length > 0));
}

interface SourceParts {
  readonly home: Home;
  readonly env: Environment;
  readonly store: Pick<EventStore, "workFolders">;
  readonly clock?: Clock;
}

interface WorkFolder {
  readonly project: string;
  readonly folder: string;
}

/** A folder or settings that cannot be read are left out of the search; `memory lint` reports them. */
function unlessBroken<T>(read: () => T) {
  try {
    return read();
  } catch (error) {
    if (error instanceof ThroughlineError || (error instanceof Error && "code" in error)) return undefined;
    throw error;
  }
}

/** Cached: reading the settings of every project costs more than the search. */
const PLACES_MS = 30_000;

type PlaceFinder = (work: WorkFolder) => MemoryPlace | undefined;

function placeFinder({ home, env, clock = systemClock }: SourceParts): PlaceFinder {
  const known = new Map<string, { readonly place: MemoryPlace | undefined; readonly at: number }>();
  return ({ folder }) => {
    const before = known.get(folder);
    const now = clock.now();
    if (before && now - before.at < PLACES_MS) return before.place;
    const place = unlessBroken(() => memoryFolderFor({ home, env, folder }).place);
    known.set(folder, { place, at: now });
    return place;
  };
}

interface Kept {
  readonly place: MemoryPlace;
  /** A folder of the project, for what its memories point at. */
  readonly folder: string;
  /** A folder that several projects share belongs to none of them. */
  readonly project: string;
}

/** Where memories are kept, the caller's own first. A folder that has become another project's is left out. */
async function keptPlaces({ store }: SourceParts, own: WorkFolder | undefined, placeOf: PlaceFinder) {
  const others = (await store.workFolders()).filter(
    ({ project, folder }) => project !== own?.project && projectOf(folder).id === project,
  );
  const found = new Map<string, Kept>();
  for (const work of present([own, ...others])) {
    const place = placeOf(work);
    if (!place) continue;
    const first = found.get(place.folder);
    const project = first ? "" : work.project;
    found.set(place.folder, { place, project, folder: first?.folder ?? work.folder });
  }
  return [...found.values()];
}

/** While a caller waits. A check that took longer is not tried again soon. */
const SOURCE_CHECK_MS = 2 * SECOND;
const CHECKED_MS = MINUTE;

interface Checked {
  readonly at: number;
  readonly stale: StaleMemories;
}

/** The memories that a search finds, from a folder of work or from none: those of every known project. */
export function memorySources(parts: SourceParts): (folder?: string) => MemorySource {
  const placeOf = placeFinder(parts);
  const { clock = systemClock } = parts;
  /** By the folder of the memories. */
  const checked = new Map<string, Checked>();
  const staleIn = ({ place }: Kept) => checked.get(place.folder)?.stale ?? {};
  return (folder) => {
    const own = folder === undefined ? undefined : { project: projectOf(folder).id, folder };
    return {
      memories: async (projects) => {
        const isWanted = ({ project }: Kept) =>
          projects === undefined || project === "" || projects.includes(project);
        const kept = (await keptPlaces(parts, own, placeOf)).filter(isWanted);
        return kept.flatMap((one) => documentsIn(one, own?.project, clock, staleIn(one)));
      },
      check: async (names) => {
        for (const one of await keptPlaces(parts, own, placeOf)) {
          const { at = Number.NEGATIVE_INFINITY, stale = {} } = checked.get(one.place.folder) ?? {};
          const isAsked = documentsIn(one, own?.project, clock, {}).some(({ name }) => names.includes(name));
          if (!isAsked || clock.now() - at < CHECKED_MS) continue;
          const memories = unlessBroken(() => injectableMemories(one.place, clock)) ?? [];
          const found = await findStale(memories, projectOf(one.folder).root, SOURCE_CHECK_MS);
          checked.set(one.place.folder, { at: clock.now(), stale: found ?? stale });
        }
      },
    };
  };
}

function documentsIn(
  { place, project }: Kept,
  own: string | undefined,
  clock: Clock,
  stale: StaleMemories,
): MemoryDocument[] {
  const isNear = project === "" || project === own;
  const memories = unlessBroken(() => injectableMemories(place, clock)) ?? [];
  return memories.map((memory) => {
    const { file, name, description, body, modifiedAt, hash } = memory;
    return {
      ...{ name: isNear ? file : `${project}/${file}`, title: name, text: `${description}\n${body}` },
      ...{ at: isoTime(modifiedAt), project, standing: standingLine(memory, clock.now(), "en") },
      ...defined({ stale: stale[hash] }),
    };
  });
}
