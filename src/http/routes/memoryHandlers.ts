// Reads and edits the memories of a project by its folder of work: finds the memory directory, the repository and the
// instructions, and leaves the rest to memdir.
import { type Environment, type Home, projectOf } from "../../home/index.ts";
import { type Clock, systemClock } from "../../lib/index.ts";
import {
  approveQuarantined,
  discardMemory,
  editMemory,
  listQuarantine,
  type MemoryEdit,
  type Repository,
  readRepositoryBeside,
  readVersion,
  rejectQuarantined,
  removedMemories,
  type SaveRequest,
  saveMemory,
  takeBack,
  type ViewOptions,
  viewMemories,
  viewMemory,
} from "../../memdir/index.ts";
import { instructionsFor, memoryFolderFor } from "../../tools/index.ts";

interface MemoryHandlerParts {
  readonly home: Home;
  readonly env: Environment;
  readonly clock?: Clock;
  /** Milliseconds that reading a repository may take; after that no memory is called stale. */
  readonly mostMs?: number;
}

const STANDING_CHECK_MS = 5_000;
/** Opening a list and then its memories one by one reads the repository once. */
const REPOSITORY_KEPT_MS = 20_000;

export type MemoryHandlers = ReturnType<typeof makeMemoryHandlers>;

/** Every handler takes the folder of work first. Expected outcomes are values; errors of the disk are thrown. */
export function makeMemoryHandlers(parts: MemoryHandlerParts) {
  const { home, env, clock = systemClock, mostMs = STANDING_CHECK_MS } = parts;
  let known:
    | { readonly root: string; readonly until: number; readonly repository: Promise<Repository | undefined> }
    | undefined;
  const repositoryOf = (folder: string) => {
    const { root } = projectOf(folder);
    const now = performance.now();
    if (!known || known.root !== root || known.until < now)
      known = { root, until: now + REPOSITORY_KEPT_MS, repository: readRepositoryBeside(root, { mostMs }) };
    return known.repository;
  };
  const placeOf = (folder: string) => memoryFolderFor({ home, env, folder }).place;
  const saving = (folder: string) => ({
    ...{ clock, instructions: instructionsFor({ home, env, folder }) },
    root: projectOf(folder).root,
  });
  const viewing = async (folder: string): Promise<ViewOptions> => ({
    now: clock.now(),
    repository: await repositoryOf(folder),
    instructions: instructionsFor({ home, env, folder }),
  });
  return {
    /** All memories with what is wrong with each, and how far it still holds. */
    list: async (folder: string) => viewMemories(placeOf(folder), await viewing(folder)),
    /** One with everything it points at and its history; undefined when there is none. */
    show: async (folder: string, file: string) => viewMemory(placeOf(folder), file, await viewing(folder)),
    /** The text of a memory as it was, by a hash of its history. */
    version: (folder: string, file: string, hash: string) => readVersion(placeOf(folder), file, hash),
    /** A new one, in the words of the person at the page. */
    add: (folder: string, memory: Omit<SaveRequest, "author">) =>
      saveMemory(placeOf(folder), { ...memory, author: "user" }, saving(folder)),
    /** Newest first. */
    removed: (folder: string) => removedMemories(placeOf(folder)),
    /** Needs the hash that was read. */
    edit: (folder: string, edit: MemoryEdit) => editMemory(placeOf(folder), edit, saving(folder)),
    /** Needs the hash that was read. */
    remove: (folder: string, memory: Parameters<typeof discardMemory>[1]) =>
      discardMemory(placeOf(folder), memory, { clock }),
    /** The last change, or the one that is named. */
    undo: (folder: string, id?: string) => takeBack(placeOf(folder), { clock, id }),
    /** Oldest first. */
    quarantine: (folder: string) => listQuarantine(placeOf(folder)),
    approve: (folder: string, id: string) => approveQuarantined(placeOf(folder), id, saving(folder)),
    reject: async (folder: string, id: string) => rejectQuarantined(placeOf(folder), id),
  };
}
