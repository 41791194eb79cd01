// Forgets a scope while the worker runs: what is on its way in or out is finished first.
import { type ForgetReport, forgetEverywhere, previewForget } from "../forget/index.ts";
import { type Home, spendingFolder, vaultFolder } from "../home/index.ts";
import type { TranscriptMarks } from "../intake/index.ts";
import { systemClock as clock } from "../lib/index.ts";
import { removeSessionTranscripts } from "../models/index.ts";
import type { Scope, Store } from "../store/index.ts";
import { openVault } from "../vault/index.ts";

interface RunningJobs {
  readonly intake: { drain(): Promise<unknown> };
  readonly marks: TranscriptMarks;
  readonly notes: { without<T>(work: () => Promise<T>): Promise<T> };
  readonly wording: { close(): Promise<unknown> };
}

export const forgettingOf =
  (home: Home, store: Store, { intake, marks, notes, wording }: RunningJobs) =>
  async (scope: Scope, carryOut: boolean): Promise<ForgetReport> => {
    // Otherwise an event on its way in would arrive behind its own deletion.
    if (carryOut) await intake.drain();
    const parts = { home, store, vault: openVault(vaultFolder(home)), marks, now: clock.now() };
    if (!carryOut) return previewForget(parts, scope);
    // Notes on their way to the disk would be written behind their own deletion.
    await wording.close();
    removeSessionTranscripts(spendingFolder(home), process.env);
    return notes.without(() => forgetEverywhere(parts, scope));
  };
