// What can be done without a running worker, in the caller's own process. Modules are loaded when they are needed.

import type { ForgetReport } from "../forget/index.ts";
import {
  databaseFile,
  type Home,
  type IsExcluded,
  pauses,
  spendingFolder,
  vaultFolder,
} from "../home/index.ts";
import type { Preview } from "../importer/index.ts";
import type { archivable } from "../intake/index.ts";
import { systemClock } from "../lib/index.ts";
import type { updateNotesNow } from "./jobs/notes.ts";
import type { ProcessOptions, WorkerExit } from "./process.ts";

/** Runs the worker; resolves when it has stopped. */
export async function runWorkerInProcess(options: ProcessOptions): Promise<WorkerExit> {
  const { runProcess } = await import("./process.ts");
  return runProcess(options);
}

/** Forgets, or shows what would go, while no worker runs. `scope` is what was typed. */
export async function forgetWithoutWorker(
  home: Home,
  scope: object,
  carryOut: boolean,
): Promise<ForgetReport> {
  const [{ openStore }, { openVault }, { openMarks }, forgetting, models] = await Promise.all([
    import("../store/index.ts"),
    import("../vault/index.ts"),
    import("../intake/index.ts"),
    import("../forget/index.ts"),
    import("../models/index.ts"),
  ]);
  const store = await openStore({ file: databaseFile(home) });
  try {
    const now = systemClock.now();
    const parts = { home, store, vault: openVault(vaultFolder(home)), marks: openMarks(home, now), now };
    const wanted = forgetting.readScope(scope);
    if (carryOut) models.removeSessionTranscripts(spendingFolder(home), process.env);
    return carryOut
      ? await forgetting.forgetEverywhere(parts, wanted)
      : await forgetting.previewForget(parts, wanted);
  } finally {
    await store.close();
  }
}

/** Brings the notes of a session up to date, whether a worker runs or not. */
export const updateNotesInProcess: typeof updateNotesNow = async (parts, noted) =>
  (await import("./jobs/notes.ts")).updateNotesNow(parts, noted);

/** What of any transcript may be archived: neither pauses, nor excluded folders, nor what was forgotten. */
export async function archivableInProcess(
  home: Home,
  isExcluded: (cwd: string) => boolean,
): Promise<ReturnType<typeof archivable>> {
  const intake = await import("../intake/index.ts");
  const marks = intake.openMarks(home, systemClock.now());
  return intake.archivable({ pauses: pauses(home), isExcluded, marks });
}

/** The sessions whose transcripts are known, with where they are. */
export async function knownTranscripts(
  home: Home,
): Promise<{ readonly session: string; readonly file: string }[]> {
  const { openMarks } = await import("../intake/index.ts");
  return openMarks(home, systemClock.now()).named();
}

/** Counts what imports would keep, and keeps nothing. */
export async function previewImport(home: Home, isExcluded: IsExcluded): Promise<Preview> {
  return (await import("../importer/index.ts")).openPreview(home, isExcluded);
}
