// What can be asked of the worker over its socket, and who is connected to it.
import type { Socket } from "node:net";
import { readScope } from "../forget/index.ts";
import { type OpTable, proofOf, readPointer, serveConnection } from "../ipc/index.ts";
import { givenText, isNewer, isObject, ThroughlineError } from "../lib/index.ts";
import { isCapturedEvent } from "../spool/index.ts";
import type { Engine } from "./engine.ts";

export type StopReason = "idle" | "replaced" | "shutdown" | "handover" | "signal" | "damaged";

interface SocketHandlerOptions {
  /** The worker's socket, or the file that says where it is. */
  readonly address: string;
  readonly version: string;
  /** Resolves when the engine runs: those who ask earlier wait. */
  readonly engine: Promise<Engine>;
  /** Resolves when everything is finished and closed but the socket. */
  readonly leave: (reason: StopReason) => Promise<void>;
}

interface SocketHandlers {
  readonly serve: (connection: Socket) => void;
  /** Ends every connection; answers that are on their way are still sent. */
  close(): void;
}

function opsOf({ address, version, engine, leave }: SocketHandlerOptions): OpTable {
  const me = { version, pid: process.pid };
  return new Map<string, (args: unknown) => Promise<unknown> | unknown>([
    ["ping", () => me],
    [
      "prove",
      (args) => {
        const nonce = isObject(args) ? givenText(args.nonce) : undefined;
        const secret = readPointer(address)?.secret;
        return nonce === undefined || secret === undefined ? {} : { proof: proofOf(secret, nonce) };
      },
    ],
    ["status", async () => (await engine).status()],
    ["invite", async () => (await engine).invite()],
    ["drain", async () => (await engine).drain()],
    [
      "answer",
      async (args) => {
        const { event, project } = isObject(args) ? args : {};
        return isCapturedEvent(event) ? (await engine).answer(event, givenText(project)) : {};
      },
    ],
    ["search", async (args) => (await engine).finder.search(args)],
    ["timeline", async (args) => (await engine).finder.timeline(args)],
    ["show", async (args) => (await engine).finder.show(args)],
    ["remember", async (args) => (await engine).remember(args)],
    ["jobs", async (args) => (await engine).jobs(isObject(args) && args.retry === true)],
    ["import", async (args) => (await engine).import(args)],
    [
      "forget",
      async (args) => (await engine).forget(readScope(args), isObject(args) && args.carryOut === true),
    ],
    [
      "shutdown",
      async () => {
        await leave("shutdown");
        return me;
      },
    ],
    [
      "handover",
      async (args) => {
        const theirs = isObject(args) ? givenText(args.version) : undefined;
        if (theirs === undefined || !isNewer(theirs, version)) {
          throw new ThroughlineError(
            "usage",
            `a worker of version ${version} does not give way to ${theirs}`,
          );
        }
        await leave("handover");
        return me;
      },
    ],
  ]);
}

export function makeSocketHandlers(options: SocketHandlerOptions): SocketHandlers {
  const ops = opsOf(options);
  const connections = new Set<Socket>();
  const serveHttp = async (connection: Socket): Promise<void> => (await options.engine).serveHttp(connection);
  return {
    serve(connection) {
      connections.add(connection);
      connection.once("close", () => connections.delete(connection));
      serveConnection(connection, ops, serveHttp);
    },
    close() {
      for (const connection of connections) connection.destroySoon();
    },
  };
}
