// Has the worker import one source after the other, and another worker go on when one is gone.
import { setTimeout as sleep } from "node:timers/promises";
import { workerSocket } from "../../home/index.ts";
import type { ImportAnswer, ImportedSource, ImportSource } from "../../importer/index.ts";
import { ask, type Reply } from "../../ipc/index.ts";
import { ThroughlineError } from "../../lib/index.ts";
import { ensureWorker } from "../runningWorker.ts";
import type { Surroundings } from "../surroundings.ts";

interface FailedSource {
  readonly problem: string;
  readonly fix?: string;
}

interface Driver {
  /** `onShare` hears how much of it is done, from 0 to 1. Throws when no worker can do it. */
  run(source: ImportSource, onShare: (share: number) => void): Promise<ImportedSource | FailedSource>;
  /** Waits until everything that was imported is observed. */
  observed(onLeft: (left: number) => void): Promise<void>;
}

const PATIENCE_MS = 30_000;
const PAUSE_MS = 250;
/** Workers that may go while the same source is in hand: something about it may be what ends them. */
const MOST_WORKERS = 5;

/** The answer; undefined when there is nobody, or nobody any more. */
function answerIn(reply: Reply): ImportAnswer | undefined {
  if (typeof reply === "string") return undefined;
  // The worker says so itself where it can.
  if (reply.ok) return reply.data as ImportAnswer;
  const { code, message, fix } = reply.error;
  if (code === "worker-absent") return undefined;
  throw new ThroughlineError("worker-failed", `the import cannot go on (${code}): ${message}`, {
    fix: `${fix ?? "see `throughline worker logs`"}; then \`throughline import\` goes on where it was`,
  });
}

export function importDriver(around: Pick<Surroundings, "home" | "env">): Driver {
  const socket = workerSocket(around.home);
  let workers = 0;
  const asked = async (args: object): Promise<ImportAnswer> => {
    for (;;) {
      const answer = answerIn(await ask(socket, "import", { args, timeoutMs: PATIENCE_MS }));
      if (answer !== undefined) return answer;
      workers += 1;
      if (workers > MOST_WORKERS) {
        throw new ThroughlineError("worker-failed", "the worker ends again and again", {
          fix: "`throughline worker logs` may say why; then `throughline import` goes on where it was",
        });
      }
      await ensureWorker(around);
    }
  };
  return {
    async run(source, onShare) {
      workers = 0;
      for (;;) {
        const { source: progress } = await asked(source);
        if (progress?.state === "done") return progress.report;
        if (progress?.state === "failed") return progress;
        if (progress !== undefined) onShare(progress.share);
      }
    },
    async observed(onLeft) {
      workers = 0;
      for (;;) {
        const { workLeft } = await asked({});
        if (workLeft === 0) return;
        onLeft(workLeft);
        await sleep(PAUSE_MS);
      }
    },
  };
}
