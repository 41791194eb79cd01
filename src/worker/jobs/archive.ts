// Archives conversations in the worker: before compactions, at ends, and by a sweep for what nobody announced.
import { statSync } from "node:fs";
import path from "node:path";
import {
  type ArchiveOutcome,
  type ArchiveRequest,
  applyQuota,
  archiveFolder,
  archiveOptions,
  archiveTranscript,
  listArchives,
  planQuota,
  transcriptFacts,
} from "../../archive/index.ts";
import type { Config } from "../../config/index.ts";
import { noteArchiveFolder } from "../../forget/index.ts";
import { type Home, type Pause, pauses } from "../../home/index.ts";
import type { LifecycleListener, TranscriptMarks } from "../../intake/index.ts";
import { archivable } from "../../intake/index.ts";
import { errorText, MINUTE } from "../../lib/index.ts";
import type { Logger } from "../../log/index.ts";
import { archiveSettings } from "../../settings/index.ts";

export interface ArchiverParts {
  readonly home: Home;
  /** The settings for a folder of work; without one, those that hold everywhere. Undefined when they cannot be read. */
  readonly settingsFor?: (cwd?: string) => Config["archive"] | undefined;
  readonly pauses?: () => readonly Pause[];
  readonly isExcluded: (cwd: string) => boolean;
  readonly log: Logger;
}

type Equipped = Required<ArchiverParts>;

export interface Archiver {
  /** Has a session archived soon; whoever announces it does not wait for it. */
  readonly take: LifecycleListener;
  /** Archives a session after those that wait, and tells how it went. */
  archive(wanted: ArchiveRequest): Promise<ArchiveOutcome>;
  /** Sweeps over all known transcripts, now and then again. */
  start(marks: TranscriptMarks): void;
  /** Finishes what is in hand, for a while; the next worker's first sweep does the rest. */
  stop(): Promise<void>;
}

const SWEEP_MS = 10 * MINUTE;
const STOP_PATIENCE_MS = 2_000;

/** Archives one session; what goes wrong is logged and tried again with the next sweep. */
async function archiveOne(
  { home, settingsFor, pauses, isExcluded, log }: Equipped,
  { transcript, session }: ArchiveRequest,
  { marks, signal }: { readonly marks: TranscriptMarks | undefined; readonly signal: AbortSignal },
): Promise<ArchiveOutcome> {
  try {
    const { cwd } = await transcriptFacts(transcript);
    const settings = settingsFor(cwd);
    // Of a session that was started in an excluded folder nothing is kept, wherever it went.
    if (!settings?.enabled || (cwd !== undefined && isExcluded(cwd))) return "left";
    const options = archiveOptions(settings, { home, cwd });
    noteArchiveFolder(home, options.dir);
    const { outcome, added } = await archiveTranscript(transcript, {
      ...options,
      session,
      signal,
      ...archivable({ pauses: pauses(), isExcluded, marks }),
    });
    if (added > 0) log.info({ session, outcome, added }, "archive.written");
    if (signal.aborted || outcome === "busy") return "failed";
    return added > 0 ? "archived" : "left";
  } catch (error) {
    log.warn({ session, problem: errorText(error) }, "archive.failed");
    return "failed";
  }
}

/** Over the limit the oldest are compressed and the owner is told; nothing is removed here. */
async function keepQuota({ home, settingsFor, log }: Equipped): Promise<void> {
  const settings = settingsFor();
  if (settings === undefined || settings.maxBytes === 0) return;
  const { maxBytes } = settings;
  const dir = archiveFolder(settings, home);
  const plan = planQuota(listArchives(dir), { maxBytes });
  if (plan.bytes <= maxBytes) return;
  const { compressed, remainingBytes } = await applyQuota(dir, plan);
  const facts = { bytes: plan.bytes, maxBytes, compressed, remainingBytes };
  if (remainingBytes > maxBytes) {
    log.warn(facts, "archive.over-quota");
  } else log.info(facts, "archive.compressed");
}

/** `<session>/subagents/agent-x.jsonl` belongs to `<session>.jsonl`. */
const isSubagents = (file: string): boolean => path.basename(path.dirname(file)) === "subagents";

export function makeArchiver(given: ArchiverParts): Archiver {
  const { home } = given;
  const parts: Equipped = {
    settingsFor: archiveSettings(home, process.env),
    pauses: () => pauses(home),
    ...given,
  };
  const stopping = new AbortController();
  const { signal } = stopping;
  const sizes = new Map<string, number>();
  let marks: TranscriptMarks | undefined;
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const enqueue = (work: () => Promise<unknown>): void => {
    running = running.then(async () => {
      if (!signal.aborted) await work();
    });
  };
  const archive = (wanted: ArchiveRequest): Promise<ArchiveOutcome> =>
    archiveOne(parts, wanted, { marks, signal });
  const sweep = async (): Promise<void> => {
    for (const { file, session } of marks?.named() ?? []) {
      const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
      if (signal.aborted || isSubagents(file) || size === 0 || sizes.get(file) === size) continue;
      if ((await archive({ transcript: file, session })) !== "failed") sizes.set(file, size);
    }
    await keepQuota(parts).catch((error: unknown) =>
      parts.log.warn({ problem: errorText(error) }, "archive.quota-failed"),
    );
  };
  return {
    take: async ({ transcriptPath, session, kind }) => {
      // After a compaction there is nothing that was not there before it.
      if (kind !== "compacted") enqueue(() => archive({ transcript: transcriptPath, session }));
    },
    archive: (wanted) => {
      const done = running.then(() => (signal.aborted ? "failed" : archive(wanted)));
      enqueue(() => done);
      return done;
    },
    start(known) {
      marks = known;
      enqueue(sweep);
      timer = setInterval(() => enqueue(sweep), SWEEP_MS);
    },
    stop: async () => {
      clearInterval(timer);
      const patience = setTimeout(() => stopping.abort(), STOP_PATIENCE_MS);
      await running;
      clearTimeout(patience);
    },
  };
}
