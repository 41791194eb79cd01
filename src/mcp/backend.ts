// The backend of the tools: the running worker, or otherwise the database, read only.
import { setTimeout as sleep } from "node:timers/promises";
import { databaseFile, type Environment, type Home, workerSocket } from "../home/index.ts";
import { ask, foreignWorker, type Reply, startWorker, type WorkerProgram } from "../ipc/index.ts";
import { defined, SECOND, ThroughlineError } from "../lib/index.ts";
import { openStore } from "../store/index.ts";
import {
  type FinderAnswers,
  finderAnswers,
  makeFinder,
  memorySources,
  rememberedSchema,
  type ToolBackend,
  turnsAnswer,
} from "../tools/index.ts";

export interface BackendOptions {
  readonly home: Home;
  /** How a worker is started when one is needed. */
  readonly program: WorkerProgram;
  readonly env: Environment;
}

const TOOL_TIMEOUT_MS = 20 * SECOND;
const START_MS = 15 * SECOND;
const WORKER_POLL_MS = 100;

const emptyAnswers: FinderAnswers = {
  search: { hits: [], more: false, notes: [] },
  timeline: { items: [] },
  show: { items: [], missing: [] },
  errors: { items: [], total: 0, more: false },
};

/** The data of an answer; undefined when no worker runs. Throws `not-private` for another user's worker. */
function dataOf(reply: Reply, socket: string) {
  if (reply === "foreign") throw foreignWorker(socket);
  if (typeof reply === "string") return undefined;
  if (reply.ok) return reply.data;
  const { code, message, fix } = reply.error;
  if (code === "unknown-op") return undefined;
  const known = code === "usage" || code === "memory-refused" ? code : "worker-failed";
  throw new ThroughlineError(known, message, defined({ fix }));
}

/** Starts a worker if none runs. Only `remember` waits for it: the worker is the only writer. */
export function openBackend({ home, program, env }: BackendOptions): ToolBackend {
  const socket = workerSocket(home);
  let startedAt = Number.NEGATIVE_INFINITY;
  const startOnce = () => {
    if (performance.now() - startedAt < START_MS) return;
    startedAt = performance.now();
    startWorker(program, env);
  };
  const askWorker = async (op: keyof FinderAnswers | "remember" | "turns", args: object) =>
    dataOf(await ask(socket, op, { args, timeoutMs: TOOL_TIMEOUT_MS }), socket);
  return {
    async find(what, request) {
      const answer = await askWorker(what, request);
      if (answer !== undefined) return finderAnswers[what].parse(answer);
      // For the next request: this one does not wait for it.
      startOnce();
      try {
        const store = await openStore({ file: databaseFile(home), mustExist: true, readOnly: true });
        try {
          const memoriesFrom = memorySources({ home, env, store });
          return await makeFinder({ store, memoriesFrom })[what](request);
        } finally {
          await store.close();
        }
      } catch (error) {
        if (error instanceof ThroughlineError && error.code === "not-found") return emptyAnswers[what];
        throw error;
      }
    },
    async remember(request) {
      for (const end = performance.now() + START_MS; ; await sleep(WORKER_POLL_MS)) {
        const answer = await askWorker("remember", request);
        if (answer !== undefined) return rememberedSchema.parse(answer);
        if (performance.now() >= end) break;
        startOnce();
      }
      throw new ThroughlineError(
        "worker-absent",
        "the worker could not be started, so nothing was kept",
        "`throughline worker run` shows why",
      );
    },
    async turns(request) {
      const answer = turnsAnswer.parse((await askWorker("turns", request)) ?? {});
      return !answer.turns && !answer.answer ? undefined : answer;
    },
  };
}
