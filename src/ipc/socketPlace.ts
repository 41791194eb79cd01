// Where a starting worker listens: in the state folder; where a socket cannot be there, in a private folder that a file names.
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmdirSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Environment } from "../home/index.ts";
import {
  lightSha256,
  lstatIfThere,
  ownershipOf,
  ownUser,
  removeFile,
  ThroughlineError,
  tolerating,
  withLock,
  writeJson,
} from "../lib/index.ts";
import { ask } from "./client.ts";
import { type Endpoint, readPointer } from "./connect.ts";
import { bindSocket, type SocketLock } from "./socketLock.ts";

/** The system keeps 104 bytes for a unix socket's path on macOS and 108 on Linux. */
const LONGEST_SOCKET = 100;
const FOLDER = "throughline-";
const SOCKET = "worker.sock";
/** What `mkdtemp` adds to a name. */
const RANDOM_LETTERS = 6;

/** Where a private folder can be made, and on which system. */
interface PlaceSources {
  readonly platform: NodeJS.Platform;
  readonly env: Environment;
  readonly temporary: string;
}

const systemSources = (): PlaceSources => ({
  platform: process.platform,
  env: process.env,
  temporary: tmpdir(),
});

/** Closes a folder of this user to others. Throws `not-private` where that cannot be done. */
export function closeToOthers(folder: string, user = ownUser()) {
  if (ownershipOf(folder, user) === "open") chmodSync(folder, 0o700);
  const ownership = ownershipOf(folder, user);
  if (ownership === "private") return;
  throw new ThroughlineError(
    "not-private",
    ownership === "open"
      ? `${folder} stays open to other users; its file system keeps no permissions`
      : `${folder} belongs to another user`,
    "set THROUGHLINE_HOME to a folder that is yours alone",
  );
}

const fits = (socket: string) => Buffer.byteLength(socket) <= LONGEST_SOCKET;

/** A folder of its own, which no other user can have made before or enter. */
function newSocket({ env, temporary }: PlaceSources) {
  const runtime = env.XDG_RUNTIME_DIR ?? "";
  const isUsable = path.isAbsolute(runtime) && ownershipOf(runtime) === "private";
  const shortest = [...(isUsable ? [runtime] : []), temporary].find((folder) =>
    fits(path.join(folder, FOLDER + "x".repeat(RANDOM_LETTERS), SOCKET)),
  );
  if (shortest !== undefined) return path.join(mkdtempSync(path.join(shortest, FOLDER)), SOCKET);
  throw new ThroughlineError(
    "not-private",
    "no folder has a path that is short enough for the worker's socket",
    "set THROUGHLINE_HOME or TMPDIR to a folder with a shorter path",
  );
}

/** Names a new endpoint in the file at `address`. */
export function pointElsewhere(address: string, sources = systemSources()): Required<Endpoint> {
  const pointer = {
    path:
      sources.platform === "win32"
        ? `\\\\.\\pipe\\throughline-${randomBytes(16).toString("hex")}`
        : newSocket(sources),
    secret: randomBytes(32).toString("hex"),
  };
  writeJson(address, pointer);
  return pointer;
}

/** The endpoint that is named at `address` already, where a worker can listen there again. */
function usablePointer(address: string, { platform }: PlaceSources) {
  const pointer = readPointer(address);
  // The name of a pipe can be seen by others once it was used; a new worker has a new one.
  if (!pointer || platform === "win32" || !fits(pointer.path)) return undefined;
  return ownershipOf(path.dirname(pointer.path)) === "private" ? pointer : undefined;
}

/** Where 0.1.0 listened when the state folder's path was long. Its worker leaves when its socket is gone. */
function removeEarlierSocket(address: string, { temporary }: PlaceSources) {
  const earlier = path.join(temporary, `throughline-${lightSha256(path.dirname(address)).slice(0, 16)}.sock`);
  const entry = lstatIfThere(earlier);
  if (entry?.isSocket() && entry.uid === ownUser()) removeFile(earlier);
}

async function bindElsewhere(
  address: string,
  onConnection: (connection: Socket) => void,
  sources: PlaceSources,
): Promise<SocketLock | undefined> {
  const there = await ask(address, "ping");
  if (typeof there === "object" || there === "silent") return undefined;
  removeEarlierSocket(address, sources);
  let pointer = usablePointer(address, sources) ?? pointElsewhere(address, sources);
  const lock = await bindSocket(pointer.path, onConnection).catch(() => {
    // A worker that leaves takes its folder with it, maybe this instant.
    pointer = pointElsewhere(address, sources);
    return bindSocket(pointer.path, onConnection);
  });
  return (
    lock && {
      ...lock,
      isOurs: () => lock.isOurs() && readPointer(address)?.secret === pointer.secret,
      release: async () => {
        await lock.release();
        if (sources.platform !== "win32") removeEmpty(path.dirname(pointer.path));
      },
    }
  );
}

function removeEmpty(folder: string) {
  // Another worker is in it by now, or it is gone.
  tolerating(() => rmdirSync(folder), "ENOTEMPTY", "EEXIST", "ENOENT");
}

/** Undefined when a living worker has it. Throws `not-private` where no place can be kept from other users. */
export async function bindAt(
  address: string,
  onConnection: (connection: Socket) => void,
  sources = systemSources(),
): Promise<SocketLock | undefined> {
  closeToOthers(path.dirname(address));
  if (sources.platform !== "win32" && fits(address)) return bindSocket(address, onConnection);
  // Two that start at once must not name two endpoints.
  return withLock(`${address}.lock`, () => bindElsewhere(address, onConnection, sources));
}
