// The memory folders of folders of work, for commands that deal with all of them.
import type { MemoryPlace } from "../../../memdir/index.ts";
import { memoryFolderFor } from "../../../tools/index.ts";
import { surroundings } from "../../surroundings.ts";

/** Undefined where the settings of a project cannot be read: its memories cannot be found then. */
function placeOf(work: string): MemoryPlace | undefined {
  const { home, env } = surroundings();
  try {
    return memoryFolderFor({ home, env, folder: work }).place;
  } catch {
    return undefined;
  }
}

export const memoryFolderOf = (work: string): string | undefined => placeOf(work)?.folder;

/** Each folder once. */
export function memoryPlacesOf(works: readonly string[]): readonly MemoryPlace[] {
  const places = works.flatMap((work) => placeOf(work) ?? []);
  return [...new Map(places.map((place) => [place.folder, place])).values()];
}
