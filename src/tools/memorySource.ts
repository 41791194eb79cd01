// Memories as a source for search: the injectable ones of the caller's project and of all others.

import { type Environment, type Home, projectOf } from "../home/index.ts";
import { type Clock, isoTime, present, systemClock, ThroughlineError } from "../lib/index.ts";
import {
  confirmedBodies,
  type MemoryPlace,
  readFolder,
  type StoredMemory,
  selectInjectable,
} from "../memdir/index.ts";
import type { MemoryDocument, MemorySource } from "../search/index.ts";
import type { EventStore } from "../store/index.ts";
import { memoryFolderFor } from "./memoryFolder.ts";

/** The memories that may be injected into a session, most important first. Throws what disk and settings throw. */
export function injectableMemories(place: MemoryPlace, clock: Clock): StoredMemory[] {
  return selectInjectable(readFolder(place), { now: clock.now(), confirmed: confirmedBodies(place) });
}

interface SourceParts {
  readonly home: Home;
  readonly env: Environment;
  readonly store: Pick<EventStore, "workFolders">;
  readonly clock?: Clock;
}

interface Work {
  readonly project: string;
  readonly folder: string;
}

/** A folder or settings that cannot be read are left out of the search; `memory lint` reports them. */
function unlessBroken<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ThroughlineError || (error instanceof Error && "code" in error)) return undefined;
    throw error;
  }
}

/** Cached: reading the settings of every project costs more than the search. */
const PLACES_MS = 30_000;

type PlaceFinder = (work: Work) => MemoryPlace | undefined;

function placeFinder({ home, env, clock = systemClock }: SourceParts): PlaceFinder {
  const known = new Map<string, { readonly place: MemoryPlace | undefined; readonly at: number }>();
  return ({ folder }) => {
    const before = known.get(folder);
    const now = clock.now();
    if (before !== undefined && now - before.at < PLACES_MS) return before.place;
    const place = unlessBroken(() => memoryFolderFor({ home, env, folder }).place);
    known.set(folder, { place, at: now });
    return place;
  };
}

interface Kept {
  readonly place: MemoryPlace;
  /** A folder that several projects share belongs to none of them. */
  readonly project: string;
}

/** Where memories are kept, the caller's own first. A folder that has become another project's is left out. */
async function keptPlaces({ store }: SourceParts, own: Work | undefined, placeOf: PlaceFinder) {
  const others = (await store.workFolders()).filter(
    ({ project, folder }) => project !== own?.project && projectOf(folder).id === project,
  );
  const found = new Map<string, Kept>();
  for (const work of present([own, ...others])) {
    const place = placeOf(work);
    if (place === undefined) continue;
    found.set(place.folder, { place, project: found.has(place.folder) ? "" : work.project });
  }
  return [...found.values()];
}

/** The memories that a search finds, from a folder of work or from none: those of every known project. */
export function memorySources(parts: SourceParts): (folder?: string) => MemorySource {
  const placeOf = placeFinder(parts);
  return (folder) => ({
    memories: async (projects) => {
      const own = folder === undefined ? undefined : { project: projectOf(folder).id, folder };
      const isWanted = ({ project }: Kept) =>
        projects === undefined || project === "" || projects.includes(project);
      const kept = (await keptPlaces(parts, own, placeOf)).filter(isWanted);
      return kept.flatMap((one) => documentsIn(one, own?.project, parts.clock ?? systemClock));
    },
  });
}

function documentsIn({ place, project }: Kept, own: string | undefined, clock: Clock): MemoryDocument[] {
  const isNear = project === "" || project === own;
  const memories = unlessBroken(() => injectableMemories(place, clock)) ?? [];
  return memories.map(({ file, name, description, body, modifiedAt }) => ({
    ...{ name: isNear ? file : `${project}/${file}`, title: name, text: `${description}\n${body}` },
    ...{ at: isoTime(modifiedAt), project },
  }));
}
