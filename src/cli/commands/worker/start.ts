// `throughline worker start`: a worker in the background; an older one hands over to it.
import { setTimeout as sleep } from "node:timers/promises";
import { isObject, SECOND, ThroughlineError, workerSocket } from "../../../lib/index.ts";
import { ask, isNewer, ownVersion, startWorker } from "../../../worker/index.ts";
import { defineCommand, type Report } from "../../command.ts";
import { workerProgram } from "../../ownPackage.ts";
import { surroundings } from "../../surroundings.ts";

const PATIENCE_MS = 30 * SECOND;
const PAUSE_MS = 50;

interface Running {
  readonly pid: number;
  readonly version: string;
}

async function running(socket: string): Promise<Running | undefined> {
  const reply = await ask(socket, "ping", { timeoutMs: 2 * SECOND });
  if (typeof reply !== "object" || !reply.ok || !isObject(reply.data)) return undefined;
  return { pid: Number(reply.data.pid), version: String(reply.data.version) };
}

function report(worker: Running, started: boolean): Report {
  const text = started
    ? `started: process ${worker.pid}, version ${worker.version}`
    : `runs already: process ${worker.pid}, version ${worker.version}`;
  return { data: { ...worker, started }, text };
}

export default defineCommand({
  args: {},
  examples: [{ line: "throughline worker start", does: "hooks start it too, when they need it" }],
  async run() {
    const { home, env } = surroundings();
    const socket = workerSocket(home);
    const before = await running(socket);
    if (before !== undefined && !isNewer(ownVersion, before.version)) return report(before, false);
    startWorker(workerProgram(), env);
    for (
      const deadline = performance.now() + PATIENCE_MS;
      performance.now() < deadline;
      await sleep(PAUSE_MS)
    ) {
      const now = await running(socket);
      if (now !== undefined && now.pid !== before?.pid) return report(now, true);
    }
    throw new ThroughlineError("worker-failed", "the worker did not come up", {
      fix: "`throughline worker run` shows why; `throughline worker logs` what it did before",
    });
  },
});
