// Handlers of the requests that come over the worker's socket, by the name of the operation.
import type { Socket } from "node:net";
import { readScope } from "../forget/index.ts";
import { proofOf, readPointer, serveConnection } from "../ipc/index.ts";
import { givenText, isNewer, isObject, usageError } from "../lib/index.ts";
import type { RunningWorker } from "./compose.ts";

export type StopReason = "idle" | "replaced" | "shutdown" | "handover" | "signal" | "damaged";

interface SocketHandlerOptions {
  /** The worker's socket, or the file that says where it is. */
  readonly address: string;
  readonly version: string;
  /** Requests that come before the worker runs wait for it. */
  readonly worker: Promise<RunningWorker>;
  /** Resolves when everything is finished and closed but the socket. */
  readonly stop: (reason: StopReason) => Promise<void>;
}

function handlersOf({ address, version, worker, stop }: SocketHandlerOptions) {
  const self = { version, pid: process.pid };
  const fieldsOf = (args: unknown) => (isObject(args) ? args : {});
  const handlers: Record<string, (args: unknown) => Promise<unknown> | unknown> = {
    ping: () => self,
    prove: (args) => {
      const nonce = givenText(fieldsOf(args).nonce);
      const secret = readPointer(address)?.secret;
      return nonce === undefined || secret === undefined ? {} : { proof: proofOf(secret, nonce) };
    },
    status: async () => (await worker).status(),
    invite: async () => (await worker).invite(),
    drain: async () => (await worker).drain(),
    answer: async (args) => (await worker).reply(args),
    file: async (args) => (await worker).file(args),
    search: async (args) => (await worker).finder.search(args),
    timeline: async (args) => (await worker).finder.timeline(args),
    show: async (args) => (await worker).finder.show(args),
    errors: async (args) => (await worker).finder.errors(args),
    remember: async (args) => (await worker).remember(args),
    correct: async (args) => (await worker).correct(args),
    turns: async (args) => (await (await worker).turns(args)) ?? {},
    jobs: async (args) => (await worker).jobs(fieldsOf(args).retry === true),
    ingest: async (args) => (await worker).ingest(args),
    sync: async () => {
      const { drain, sync } = await worker;
      await drain();
      return sync();
    },
    share: async (args) => (await worker).share(args),
    import: async (args) => (await worker).import(args),
    word: async (args) => (await worker).word(args),
    forget: async (args) => (await worker).forget(readScope(args), fieldsOf(args).carryOut === true),
    shutdown: async () => {
      await stop("shutdown");
      return self;
    },
    handover: async (args) => {
      const theirs = givenText(fieldsOf(args).version);
      if (theirs === undefined || !isNewer(theirs, version))
        throw usageError(`a worker of version ${version} does not give way to ${theirs}`);
      await stop("handover");
      return self;
    },
  };
  return new Map(Object.entries(handlers));
}

export function makeSocketHandlers(options: SocketHandlerOptions): {
  readonly serve: (connection: Socket) => void;
  /** Ends every connection; answers that are on their way are still sent. */
  close(): void;
} {
  const handlers = handlersOf(options);
  const connections = new Set<Socket>();
  const serveHttp = async (connection: Socket) => (await options.worker).serveHttp(connection);
  return {
    serve(connection) {
      connections.add(connection);
      connection.once("close", () => connections.delete(connection));
      serveConnection(connection, handlers, serveHttp);
    },
    close() {
      for (const connection of connections) connection.destroySoon();
    },
  };
}
