// The way in: events from the spool and from transcripts, kept by the same ingest, counted, and announced.
import path from "node:path";
import { type Home, type IsExcluded, pauses, spoolFolder } from "../home/index.ts";
import { type Clock, errorText, SECOND, serialQueue } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import type { KnownTranscript } from "../recovery/index.ts";
import type { CapturedEvent } from "../spool/index.ts";
import type { Store } from "../store/index.ts";
import { type DrainLoop, startDrainLoop } from "./drainLoop.ts";
import { type HookWatch, watchHooks } from "./hookTimes.ts";
import { type IngestWatcher, keepMessages, makeIngest, projectFinder, type RedactPayload } from "./ingest.ts";
import { type Lifecycle, lifecycleEventOf } from "./lifecycle.ts";
import { makeOrphanedSessions, type OrphanedSessions } from "./orphanedSessions.ts";
import {
  asksForReconciling,
  makeReconciler,
  RECONCILE_AFTER_MS,
  type Reconciler,
} from "./transcripts/reconcile.ts";
import { makeRefill, type Refill } from "./transcripts/refill.ts";
import type { TranscriptMarks } from "./transcripts/transcriptMarks.ts";

interface IntakeOptions {
  readonly home: Home;
  readonly store: Store;
  readonly redact: RedactPayload;
  readonly isExcluded: IsExcluded;
  /** Where the agent keeps its transcripts. */
  readonly agentFolders: readonly string[];
  readonly sessionFolders: readonly string[];
  readonly marks: TranscriptMarks;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called whenever something new was kept. */
  readonly onAdded: (events: readonly CapturedEvent[]) => void;
  readonly lifecycle: Lifecycle;
}

interface IntakeTally {
  /** Events that this process has added. */
  added: number;
  lastEventAt: string | undefined;
  /** When something last came in, on a clock that never jumps. */
  lastActivity: number;
  readonly hooks: HookWatch;
}

export interface Intake {
  readonly tally: Readonly<IntakeTally>;
  /** Drains now; gives how many events were new. */
  drain(): Promise<{ readonly added: number }>;
  problem(): string | undefined;
  /** Reads these transcripts, and all that are known, from their beginning: the store has lost what was read there. */
  rebuild(transcripts: readonly KnownTranscript[], isStopped: () => boolean): Promise<readonly string[]>;
  /** Says that something came in by another way: the worker is needed. */
  stir(): void;
  /** Drains once more, as far as that is possible, and stops. */
  stop(): Promise<void>;
}

/** What is not read in this time is read when the next worker starts. */
const READERS_STOP_MS = 2_000;
const ORPHANS_MS = 30 * SECOND;
const LOSSES_MS = 2 * SECOND;

interface Readers {
  readonly reconciler: Reconciler;
  readonly orphanedSessions: OrphanedSessions;
  readonly refill: Refill;
  readonly marks: Pick<TranscriptMarks, "named">;
  readonly lifecycle: Pick<Lifecycle, "idle">;
  readonly log: Logger;
}

/** Reads transcripts one at a time, each a little after the last event that asked for it. */
function makeReadSchedule({ reconciler, orphanedSessions, refill, marks, lifecycle, log }: Readers) {
  const pending = new Map<string, { readonly timer: NodeJS.Timeout; readonly session: string }>();
  const queue = serialQueue();
  const enqueue = (work: () => Promise<unknown>) =>
    queue.run(async () => {
      try {
        // A compaction that was reported waits for its snapshot, and a long transcript would keep this process busy.
        await lifecycle.idle();
        await work();
      } catch (error) {
        log.error({ problem: errorText(error) }, "transcript.scan-failed");
      }
    });
  // An agent that is gone writes no more: only then can its end be missing.
  const endOrphans = () => void enqueue(() => orphanedSessions.look());
  const refillLosses = () => void enqueue(() => refill.look());
  const timers = [setInterval(endOrphans, ORPHANS_MS), setInterval(refillLosses, LOSSES_MS)];
  const read = (transcript: string) => {
    const { timer, session } = pending.get(transcript) ?? {};
    clearTimeout(timer);
    pending.delete(transcript);
    if (session !== undefined) void enqueue(() => reconciler.run(transcript, session));
  };
  return {
    add({ transcript, session }: CapturedEvent) {
      if (transcript === undefined) return;
      clearTimeout(pending.get(transcript)?.timer);
      pending.set(transcript, { timer: setTimeout(read, RECONCILE_AFTER_MS, transcript), session });
    },
    /** Reads all that have grown while no worker ran. */
    readGrown: () => {
      void enqueue(() => refill.restoreMarks());
      void enqueue(() => reconciler.runAll());
      refillLosses();
      endOrphans();
    },
    /** Reads from the beginning, with other work in between. Gives those that could not be read to their end. */
    reread: async (transcripts: readonly KnownTranscript[], isStopped: () => boolean) => {
      const known = new Map([...marks.named(), ...transcripts].map(({ file, session }) => [file, session]));
      const unread = new Set(known.keys());
      for (const [file, session] of known) {
        if (isStopped()) break;
        await enqueue(async () => {
          if ((await reconciler.reread(file, session, isStopped)).complete) unread.delete(file);
        });
      }
      return [...unread];
    },
    stop: async () => {
      for (const timer of timers) clearInterval(timer);
      // Now rather than with the next worker: there may never be one.
      for (const transcript of [...pending.keys()]) read(transcript);
      refillLosses();
      endOrphans();
      const stopTimer = setTimeout(() => reconciler.stop(), READERS_STOP_MS);
      await queue.idle();
      clearTimeout(stopTimer);
    },
  };
}

function countEvents(tally: IntakeTally, events: readonly CapturedEvent[], added: number) {
  tally.lastActivity = performance.now();
  tally.lastEventAt = events.at(-1)?.at ?? tally.lastEventAt;
  tally.added += added;
  tally.hooks.note(events);
}

/** Not waited for: the next events are to be kept meanwhile. */
function announce(lifecycle: Lifecycle, event: CapturedEvent, transcript?: string) {
  const lifecycleEvent = lifecycleEventOf(event, transcript);
  if (lifecycleEvent) void lifecycle.announce(lifecycleEvent);
}

interface Watchers {
  readonly reconciler: Reconciler;
  readonly orphanedSessions: OrphanedSessions;
  readonly schedule: Pick<ReturnType<typeof makeReadSchedule>, "add">;
  readonly marks: TranscriptMarks;
  readonly lifecycle: Lifecycle;
}

/** Has transcripts read that the events name, and announces compactions and ends. */
function watcherOf(watchers: Watchers): IngestWatcher {
  const { reconciler, orphanedSessions, schedule, marks, lifecycle } = watchers;
  const transcriptOf = (session: string) => marks.named().find((mark) => mark.session === session)?.file;
  return {
    noted(events) {
      reconciler.note(events);
      orphanedSessions.note(events);
    },
    kept(events) {
      for (const event of events) {
        if (asksForReconciling(event)) schedule.add(event);
        announce(lifecycle, event, transcriptOf(event.session));
      }
    },
  };
}

export function startIntake(options: IntakeOptions): Intake {
  const { home, store, redact, isExcluded, marks, clock, log, lifecycle } = options;
  const folder = spoolFolder(home);
  const lastActivity = performance.now();
  const tally: IntakeTally = { added: 0, lastEventAt: undefined, lastActivity, hooks: watchHooks() };
  const ingest = makeIngest({
    ...{ store, redact, isExcluded, badFolder: path.join(folder, "bad"), log },
    onKept: (events, added) => {
      countEvents(tally, events, added);
      if (added > 0) options.onAdded(events);
    },
  });
  const projectFor = projectFinder();
  const reconciler: Reconciler = makeReconciler({
    store,
    ingest,
    keepMessages: (session, messages) =>
      keepMessages({ store, redact, isExcluded }, session, messages, projectFor),
    marks,
    pauses: () => pauses(home),
    isExcluded,
    clock,
    log,
    lifecycle,
    onFound: (events) => refill.found(events),
  });
  const refill = makeRefill({ ...options, reconciler });
  const onEnd = (end: CapturedEvent) => announce(lifecycle, end);
  const orphanedSessions = makeOrphanedSessions({ store, ingest, clock, log, onEnd });
  const schedule = makeReadSchedule({ reconciler, orphanedSessions, refill, marks, lifecycle, log });
  const loop: DrainLoop = startDrainLoop({
    folder,
    ingest,
    watcher: watcherOf({ reconciler, orphanedSessions, schedule, marks, lifecycle }),
    log,
  });
  // Not before the spool was drained: what waits there is not missing.
  const begin = () => schedule.readGrown();
  loop.drain().then(begin, begin);
  return {
    tally,
    problem: () => loop.problem(),
    rebuild: (transcripts, isStopped) => schedule.reread(transcripts, isStopped),
    stir: () => {
      tally.lastActivity = performance.now();
    },
    drain: async () => {
      const before = tally.added;
      await loop.drain();
      return { added: tally.added - before };
    },
    stop: async () => {
      await loop.stop();
      await schedule.stop();
      await lifecycle.idle();
    },
  };
}
