// A worker for a command that needs one: the running one, or a new one once it answers.
import { setTimeout as sleep } from "node:timers/promises";
import { type Home, workerLog, workerSocket } from "../home/index.ts";
import { ask, foreignWorker, startWorker } from "../ipc/index.ts";
import {
  isNewer,
  isObject,
  isoTime,
  optionalString,
  ownVersion,
  parseJson,
  readIfPossible,
  SECOND,
  ThroughlineError,
} from "../lib/index.ts";
import type { CommandContext } from "./context.ts";
import { workerProgram } from "./package.ts";

const START_TIMEOUT_MS = 30 * SECOND;
const START_POLL_MS = 50;
const SUCCESSOR_MS = 3 * SECOND;

async function running(socket: string) {
  const reply = await ask(socket, "ping", { timeoutMs: 2 * SECOND });
  if (reply === "foreign") throw foreignWorker(socket);
  if (typeof reply !== "object" || !reply.ok || !isObject(reply.data)) return undefined;
  return { pid: Number(reply.data.pid), version: String(reply.data.version) };
}

/** Whether nothing listens on the worker's socket. */
export async function isWorkerAbsent(socket: string) {
  return (await ask(socket, "ping", { timeoutMs: 2 * SECOND })) === "absent";
}

/** The failure that the worker reports of itself; undefined when it works. */
async function failureOf(socket: string, timeoutMs: number) {
  const reply = await ask(socket, "status", { timeoutMs });
  if (typeof reply !== "object") return "it exited or does not answer";
  return reply.ok ? undefined : reply.error.message;
}

/** The last fatal problem in the log since then. */
function lastFatal(home: Home, since: string) {
  const lines = (readIfPossible(workerLog(home)) ?? "").trimEnd().split("\n");
  const record = parseJson(lines.findLast((line) => line.includes('"level":"fatal"')) ?? "");
  if (!isObject(record) || String(record.time) < since) return undefined;
  const reason = optionalString(record.problem);
  return reason === undefined ? undefined : { reason, fix: optionalString(record.fix) };
}

/**
 * The running worker, or a new one, which has opened its store and answers. An older worker hands over to one of this version.
 * Throws `worker-failed` with the reason when none starts, `not-private` when another user listens on its socket.
 */
export async function ensureWorker({ home, env }: Pick<CommandContext, "home" | "env">) {
  const socket = workerSocket(home);
  const before = await running(socket);
  if (before && !isNewer(ownVersion, before.version)) return { ...before, started: false };
  const since = isoTime(Date.now());
  startWorker(workerProgram(), env);
  const deadline = performance.now() + START_TIMEOUT_MS;
  let failed: { reason: string; at: number } | undefined;
  while (performance.now() < deadline) {
    const now = await running(socket);
    if (now && now.pid !== before?.pid) {
      const reason = await failureOf(socket, deadline - performance.now());
      if (reason === undefined) return { ...now, started: true };
      failed = { reason, at: performance.now() };
    } else {
      const fatal = failed ? undefined : lastFatal(home, since);
      if (fatal) failed = { reason: fatal.reason, at: performance.now() };
    }
    // A worker that finds its store damaged is replaced by another at once.
    if (failed && performance.now() - failed.at > SUCCESSOR_MS) break;
    await sleep(START_POLL_MS);
  }
  const fatal = failed && lastFatal(home, since);
  const reason = failed ? `: ${fatal?.reason ?? failed.reason}` : "";
  throw new ThroughlineError(
    "worker-failed",
    `the worker did not start${reason}`,
    fatal?.fix ?? "`throughline worker run` shows why; `throughline worker logs` shows its log",
  );
}
