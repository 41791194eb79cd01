// Binds the worker's socket, which is the lock: the process that listens there is the worker. Clears away what a killed worker left.
import { linkSync, lstatSync, renameSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { removeFile, systemErrorCode, tolerating } from "../lib/index.ts";

export interface SocketLock {
  readonly server: Server;
  readonly path: string;
  /** False once the path leads elsewhere: it was deleted, or another worker has bound it since. */
  isOurs(): boolean;
  /** Stops listening and gives the path free, unless it is another's by now. */
  release(): Promise<void>;
}

const isPipe = (socket: string) => socket.startsWith("\\\\");

/** What tells one socket file from the next of the same name; inode numbers are used again at once. */
function identityOf(socket: string) {
  const stat = lstatSync(socket, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}:${stat.mtimeNs}`;
}

function listen(server: Server, socket: string): Promise<"bound" | "taken"> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error) =>
      systemErrorCode(error) === "EADDRINUSE" ? resolve("taken") : reject(error);
    server.once("error", onError);
    server.listen(socket, () => {
      server.off("error", onError);
      resolve("bound");
    });
  });
}

/** Whether connections are accepted there. Only a refusal proves that they are not. */
function isAlive(socket: string) {
  return new Promise((resolve) => {
    const probe = connect(socket);
    probe.once("connect", () => {
      probe.destroy();
      resolve(true);
    });
    probe.once("error", (error) =>
      resolve(!["ECONNREFUSED", "ENOENT"].includes(systemErrorCode(error) ?? "")),
    );
  });
}

/**
 * Removes the socket file of a dead worker. Another worker may bind the path between the check and the rename; its file is
 * recognised by its identity and restored. If a third worker binds meanwhile, the one whose file is gone notices by `isOurs`
 * and exits.
 */
async function clearDead(socket: string) {
  const seen = identityOf(socket);
  if (await isAlive(socket)) return false;
  if (seen === undefined) return true;
  const aside = `${socket}.${process.pid}`;
  const isMoved = tolerating(() => {
    renameSync(socket, aside);
    return true;
  }, "ENOENT");
  if (!isMoved) return true;
  const wasDead = identityOf(aside) === seen;
  if (!wasDead) putBack(aside, socket);
  removeFile(aside);
  return wasDead;
}

function putBack(aside: string, socket: string) {
  tolerating(() => linkSync(aside, socket), "EEXIST");
}

const ATTEMPTS = 5;

/** Undefined when a living worker has it. */
export async function bindSocket(
  socket: string,
  onConnection: (connection: Socket) => void,
): Promise<SocketLock | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const server = createServer(onConnection);
    if ((await listen(server, socket)) === "bound") return lockOn(server, socket);
    if (isPipe(socket) || !(await clearDead(socket))) return undefined;
  }
  return undefined;
}

function lockOn(server: Server, socket: string): SocketLock {
  const own = isPipe(socket) ? undefined : identityOf(socket);
  const isOurs = () => isPipe(socket) || (own !== undefined && identityOf(socket) === own);
  return {
    server,
    path: socket,
    isOurs,
    release: async () => {
      // Closing removes whatever stands at the path; what is not ours is moved out of its way meanwhile.
      const foreign =
        isPipe(socket) || isOurs() || identityOf(socket) === undefined ? undefined : `${socket}.kept`;
      if (foreign !== undefined) renameSync(socket, foreign);
      await new Promise<void>((resolve) => server.close(() => resolve()));
      if (foreign !== undefined) renameSync(foreign, socket);
    },
  };
}
