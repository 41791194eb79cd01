// Finds in transcripts what no hook has reported, and has it kept under the id the hook would have given it.

import { existsSync } from "node:fs";
import path from "node:path";
import { transcriptFacts } from "../../archive/index.ts";
import { type Pause, rememberingExclusion, wasPaused } from "../../home/index.ts";
import {
  type Clock,
  errorText,
  fileSize,
  isObject,
  type JsonObject,
  optionalString,
  ownVersion,
  SECOND,
} from "../../lib/index.ts";
import type { Logger } from "../../log/index.ts";
import { type CapturedEvent, captureEvent, type EventLane, eventId, eventKey } from "../../spool/index.ts";
import type { EventStore } from "../../store/index.ts";
import { scanRows, sessionFiles } from "../../transcript/index.ts";
import type { Ingest } from "../ingest.ts";
import type { Lifecycle, LifecycleEvent } from "../lifecycle.ts";
import type { TranscriptMarks } from "./transcriptMarks.ts";
import { messageReader, type SaidMessage } from "./transcriptMessages.ts";
import { rowReader, type SeenEvent } from "./transcriptRows.ts";

interface ReconcileParts {
  readonly store: Pick<EventStore, "events" | "eventsById">;
  readonly ingest: Ingest;
  /** Keeps what was said, so that it can be found. */
  readonly keepMessages: (session: string, messages: readonly SaidMessage[]) => Promise<unknown>;
  readonly marks: TranscriptMarks;
  readonly pauses: () => readonly Pause[];
  /** Whether nothing may be kept of work in that folder. */
  readonly isExcluded: (cwd: string) => boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly lifecycle: Pick<Lifecycle, "announce">;
  /** Hears how many events a transcript had that no hook reported. */
  readonly onFound?: (events: number) => void;
}

const ROWS_PER_COMMIT = 100;

/**
 * Rows before this moment are not this session's own: a fork begins with a copy of another's, and what came
 * before a session was first seen, being resumed, happened while nothing was to be captured.
 */
export async function beginning(
  store: Pick<EventStore, "events">,
  session: string,
  sources: readonly unknown[] = ["resume", "fork"],
) {
  const [first] = (await store.events({ session, order: "oldest", limit: 1 })).items;
  if (first?.kind !== "session-start") return 0;
  return sources.includes(first.payload.source) ? Date.parse(first.at) : 0;
}

type Reconciling = ReconcileParts & { readonly isStopping: () => boolean };

/** Reads one file on from where it was left. Gives how many events were missing. */
async function readOn(parts: Reconciling, file: string, session: string) {
  const { marks, clock, store } = parts;
  const size = fileSize(file);
  const mark = marks.get(file);
  // A file that has become shorter is another file.
  const from = !mark || mark.offset > size ? 0 : mark.offset;
  if (size === from) return 0;
  const since = Math.max(await beginning(store, session), mark?.since ?? 0);
  const pauses = parts.pauses();
  const isExcluded = rememberingExclusion(parts.isExcluded);
  const isWanted = ({ payload, at }: SeenEvent) =>
    at >= since && !wasPaused(pauses, at) && !(typeof payload.cwd === "string" && isExcluded(payload.cwd));
  const reader = rowReader({ session, transcript: mainTranscript(file) });
  const talk = messageReader(session);
  let [end, added] = [from, 0];
  let waiting: SeenEvent[] = [];
  let said: SaidMessage[] = [];
  const flush = async () => {
    added += (await keepMissed(waiting, { ...parts, lane: "transcript" })).added;
    await parts.keepMessages(session, said);
    [waiting, said] = [[], []];
  };
  for await (const { row, start, end: behind } of scanRows(file, { from })) {
    if (parts.isStopping()) break;
    waiting.push(...reader.read(row, start).filter(isWanted));
    said.push(...talk.read(row).filter(({ at, cwd }) => isWanted({ payload: { cwd }, at })));
    const lifecycleEvent = compactionIn(row, { session, transcriptPath: mainTranscript(file) });
    if (lifecycleEvent && isWanted({ payload: { cwd: lifecycleEvent.cwd }, at: lifecycleEvent.at }))
      await parts.lifecycle.announce(lifecycleEvent);
    end = behind;
    if (waiting.length + said.length >= ROWS_PER_COMMIT) await flush();
  }
  await flush();
  marks.set(file, { session, offset: Math.min(end, reader.firstOpen() ?? end) }, clock.now());
  return added;
}

/** The compaction that a row of the session's own thread tells of: no hook may have. */
function compactionIn(
  row: JsonObject,
  told: Pick<LifecycleEvent, "session" | "transcriptPath">,
): LifecycleEvent | undefined {
  const at = Date.parse(String(row.timestamp));
  if (row.subtype !== "compact_boundary" || row.isSidechain === true || Number.isNaN(at)) return undefined;
  const trigger = isObject(row.compactMetadata) ? row.compactMetadata.trigger : undefined;
  return {
    ...told,
    kind: "compacted",
    id: `row_${String(row.uuid)}`,
    cwd: optionalString(row.cwd),
    trigger: optionalString(trigger),
    at,
  };
}

/** `<session>/subagents/agent-x.jsonl` belongs to `<session>.jsonl`. */
function mainTranscript(file: string) {
  const folder = path.dirname(file);
  return path.basename(folder) === "subagents" ? `${path.dirname(folder)}.jsonl` : file;
}

interface Pass {
  readonly added: number;
  /** False when a transcript could not be read, or what it has could not be kept. */
  readonly complete: boolean;
}

export interface Reconciler {
  /** Notes where a session's transcript is; the next `run` reads it. */
  note(events: readonly CapturedEvent[]): void;
  /** Reads one session's transcripts now. Gives how many events were missing; never rejects. */
  run(transcript: string, session: string): Promise<number>;
  /** Reads every transcript that has grown since it was read; never rejects. */
  runAll(): Promise<Pass>;
  /** Reads one session's transcripts from the beginning, or from behind what was forgotten. What it tells of is no news. */
  reread(transcript: string, session: string, isStopped: () => boolean): Promise<Pass>;
  /** A run under way ends early; the next one goes on from there. */
  stop(): void;
}

/** Whether the session was started where nothing may be kept: then nothing of it is, wherever it went. */
async function isOut({ isExcluded }: ReconcileParts, transcript: string) {
  const { cwd } = existsSync(transcript) ? await transcriptFacts(transcript) : { cwd: undefined };
  return cwd !== undefined && isExcluded(cwd);
}

/** Reads a session's transcripts. Never rejects. */
async function readSession(parts: Reconciling, transcript: string, session: string): Promise<Pass> {
  const { marks, log, clock } = parts;
  let [added, complete] = [0, true];
  const attempt = async (step: () => Promise<void> | void) => {
    try {
      await step();
    } catch (error) {
      complete = false;
      log.warn({ session, problem: errorText(error) }, "transcript.read-failed");
    }
  };
  for (const { file, size } of sessionFiles(transcript)) {
    if (!existsSync(file)) continue;
    await attempt(async () => {
      // What was excluded when it was written is not caught up on later.
      if (await isOut(parts, transcript)) marks.set(file, { session, offset: size }, clock.now());
      else added += await readOn(parts, file, session);
    });
  }
  await attempt(() => marks.save());
  if (added > 0) log.info({ session, added }, "transcript.reconciled");
  if (added > 0) parts.onFound?.(added);
  return { added, complete };
}

export function makeReconciler(parts: ReconcileParts): Reconciler {
  const { marks, clock } = parts;
  let stopping = false;
  const reading = { ...parts, isStopping: () => stopping };
  return {
    note(events) {
      for (const { transcript, session } of events) {
        if (transcript?.endsWith(".jsonl") && !marks.get(transcript))
          marks.set(transcript, { session, offset: 0 }, clock.now());
      }
      marks.save();
    },
    run: async (transcript, session) => (await readSession(reading, transcript, session)).added,
    stop: () => {
      stopping = true;
    },
    async reread(transcript, session, isStopped) {
      if (stopping || mainTranscript(transcript) !== transcript || !existsSync(transcript))
        return { added: 0, complete: !stopping };
      for (const { file } of sessionFiles(transcript))
        marks.set(file, { session, offset: marks.get(file)?.forgotten ?? 0 }, clock.now());
      const quietly = {
        ...reading,
        onFound: () => undefined,
        isStopping: () => stopping || isStopped(),
        lifecycle: { announce: async () => undefined },
      };
      return readSession(quietly, transcript, session);
    },
    async runAll() {
      let [added, complete] = [0, true];
      for (const { file, session } of marks.named()) {
        if (mainTranscript(file) !== file) continue;
        const pass = await readSession(reading, file, session);
        added += pass.added;
        complete &&= pass.complete;
      }
      return { added, complete: complete && !stopping };
    },
  };
}

/** Hooks that ran beside the last one may still be writing; what they write is fuller than the transcript. */
export const RECONCILE_AFTER_MS = 2 * SECOND;

/** Whether the session's transcript is worth reading after this event. */
export function asksForReconciling({ kind }: CapturedEvent) {
  return ["stop", "subagent-stop", "session-end"].includes(kind);
}

interface MissedParts {
  readonly store: Pick<EventStore, "eventsById">;
  readonly ingest: Ingest;
  readonly lane: EventLane;
}

/** The ids under which a hook may have reported it: a failed call may have been reported as a plain one. */
function idsOf(event: CapturedEvent) {
  if (event.kind !== "tool" && event.kind !== "tool-failure") return [event.id];
  const kind = event.kind === "tool" ? "tool-failure" : "tool";
  const { session, agent, payload, at } = event;
  return [event.id, eventId({ session, agent, kind, key: eventKey(kind, payload, at) })];
}

/** Those that are not in the store yet. */
export async function missedOf(
  seen: readonly SeenEvent[],
  { store, lane }: Pick<MissedParts, "store" | "lane">,
): Promise<CapturedEvent[]> {
  const events = seen.flatMap(
    ({ payload, at }) => captureEvent(payload, { lane, writer: ownVersion, now: at }) ?? [],
  );
  const known = new Set((await store.eventsById(events.flatMap(idsOf))).map(({ id }) => id));
  return events.filter((event) => !idsOf(event).some((id) => known.has(id)));
}

/** Gives those that were missing, and how many of them are new: what was forgotten is not. */
export async function keepMissed(
  seen: readonly SeenEvent[],
  parts: MissedParts,
): Promise<{ readonly missed: readonly CapturedEvent[]; readonly added: number }> {
  const missed = await missedOf(seen, parts);
  return { missed, added: missed.length === 0 ? 0 : (await parts.ingest.keep(missed)).added };
}
