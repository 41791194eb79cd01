// What tells a snapshot of this machine from one that came with the project, and what is known of the latter.
import type { Home } from "../home/index.ts";
import { listSnapshots } from "./folder.ts";
import { trackedSnapshots } from "./git.ts";
import { isFirstSight, readSnapshotKey } from "./seal.ts";

export interface Provenance {
  /** This machine's key: a snapshot that is not sealed with it is foreign, and never loaded. */
  readonly key: Uint8Array | undefined;
  /** Names of the snapshots that the repository has among its files; unknown means that each may be. */
  readonly tracked: ReadonlySet<string> | undefined;
  /** Whether a foreign snapshot is met for the first time, and is to be spoken of. */
  readonly isFirstSight: (file: string) => boolean;
}

export async function provenanceOf(home: Home, project: string): Promise<Provenance> {
  const key = readSnapshotKey(home);
  const hasForeign = listSnapshots(project, key).some(({ ours }) => !ours);
  return {
    key,
    // Git is asked only where the answer matters.
    tracked: hasForeign ? await trackedSnapshots(project) : new Set(),
    isFirstSight: (file) => isFirstSight(home, file),
  };
}
