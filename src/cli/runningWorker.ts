// A worker for a command that needs one: the one that runs, or a new one, waited for until it answers.
import { setTimeout as sleep } from "node:timers/promises";
import { isObject, ownVersion, SECOND, ThroughlineError, workerSocket } from "../lib/index.ts";
import { ask, foreignWorker, isNewer, startWorker } from "../worker/index.ts";
import { workerProgram } from "./ownPackage.ts";
import type { Surroundings } from "./surroundings.ts";

const PATIENCE_MS = 30 * SECOND;
const PAUSE_MS = 50;

interface RunningWorker {
  readonly pid: number;
  readonly version: string;
  /** Whether it was started for this. */
  readonly started: boolean;
}

async function running(socket: string): Promise<Omit<RunningWorker, "started"> | undefined> {
  const reply = await ask(socket, "ping", { timeoutMs: 2 * SECOND });
  if (reply === "foreign") throw foreignWorker(socket);
  if (typeof reply !== "object" || !reply.ok || !isObject(reply.data)) return undefined;
  return { pid: Number(reply.data.pid), version: String(reply.data.version) };
}

/** An older one hands over to one of this version. Throws `worker-failed` when none comes up, `not-private` when another user is in its place. */
export async function ensureWorker({
  home,
  env,
}: Pick<Surroundings, "home" | "env">): Promise<RunningWorker> {
  const socket = workerSocket(home);
  const before = await running(socket);
  if (before !== undefined && !isNewer(ownVersion, before.version)) return { ...before, started: false };
  startWorker(workerProgram(), env);
  for (
    const deadline = performance.now() + PATIENCE_MS;
    performance.now() < deadline;
    await sleep(PAUSE_MS)
  ) {
    const now = await running(socket);
    if (now !== undefined && now.pid !== before?.pid) return { ...now, started: true };
  }
  throw new ThroughlineError("worker-failed", "the worker did not come up", {
    fix: "`throughline worker run` shows why; `throughline worker logs` what it did before",
  });
}
