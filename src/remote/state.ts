// What a machine knows of its server: the address, the key, its own id, and how far it has sent and received.
import { randomBytes } from "node:crypto";
import { type Environment, type Home, remoteKeyFile, remoteStateFile } from "../home/index.ts";
import { isObject, readIfThere, readJson, removeFile, writeFileAtomic, writeJson } from "../lib/index.ts";
import type { RemotePlace } from "./client.ts";

export interface RemoteState {
  /** The cursors below are of this server. */
  readonly url: string;
  readonly machine: string;
  /** Cursors: of this machine's feed, and of the server's. */
  readonly pushed: number;
  readonly pulled: number;
  /** The head of this machine's feed when it was last seen: a smaller one means that the database was restored. */
  readonly head: number;
  /** Milliseconds since the epoch of the last exchange that was completed; 0 for none. */
  readonly syncedAt: number;
  /** Changes that the server does not take. */
  readonly refused: number;
  /** Why the last try failed. */
  readonly problem?: string;
}

const MACHINE_BYTES = 12;

const count = (value: unknown) => (typeof value === "number" && value >= 0 ? value : 0);

/** Of another server, everything begins anew but the machine's id. */
export function readRemoteState(home: Home, url: string): RemoteState {
  const found = readJson(remoteStateFile(home));
  const fields = isObject(found) ? found : {};
  const machine =
    typeof fields.machine === "string" ? fields.machine : randomBytes(MACHINE_BYTES).toString("hex");
  const known = fields.url === url ? fields : {};
  return {
    ...{ url, machine, pushed: count(known.pushed), pulled: count(known.pulled), head: count(known.head) },
    ...{ syncedAt: count(known.syncedAt), refused: count(known.refused) },
    ...(typeof known.problem === "string" ? { problem: known.problem } : {}),
  };
}

export const writeRemoteState = (home: Home, state: RemoteState) =>
  writeJson(remoteStateFile(home), state, 2);

/** The variable wins over the file. Undefined where there is neither. */
export function remotePlace(home: Home, env: Environment, url: string | undefined): RemotePlace | undefined {
  const key = env.THROUGHLINE_REMOTE_KEY || readIfThere(remoteKeyFile(home))?.trim() || undefined;
  return url === undefined || url === "" || key === undefined ? undefined : { url, key };
}

export const keepRemoteKey = (home: Home, key: string) => writeFileAtomic(remoteKeyFile(home), `${key}\n`);

export function forgetRemoteKey(home: Home) {
  removeFile(remoteKeyFile(home));
}
