// The memories of the project that somebody works in, handed to search: those that a session may be told of.
import { type Clock, type Home, isoTime, projectOf, systemClock, ThroughlineError } from "../lib/index.ts";
import {
  confirmedBodies,
  type MemoryPlace,
  readFolder,
  type StoredMemory,
  tellable,
} from "../memdir/index.ts";
import type { MemorySource } from "../search/index.ts";
import { memoryFolderFor } from "./memoryFolder.ts";

/** The memories that a session may be told of, most important first. Throws what disk and settings throw. */
export function toldMemories(place: MemoryPlace, clock: Clock): StoredMemory[] {
  return tellable(readFolder(place), { now: clock.now(), confirmed: confirmedBodies(place) });
}

function memoriesFor(folder: string, around: SourceParts): StoredMemory[] {
  try {
    return toldMemories(memoryFolderFor({ ...around, folder }).place, around.clock ?? systemClock);
  } catch (error) {
    // `memory lint` says what is wrong with the folder; everything else can be found all the same.
    if (error instanceof ThroughlineError || (error instanceof Error && "code" in error)) return [];
    throw error;
  }
}

export interface SourceParts {
  readonly home: Home;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
}

/** By the folder of work that a question comes from. */
export function memorySources(around: SourceParts): (folder: string) => MemorySource {
  return (folder) => ({
    memories: async () => {
      const { id: project } = projectOf(folder);
      return memoriesFor(folder, around).map(({ file, name, description, body, modifiedAt }) => ({
        ...{ name: file, title: name, text: `${description}\n${body}` },
        ...{ at: isoTime(modifiedAt), project },
      }));
    },
  });
}
