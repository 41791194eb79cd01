// Where the running parts meet: the spool, the worker's socket and state, and what hooks may know.
import path from "node:path";
import { lightSha256 } from "../lib/index.ts";
import type { Language } from "./language.ts";
import type { Home } from "./paths.ts";

/**
 * A place in the state folder. That path is normalised already, so a hook saves the cost of path.join. The mark lets the
 * bundles of the hooks leave out the places that they do not use.
 * @__NO_SIDE_EFFECTS__
 */
function inState(name: string): (home: Home) => string {
  return ({ state }) => state + path.sep + name;
}

/** A place in the data folder. @__NO_SIDE_EFFECTS__ */
function inData(name: string): (home: Home) => string {
  return ({ data }) => path.join(data, name);
}

/** Events that hooks have written and the worker has not yet taken in. */
export const spoolFolder = inState("spool");

/** The worker's socket, or a file that says where it is (a path too long for a socket, Windows). */
export const workerSocket = inState("worker.sock");

/** What `workerStateFile` holds. */
export interface WorkerState {
  readonly pid: number;
  readonly version: string;
  readonly socket: string;
  readonly port: number;
  readonly startedAt: string;
}

export const workerStateFile = inState("worker.json");

/** What `startFile` holds: a worker on its way to its work, or why it did not get there. */
export interface WorkerStart {
  readonly pid: number;
  readonly version: string;
  readonly at: string;
  readonly problem?: string;
  readonly fix?: string;
}

/** There from the start of a worker until it is at its work. */
export const startFile = inState("worker-start.json");

/** How far this machine has sent its changes to the team's server, and received those of others. */
export const remoteStateFile = inState("remote.json");

/** The key for the team's server. */
export const remoteKeyFile = ({ config }: Home): string => path.join(config, "remote-key");

/** The bearer token of the HTTP server. */
export const tokenFile = inState("token");

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

export const runtimeFile = inState("runtime.json");

export const hookLog = inState("hook.log");

/** What the mod inside the agent could not do last, written by the mod. */
export const modTroubleFile = inState("mods-trouble.json");

export const databaseFile = inData("throughline.db");

/** Databases that were damaged, each in a folder of its own with the report of what came back. */
export const damagedFolder = inData("damaged");

/** Held by everything that deletes or replaces what is kept, and by backups: they must not lose what they have listed. */
export const upkeepLock = inState("upkeep.lock");

/**
 * While this file exists a restore was begun and not finished. Beside the data folder, never in it: it must outlive the
 * exchange of that folder, and no backup can bring one along.
 */
export function restoreJournal(home: Home) {
  return `${home.data}.restore.json`;
}

/** What an installation has changed, as long as one is in force. */
export const receiptFile = inData("install-receipt.json");

/** While this file exists nothing is captured. */
export const pauseFile = inState("paused");

/** Answers that the worker keeps ready for hooks that cannot reach it, one file for each folder of work. */
export function answerFile(home: Home, cwd: string) {
  return path.join(answersFolder(home), `${lightSha256(cwd).slice(0, 16)}.json`);
}

export const answersFolder = inState("answers");

/** Snapshots that a hook has cleaned up, on their way into the vault. */
export const leftSnapshots = inState("snapshots");

/** With this key a snapshot is proven to be this machine's own. */
export const snapshotKeyFile = inData("snapshot.key");

/** What was spent on language models, one file a day. */
export const spendingFolder = inState("models");

/** What `replay` has computed before. */
export const replayFolder = inState("replay");
/** The edits of live windows, one file a window. */
export const liveFolder = inState("live");

/** Marks for events that hooks could not write. */
export const lossFile = inState("lost");

/** How many events hooks could not write, and how many were read from transcripts instead. */
export const lossTotalsFile = inState("losses.json");

export const workerLog = inState("worker.log");
