// Archives conversations: before compactions, at ends of sessions, and by a sweep over all known transcripts.
import path from "node:path";
import {
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
import { archivable, type LifecycleEvent, type TranscriptMarks } from "../../intake/index.ts";
import { errorText, fileSize, MINUTE, serialQueue } from "../../lib/index.ts";
import type { Logger } from "../../log/index.ts";
import { archiveSettings } from "../../settings/index.ts";

export interface ArchiverParts {
  readonly home: Home;
  /** The settings for a folder of work; without one, those that hold everywhere. Undefined when they cannot be read. */
  readonly settingsFor?: (cwd?: string) => Config["archive"] | undefined;
  readonly pauses?: () => readonly Pause[];
  readonly isExcluded: (cwd: string) => boolean;
  /** The transcripts to sweep over. */
  readonly marks: TranscriptMarks;
  readonly log: Logger;
}

type Equipped = Required<ArchiverParts>;

const SWEEP_MS = 10 * MINUTE;
const ARCHIVE_STOP_MS = 2_000;

/** Archives one session; what goes wrong is logged and tried again with the next sweep. */
async function archiveOne(
  { home, settingsFor, pauses, isExcluded, marks, log }: Equipped,
  { transcript, session }: ArchiveRequest,
  signal: AbortSignal,
) {
  try {
    const { cwd } = await transcriptFacts(transcript);
    const settings = settingsFor(cwd);
    // A session that was started in an excluded folder is not archived, wherever it went.
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

/** Compresses the oldest archives over the limit. Removes nothing: `throughline archive tidy` does. */
async function keepQuota({ home, settingsFor, log }: Equipped) {
  const settings = settingsFor();
  if (!settings || settings.maxBytes === 0) return;
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
const isSubagents = (file: string) => path.basename(path.dirname(file)) === "subagents";

export function makeArchiver(given: ArchiverParts) {
  const { home } = given;
  const parts: Equipped = {
    settingsFor: archiveSettings(home, process.env),
    pauses: () => pauses(home),
    ...given,
  };
  const stopping = new AbortController();
  const { signal } = stopping;
  const sizes = new Map<string, number>();
  const queue = serialQueue();
  let timer: NodeJS.Timeout | undefined;
  const archive = (wanted: ArchiveRequest) => archiveOne(parts, wanted, signal);
  const archiveInTurn = (wanted: ArchiveRequest) =>
    queue.run(() => (signal.aborted ? "failed" : archive(wanted)));
  const sweep = async () => {
    for (const { file, session } of parts.marks.named()) {
      const size = fileSize(file);
      if (signal.aborted || isSubagents(file) || size === 0 || sizes.get(file) === size) continue;
      if ((await archive({ transcript: file, session })) !== "failed") sizes.set(file, size);
    }
    if (signal.aborted) return;
    await keepQuota(parts).catch((error: unknown) =>
      parts.log.warn({ problem: errorText(error) }, "archive.quota-failed"),
    );
  };
  return {
    /** Archives a session soon; the caller does not wait for it. */
    onLifecycleEvent: async ({ transcriptPath, session, kind }: LifecycleEvent) => {
      // After a compaction there is nothing that was not there before it.
      if (kind !== "compacted") void archiveInTurn({ transcript: transcriptPath, session });
    },
    /** Archives a session after those that wait. */
    archive: archiveInTurn,
    start() {
      void queue.run(sweep);
      timer = setInterval(() => void queue.run(sweep), SWEEP_MS);
    },
    // Finishes what is in hand, for a while; the next worker's first sweep does the rest.
    stop: async () => {
      clearInterval(timer);
      const stopTimer = setTimeout(() => stopping.abort(), ARCHIVE_STOP_MS);
      await queue.idle();
      clearTimeout(stopTimer);
    },
  };
}
