// The way to the worker: socket and pipe, frames, the lock of the single instance, and its start.
export { ask, call, foreignWorker } from "./client.ts";
export { type Reply, readPointer } from "./connect.ts";
export { serveConnection } from "./connections.ts";
export { proofOf } from "./proof.ts";
export { claimSingleInstance, withoutWorker } from "./singleInstance.ts";
export type { SocketLock } from "./socketLock.ts";
export { startWorker, type WorkerProgram, workerArguments } from "./startWorker.ts";
