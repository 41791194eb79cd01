// Where the running parts meet: the spool, the worker's socket and state, and what hooks may know.
import path from "node:path";
import { lightSha256 } from "../lib/index.ts";
import type { Language } from "./language.ts";
import type { Home } from "./paths.ts";

/** A path in the state folder. That path is normalised already, so a hook saves the cost of path.join. */
const inState = ({ state }: Home, name: string) => state + path.sep + name;

/** Events that hooks have written and the worker has not yet taken in. */
export function spoolFolder(home: Home): string {
  return inState(home, "spool");
}

/** The worker's socket, or a file that says where it is (a path too long for a socket, Windows). */
export function workerSocket(home: Home): string {
  return inState(home, "worker.sock");
}

/** What `workerStateFile` holds. */
export interface WorkerState {
  readonly pid: number;
  readonly version: string;
  readonly socket: string;
  readonly port: number;
  readonly startedAt: string;
}

export function workerStateFile(home: Home): string {
  return inState(home, "worker.json");
}

/** What `startFile` holds: a worker on its way to its work, or why it did not get there. */
export interface WorkerStart {
  readonly pid: number;
  readonly version: string;
  readonly at: string;
  readonly problem?: string;
  readonly fix?: string;
}

/** There from the start of a worker until it is at its work. */
export function startFile(home: Home): string {
  return inState(home, "worker-start.json");
}

/** The bearer token of the HTTP server. */
export function tokenFile(home: Home): string {
  return inState(home, "token");
}

/** What `runtimeFile` holds: the settings that hooks may know, written by the worker and the command line. */
export interface RuntimeState {
  readonly version: string;
  readonly paused: boolean;
  /** Absolute folders, or globs of them, in which nothing is captured. */
  readonly excluded: readonly string[];
  /** The stamp of the user's settings files that `excluded` and `snapshot` were made from. */
  readonly config?: string;
  /** How a worker is started. */
  readonly worker: { readonly node: string; readonly script: string };
  /** What a hook needs to decide on a snapshot by itself. */
  readonly snapshot?: SnapshotRules;
}

export interface SnapshotRules {
  readonly enabled: boolean;
  readonly hours: number;
  readonly language: Language;
}

export function runtimeFile(home: Home): string {
  return inState(home, "runtime.json");
}

export function hookLog(home: Home): string {
  return inState(home, "hook.log");
}

/** What the mod inside the agent could not do last, written by the mod. */
export function modTroubleFile(home: Home): string {
  return inState(home, "mods-trouble.json");
}

export function databaseFile(home: Home): string {
  return path.join(home.data, "throughline.db");
}

/** Databases that were damaged, each in a folder of its own with the report of what came back. */
export function damagedFolder(home: Home): string {
  return path.join(home.data, "damaged");
}

/** Held by everything that deletes or replaces what is kept, and by backups: they must not lose what they have listed. */
export function upkeepLock(home: Home): string {
  return inState(home, "upkeep.lock");
}

/**
 * While this file exists a restore was begun and not finished. Beside the data folder, never in it: it must outlive the
 * exchange of that folder, and no backup can bring one along.
 */
export function restoreJournal(home: Home): string {
  return `${home.data}.restore.json`;
}

/** What an installation has changed, as long as one is in force. */
export function receiptFile(home: Home): string {
  return path.join(home.data, "install-receipt.json");
}

/** While this file exists nothing is captured. */
export function pauseFile(home: Home): string {
  return inState(home, "paused");
}

/** Answers that the worker keeps ready for hooks that cannot reach it, one file for each folder of work. */
export function answerFile(home: Home, cwd: string): string {
  return path.join(answersFolder(home), `${lightSha256(cwd).slice(0, 16)}.json`);
}

export function answersFolder(home: Home): string {
  return inState(home, "answers");
}

/** Snapshots that a hook has cleaned up, on their way into the vault. */
export function leftSnapshots(home: Home): string {
  return inState(home, "snapshots");
}

/** With this key a snapshot is proven to be this machine's own. */
export function snapshotKeyFile(home: Home): string {
  return path.join(home.data, "snapshot.key");
}

/** What was spent on language models, one file a day. */
export function spendingFolder(home: Home): string {
  return inState(home, "models");
}

/** What `replay` has computed before. */
export function replayFolder(home: Home): string {
  return inState(home, "replay");
}

/** Marks for events that hooks could not write. */
export function lossFile(home: Home): string {
  return inState(home, "lost");
}

/** How many events hooks could not write, and how many were read from transcripts instead. */
export function lossTotalsFile(home: Home): string {
  return inState(home, "losses.json");
}

export function workerLog(home: Home): string {
  return path.join(home.state, "worker.log");
}
