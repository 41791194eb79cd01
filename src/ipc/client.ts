// Asks a running worker over its socket.
import { ThroughlineError } from "../lib/index.ts";
import { type Reply, request } from "./connect.ts";
import type { Op } from "./frames.ts";
import { newProof } from "./proof.ts";

const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const DEFAULT_CALL_TIMEOUT_MS = 5_000;

interface CallOptions {
  readonly args?: unknown;
  readonly timeoutMs?: number;
}

/** Never rejects: that there is no worker is an answer like any other. */
export function ask(socket: string, op: Op, options: CallOptions = {}): Promise<Reply> {
  const { args, timeoutMs: withinMs = DEFAULT_CALL_TIMEOUT_MS } = options;
  return request(socket, { id: "1", op, args }, { withinMs, mostBytes: MAX_ANSWER_BYTES }, newProof);
}

/** Why nothing was sent to what is at the worker's place. */
export function foreignWorker(socket: string): ThroughlineError {
  return new ThroughlineError(
    "not-private",
    `what is at ${socket} is not a worker of this user; nothing was sent to it`,
    "`throughline doctor` says more; set THROUGHLINE_HOME to a folder that is yours alone",
  );
}

/** The data of a positive answer. Throws `worker-absent`, `not-private` or `worker-failed` for everything else. */
export async function call(socket: string, op: Op, options: CallOptions = {}): Promise<unknown> {
  const reply = await ask(socket, op, options);
  if (reply === "absent")
    throw new ThroughlineError("worker-absent", "no worker is running", "throughline worker start");
  if (reply === "foreign") throw foreignWorker(socket);
  if (reply === "silent" || reply === "garbled") {
    throw new ThroughlineError(
      "worker-failed",
      `what listens at ${socket} does not answer as a worker`,
      "`throughline worker logs` may say why; `throughline worker stop` ends it",
    );
  }
  if (reply.ok) return reply.data;
  const { code, message, fix } = reply.error;
  throw new ThroughlineError(
    "worker-failed",
    `the worker refused ${op} (${code}): ${message}`,
    fix ?? "see `throughline worker logs`",
  );
}
