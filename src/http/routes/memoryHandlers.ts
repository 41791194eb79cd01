// The memories of a project for those who look through them and put them right: where they lie and what the repository
// says is found out here, by the folder of work; everything else is the memory directory's own.

import { type Environment, type Home, projectOf } from "../../home/index.ts";
import { type Clock, systemClock } from "../../lib/index.ts";
import {
  type ApproveOutcome,
  approveQuarantined,
  discardMemory,
  type EditOutcome,
  editMemory,
  listQuarantine,
  type MemoryDetail,
  type MemoryEdit,
  type MemoryOverview,
  type MemoryPlace,
  type Quarantined,
  type RejectOutcome,
  type RemoveOutcome,
  type Repository,
  readRepositoryBeside,
  readVersion,
  rejectQuarantined,
  takeBack,
  type UndoOutcome,
  type ViewOptions,
  viewMemories,
  viewMemory,
} from "../../memdir/index.ts";
import { instructionsFor, memoryFolderFor } from "../../tools/index.ts";

/** Every method takes the folder of work first. Outcomes that can be expected are values; the disk's errors are thrown. */
export interface MemoryHandlers {
  /** All memories with what is wrong with each, and how far it still holds. */
  list(folder: string): Promise<MemoryOverview>;
  /** One with everything it points at and its history; undefined when there is none. */
  show(folder: string, file: string): Promise<MemoryDetail | undefined>;
  /** The words of a memory as they were, by a hash of its history. */
  version(folder: string, file: string, hash: string): string | undefined;
  /** Needs the hash that was read. */
  edit(folder: string, edit: MemoryEdit): Promise<EditOutcome>;
  /** Needs the hash that was read. */
  remove(folder: string, memory: { readonly file: string; readonly hash: string }): Promise<RemoveOutcome>;
  /** The last change, or the one that is named. */
  undo(folder: string, id?: string): Promise<UndoOutcome>;
  /** What waits for a person, oldest first. */
  quarantine(folder: string): readonly Quarantined[];
  approve(folder: string, id: string): Promise<ApproveOutcome>;
  reject(folder: string, id: string): Promise<RejectOutcome>;
}

interface MemoryHandlerParts {
  readonly home: Home;
  readonly env: Environment;
  readonly clock?: Clock;
  /** Milliseconds that reading a repository may take; after that nothing is said of what is stale. */
  readonly mostMs?: number;
}

const MOST_MS = 5_000;
/** Who opens a list and then one after the other of its memories waits once. */
const REPOSITORY_KEPT_MS = 20_000;

interface KnownRepository {
  readonly root: string;
  readonly until: number;
  readonly repository: Promise<Repository | undefined>;
}

export function makeMemoryHandlers(parts: MemoryHandlerParts): MemoryHandlers {
  const { home, env, clock = systemClock, mostMs = MOST_MS } = parts;
  let known: KnownRepository | undefined;
  const repositoryOf = (folder: string): Promise<Repository | undefined> => {
    const { root } = projectOf(folder);
    const now = performance.now();
    if (known === undefined || known.root !== root || known.until < now)
      known = { root, until: now + REPOSITORY_KEPT_MS, repository: readRepositoryBeside(root, { mostMs }) };
    return known.repository;
  };
  const placeOf = (folder: string): MemoryPlace => memoryFolderFor({ home, env, folder }).place;
  const saving = (folder: string) => ({ clock, instructions: instructionsFor({ home, env, folder }) });
  const viewing = async (folder: string): Promise<ViewOptions> => ({
    now: clock.now(),
    repository: await repositoryOf(folder),
    instructions: instructionsFor({ home, env, folder }),
  });
  return {
    list: async (folder) => viewMemories(placeOf(folder), await viewing(folder)),
    show: async (folder, file) => viewMemory(placeOf(folder), file, await viewing(folder)),
    version: (folder, file, hash) => readVersion(placeOf(folder), file, hash),
    edit: (folder, edit) => editMemory(placeOf(folder), edit, saving(folder)),
    remove: (folder, memory) => discardMemory(placeOf(folder), memory, { clock }),
    undo: (folder, id) => takeBack(placeOf(folder), { clock, id }),
    quarantine: (folder) => listQuarantine(placeOf(folder)),
    approve: (folder, id) => approveQuarantined(placeOf(folder), id, saving(folder)),
    reject: (folder, id) => rejectQuarantined(placeOf(folder), id),
  };
}
