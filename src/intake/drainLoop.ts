// Keeps the spool empty: looks when something is written there, now and then anyway, and again later after a failure.
import { watch } from "node:fs";
import { ensureFolder, errorText, SECOND } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import { type DrainReport, drainSpool } from "../spool/index.ts";
import type { Ingest, IngestWatcher } from "./ingest.ts";

export interface DrainLoop {
  /** Drains now. Several callers share one pass, but each sees a pass that began after its call. */
  drain(): Promise<DrainReport>;
  /** What kept the last pass from succeeding. */
  problem(): string | undefined;
  /** Drains once more, as far as that is possible, and watches no more. */
  stop(): Promise<void>;
}

interface DrainLoopOptions {
  readonly folder: string;
  readonly ingest: Ingest;
  readonly watcher?: IngestWatcher;
  readonly log: Logger;
  readonly batch?: number;
  readonly pollMs?: number;
}

const EVENTS_PER_BATCH = 100;
/** Watching misses nothing on a local disk; on others it may miss everything. */
const SPOOL_POLL_MS = 5 * SECOND;
const SHORTEST_RETRY_MS = SECOND;
const LONGEST_RETRY_MS = 60 * SECOND;

/** One pass at a time: who asks during one gets the next, which is the same for all who ask meanwhile. */
function makePasses(options: DrainLoopOptions) {
  const { folder, ingest, watcher, log } = options;
  let running: Promise<unknown> = Promise.resolve();
  let waiting: Promise<DrainReport> | undefined;
  const pass = async () => {
    waiting = undefined;
    const began = performance.now();
    const batch = options.batch ?? EVENTS_PER_BATCH;
    const report = await drainSpool(folder, { batch, handle: (events) => ingest.keep(events, watcher) });
    const { handled, bad } = report;
    if (handled > 0) log.debug({ handled, ms: Math.round(performance.now() - began) }, "spool.drained");
    if (bad > 0) log.warn({ bad }, "spool.files-set-aside");
    return report;
  };
  return {
    next: () => {
      if (!waiting) {
        waiting = running.then(pass);
        running = waiting.catch(() => undefined);
      }
      return waiting;
    },
    isWaiting: () => waiting !== undefined,
    last: () => running,
  };
}

export function startDrainLoop(options: DrainLoopOptions): DrainLoop {
  const { folder, log } = options;
  const passes = makePasses(options);
  let stopped = false;
  let failures = 0;
  let problem: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const drain = async () => {
    try {
      const report = await passes.next();
      if (problem !== undefined) log.info("spool.recovered");
      [failures, problem] = [0, undefined];
      return report;
    } catch (error) {
      if (problem !== errorText(error)) log.error({ problem: errorText(error) }, "spool.drain-failed");
      problem = errorText(error);
      failures += 1;
      throw error;
    }
  };
  const attempt = () => {
    clearTimeout(timer);
    const again = () => {
      const wait = failures > 0 ? SHORTEST_RETRY_MS * 2 ** (failures - 1) : (options.pollMs ?? SPOOL_POLL_MS);
      if (!stopped) timer = setTimeout(attempt, Math.min(LONGEST_RETRY_MS, wait));
    };
    drain().then(again, again);
  };
  ensureFolder(folder);
  const watcher = watchFolder(folder, log, () => {
    // While the store is in trouble new events change nothing; the next attempt has its time.
    if (!stopped && failures === 0 && !passes.isWaiting()) attempt();
  });
  attempt();
  return {
    drain,
    problem: () => problem,
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      watcher?.close();
      // What cannot be drained now stays in the spool, for the next worker.
      await drain().catch(() => undefined);
      await passes.last();
    },
  };
}

function watchFolder(folder: string, log: Logger, onChange: () => void) {
  try {
    const watcher = watch(folder, { persistent: false }, (_type, name) => {
      if (name?.endsWith(".json")) onChange();
    });
    watcher.on("error", (error) => log.warn({ problem: errorText(error) }, "spool.watch-failed"));
    return watcher;
  } catch (error) {
    log.warn({ problem: errorText(error) }, "spool.watch-failed");
    return undefined;
  }
}
