// Everything that works while the worker is in office: the spool's drain, the queue, transcripts, and the HTTP face.
import path from "node:path";
import {
  type Clock,
  ensureFolder,
  errorText,
  type Home,
  spoolFolder,
  systemClock,
  vaultFolder,
} from "../lib/index.ts";
import { type CapturedEvent, spoolBacklog } from "../spool/index.ts";
import type { Scope, Store } from "../store/index.ts";
import { openVault } from "../vault/index.ts";
import { type DrainLoop, startDrainLoop } from "./drainLoop.ts";
import { type ForgetReport, forgetEverywhere, previewForget } from "./forget.ts";
import type { SettingsAccess } from "./http/app.ts";
import { type Bell, makeBell } from "./http/feed.ts";
import type { HttpFace } from "./http/server.ts";
import { type Ingest, makeIngest, type RedactPayload } from "./ingest.ts";
import type { Logger } from "./log.ts";
import { pauses } from "./pause.ts";
import { type JobHandler, type QueueRunner, startQueue } from "./queue.ts";
import { asksForReconciling, makeReconciler, type Reconciler, SETTLE_MS } from "./reconcile.ts";
import { ensureToken, isPaused } from "./state.ts";
import { openMarks, type TranscriptMarks } from "./transcriptMarks.ts";

export interface EngineOptions {
  readonly home: Home;
  readonly store: Store;
  readonly redact: RedactPayload;
  readonly handlers: ReadonlyMap<string, JobHandler>;
  readonly isExcluded: (cwd: string) => boolean;
  readonly settings: SettingsAccess;
  readonly port: number;
  readonly version: string;
  readonly log: Logger;
  readonly clock?: Clock;
}

export interface Engine {
  readonly port: number;
  /** How many events this process has taken in. */
  drain(): Promise<{ readonly added: number }>;
  status(): Promise<Readonly<Record<string, unknown>>>;
  forget(scope: Scope, carryOut: boolean): Promise<ForgetReport>;
  /** Whether there is anything that must not be left alone: readers, jobs, or a spool that cannot be drained. */
  isNeeded(): boolean;
  /** Milliseconds since something last happened, on a clock that never jumps. */
  quietFor(): number;
  /** Finishes what is in hand, drains what is spooled, and closes the store. */
  stop(): Promise<void>;
}

interface Tally {
  added: number;
  lastEventAt: string | undefined;
  lastActivity: number;
}

/** The ingest that everybody uses: notes transcripts first, and tells everybody afterwards. */
function watchedIngest(
  inner: Ingest,
  parts: {
    reconciler: () => Reconciler;
    tally: Tally;
    onAdded: () => void;
    onEnd: (event: CapturedEvent) => void;
  },
): Ingest {
  return {
    async keep(events) {
      parts.reconciler().note(events);
      const report = await inner.keep(events);
      parts.tally.lastActivity = performance.now();
      parts.tally.lastEventAt = events.at(-1)?.at ?? parts.tally.lastEventAt;
      parts.tally.added += report.added;
      for (const event of events) if (asksForReconciling(event)) parts.onEnd(event);
      if (report.added > 0) parts.onAdded();
      return report;
    },
  };
}

/** Reads a transcript a little after the last event that asked for it; one at a time. */
function makeAppointments(reconciler: Reconciler): {
  make(event: CapturedEvent): void;
  first(): void;
  stop(): Promise<void>;
} {
  const timers = new Map<string, NodeJS.Timeout>();
  let running: Promise<unknown> = Promise.resolve();
  const enqueue = (work: () => Promise<unknown>): void => {
    running = running.then(work);
  };
  return {
    make({ transcript, session }) {
      if (transcript === undefined) return;
      clearTimeout(timers.get(transcript));
      const keep = (): void => {
        timers.delete(transcript);
        enqueue(() => reconciler.run(transcript, session));
      };
      timers.set(transcript, setTimeout(keep, SETTLE_MS));
    },
    first: () => enqueue(() => reconciler.runAll()),
    stop: async () => {
      // What is not read now is read when the next worker starts.
      for (const timer of timers.values()) clearTimeout(timer);
      await running;
    },
  };
}

async function openFace(
  options: EngineOptions,
  parts: { bell: Bell; streams: { count: number }; stopping: AbortSignal; status: () => Promise<object> },
): Promise<HttpFace | undefined> {
  const { home, log, settings, store, port } = options;
  const onError = (error: unknown): void => log.error({ problem: errorText(error) }, "a request failed");
  try {
    const { openHttp } = await import("./http/server.ts");
    const app = { ...parts, settings, store: async () => store, onError };
    return await openHttp({ port, token: ensureToken(home), parts: app });
  } catch (error) {
    // Hooks and commands come by the socket: capture goes on without a web page.
    log.error({ problem: errorText(error) }, "there is no HTTP face");
    return undefined;
  }
}

export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { home, store, log, clock = systemClock } = options;
  const tally: Tally = { added: 0, lastEventAt: undefined, lastActivity: performance.now() };
  const startedAt = clock.now();
  const bell = makeBell();
  const streams = { count: 0 };
  const stopping = new AbortController();
  const marks = openMarks(home, clock.now());
  const spool = spoolFolder(home);
  const plain = makeIngest({ store, redact: options.redact, badFolder: path.join(spool, "bad"), log });
  const onAdded = (): void => {
    bell.ring();
    queue.wake();
  };
  const ingest = watchedIngest(plain, {
    reconciler: () => reconciler,
    tally,
    onAdded,
    onEnd: (event) => appointments.make(event),
  });
  const reconciler = makeReconciler({
    store,
    ingest: plain,
    marks,
    pauses: () => pauses(home),
    isExcluded: options.isExcluded,
    clock,
    log,
  });
  const appointments = makeAppointments(reconciler);
  const queue: QueueRunner = startQueue({
    store,
    handlers: options.handlers,
    worker: `${process.pid}-${startedAt}`,
    clock,
    log,
  });
  ensureFolder(spool);
  const loop = startDrainLoop({ folder: spool, ingest, log });
  const face: { http?: HttpFace | undefined } = {};
  const status = async (): Promise<Readonly<Record<string, unknown>>> => ({
    version: options.version,
    pid: process.pid,
    node: process.version,
    startedAt: new Date(startedAt).toISOString(),
    rss: process.memoryUsage.rss(),
    port: face.http?.port ?? 0,
    added: tally.added,
    lastEventAt: tally.lastEventAt ?? null,
    spool: spoolBacklog(spool),
    problem: loop.problem() ?? null,
    paused: isPaused(home),
    streams: streams.count,
    queue: await store.queueStats(clock.now()),
  });
  face.http = await openFace(options, { bell, streams, stopping: stopping.signal, status });
  appointments.first();
  const parts = { home, store, marks, loop, appointments, queue, face, stopping, log };
  return {
    port: face.http?.port ?? 0,
    status,
    drain: () => drained(loop, tally),
    forget: (scope, carryOut) => forget(parts, scope, carryOut, clock.now()),
    isNeeded: () => streams.count > 0 || queue.busy() || loop.problem() !== undefined,
    quietFor: () => performance.now() - tally.lastActivity,
    stop: () => stopEngine(parts),
  };
}

async function drained(loop: DrainLoop, tally: Tally): Promise<{ added: number }> {
  const before = tally.added;
  await loop.drain();
  return { added: tally.added - before };
}

async function forget(
  { home, store, marks, loop }: { home: Home; store: Store; marks: TranscriptMarks; loop: DrainLoop },
  scope: Scope,
  carryOut: boolean,
  now: number,
): Promise<ForgetReport> {
  // Otherwise an event on its way in would arrive behind its own deletion.
  if (carryOut) await loop.drain();
  const parts = { home, store, marks, vault: openVault(vaultFolder(home)), now };
  return carryOut ? forgetEverywhere(parts, scope) : previewForget(parts, scope);
}

async function stopEngine(parts: {
  readonly store: Store;
  readonly loop: DrainLoop;
  readonly appointments: { stop(): Promise<void> };
  readonly queue: QueueRunner;
  readonly face: { readonly http?: HttpFace | undefined };
  readonly stopping: AbortController;
  readonly log: Logger;
}): Promise<void> {
  parts.stopping.abort();
  await parts.face.http?.close();
  await parts.queue.stop();
  await parts.loop.drain().catch((error: unknown) => {
    parts.log.warn({ problem: errorText(error) }, "what is spooled stays there for the next worker");
  });
  await parts.loop.stop();
  await parts.appointments.stop();
  await parts.store.close();
}
