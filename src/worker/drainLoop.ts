// Keeps the spool empty: looks when something is written there, now and then anyway, and again later after a failure.
import { type FSWatcher, watch } from "node:fs";
import { ensureFolder, errorText, SECOND } from "../lib/index.ts";
import { type DrainReport, drainSpool } from "../spool/index.ts";
import type { Ingest } from "./ingest.ts";
import type { Logger } from "./log.ts";

export interface DrainLoop {
  /** Drains now. Several callers share one pass, but each sees a pass that began after its call. */
  drain(): Promise<DrainReport>;
  /** What kept the last pass from succeeding. */
  problem(): string | undefined;
  /** Watches no more; a pass under way is finished first. */
  stop(): Promise<void>;
}

export interface DrainLoopOptions {
  readonly folder: string;
  readonly ingest: Ingest;
  readonly log: Logger;
  readonly batch?: number;
  readonly pollMs?: number;
}

const BATCH = 100;
/** Watching misses nothing on a local disk; on others it may miss everything. */
const POLL_MS = 5 * SECOND;
const SHORTEST_WAIT = SECOND;
const LONGEST_WAIT = 60 * SECOND;

export function startDrainLoop(options: DrainLoopOptions): DrainLoop {
  const { folder, ingest, log } = options;
  let stopped = false;
  let failures = 0;
  let problem: string | undefined;
  let running: Promise<unknown> = Promise.resolve();
  let waiting: Promise<DrainReport> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const pass = async (): Promise<DrainReport> => {
    waiting = undefined;
    const began = performance.now();
    const report = await drainSpool(folder, {
      batch: options.batch ?? BATCH,
      handle: (events) => ingest.keep(events),
    });
    if (report.handled > 0) {
      log.debug({ handled: report.handled, ms: Math.round(performance.now() - began) }, "drained");
    }
    if (report.bad > 0) log.warn({ bad: report.bad }, "files in the spool that hold no event were set aside");
    if (problem !== undefined) log.info("the spool drains again");
    [failures, problem] = [0, undefined];
    return report;
  };
  const drain = (): Promise<DrainReport> => {
    if (waiting === undefined) {
      waiting = running.then(pass, pass);
      running = waiting.catch(() => undefined);
    }
    return waiting;
  };
  const schedule = (wait: number): void => {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(attempt, wait);
  };
  const attempt = (): void => {
    drain().then(
      () => schedule(options.pollMs ?? POLL_MS),
      (error: unknown) => {
        if (problem !== errorText(error))
          log.error({ problem: errorText(error) }, "the spool cannot be drained");
        problem = errorText(error);
        failures += 1;
        schedule(Math.min(LONGEST_WAIT, SHORTEST_WAIT * 2 ** (failures - 1)));
      },
    );
  };
  ensureFolder(folder);
  const watcher = watchFolder(folder, log, () => {
    // While the store is in trouble new events change nothing; the next attempt has its time.
    if (!stopped && failures === 0 && waiting === undefined) attempt();
  });
  attempt();
  return {
    drain,
    problem: () => problem,
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      watcher?.close();
      await running;
    },
  };
}

function watchFolder(folder: string, log: Logger, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, (_type, name) => {
      if (name?.endsWith(".json")) onChange();
    });
    watcher.on("error", (error) => log.warn({ problem: errorText(error) }, "the spool is only polled"));
    return watcher;
  } catch (error) {
    log.warn({ problem: errorText(error) }, "the spool is only polled");
    return undefined;
  }
}
