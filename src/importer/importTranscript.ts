// One session's transcript into store and archive: all of it, once, with the times and the folders of then.

import { existsSync } from "node:fs";
import path from "node:path";
import type { ArchiveOutcome, ArchiveRequest } from "../archive/index.ts";
import { transcriptFacts } from "../archive/index.ts";
import type { IsExcluded } from "../home/index.ts";
import { keepMessages, keepMissed, makeIngest, projectFinder, type RedactPayload } from "../intake/index.ts";
import { type Clock, HOUR, sha256 } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import type { EventKind } from "../spool/index.ts";
import type { EventStore, KnowledgeStore, Store } from "../store/index.ts";
import { sessionFiles } from "../transcript/index.ts";
import { claimedPrompts, type IsClaimed, unclaimed } from "./claimed.ts";
import { pastSession, type SessionParts } from "./pastSession.ts";
import type { TakePiece } from "./readPast.ts";
import { type PastReading, readPast } from "./readPast.ts";
import { unreadable, type Watch } from "./watch.ts";

export interface TranscriptParts extends Omit<SessionParts, "store">, SessionWriterParts {
  readonly store: Store;
  readonly archive: (wanted: ArchiveRequest) => Promise<ArchiveOutcome>;
}

export interface ImportedTranscript extends PastReading {
  /** `unchanged`: it was imported before, as it is. */
  readonly outcome: "imported" | "unchanged";
  readonly session: string;
  /** Of what is kept of it; absent where nothing is. */
  readonly project?: string;
  readonly from?: string;
  readonly to?: string;
  readonly events: EventCounts;
  readonly messages: number;
  readonly archived: boolean;
}

/** To be raised when more is read out of the same rows: then what was imported is read once more. */
const READER = 1;

/** How a transcript is called among the sources that are done, and what it looks like: it only ever grows. */
export function sourceOf(transcript: string): { readonly key: string; readonly state: string } {
  const sizes = sessionFiles(transcript).map(({ name, size }) => `${name}:${size}`);
  return { key: sha256(path.resolve(transcript)), state: [`v${READER}`, ...sizes].join(" ") };
}

export const nothingNew = { leftOut: 0, problems: [], problemCount: 0, events: {}, messages: 0 } as const;

/** Throws `UnreadableSource` and `Interrupted`, and whatever the store throws: then it has to be done again. */
export async function importTranscript(
  parts: TranscriptParts,
  transcript: string,
  watch: Watch,
): Promise<ImportedTranscript> {
  const { store } = parts;
  const { key, state } = sourceOf(transcript);
  const facts = await transcriptFacts(transcript).catch(unreadable);
  const { session } = facts;
  if ((await store.sourceState(key)) === state)
    return { outcome: "unchanged", session, ...nothingNew, archived: false };
  const past = await pastSession(parts, transcript, facts).catch(unreadable);
  const isClaimed = await claimedPrompts(parts, session, { fromClaudeMem: true });
  const keeper = makeSessionWriter(parts, { session, projectFor: projectsFrom(past.cwd), isClaimed });
  const read = await readPast(past, keeper.take, watch);
  const kept = await store.session(session);
  // Of a session of which nothing may be kept there is no archive either.
  const archive = kept === undefined ? "left" : await parts.archive({ transcript, session });
  // What was left out may be wanted another time, and who is writing will write more.
  const isDone = read.leftOut === 0 && past.isOver && archive !== "failed";
  await store.finishSource({ key, session, ...(isDone ? { state } : {}) });
  return {
    outcome: "imported",
    session,
    ...(kept && { project: kept.project, from: kept.createdAt, to: kept.lastActivityAt }),
    ...keeper.added(),
    ...read,
    archived: archive === "archived",
  };
}

interface SessionWriterParts {
  readonly store: Pick<EventStore, "recordEvents" | "eventsById" | "knownMessages"> &
    Pick<KnowledgeStore, "addMessages">;
  readonly redact: RedactPayload;
  readonly isExcluded: IsExcluded;
  readonly badFolder: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Events by kind. */
type EventCounts = Readonly<Partial<Record<EventKind, number>>>;

interface WrittenSession {
  readonly session: string;
  readonly projectFor: (cwd: string | undefined) => string;
  /** Whether a prompt is one that claude-mem brought before. */
  readonly isClaimed: IsClaimed;
}

interface SessionWriter {
  readonly take: TakePiece;
  /** What is new so far. */
  added(): { readonly events: EventCounts; readonly messages: number };
}

/** An import that was given up does not keep its turns from being observed for ever. */
const HOLD_MS = 24 * HOUR;

/** A folder that is gone is of the project in which the session was started, if it was inside of it. */
export function projectsFrom(start: string | undefined): (cwd: string | undefined) => string {
  const find = projectFinder();
  const isInside = (cwd: string) => start !== undefined && cwd.startsWith(`${start}${path.sep}`);
  return (cwd) => find(cwd !== undefined && isInside(cwd) && !existsSync(cwd) ? start : cwd);
}

function makeSessionWriter(
  parts: SessionWriterParts,
  { session, projectFor, isClaimed }: WrittenSession,
): SessionWriter {
  const { store, redact, isExcluded, badFolder, log, clock } = parts;
  const holdUntil = clock.now() + HOLD_MS;
  const events: Partial<Record<string, number>> = {};
  let messages = 0;
  const recordEvents: Store["recordEvents"] = async (recorded) => {
    const report = await store.recordEvents(recorded, { holdUntil });
    const added = new Set(report.added);
    for (const { id, kind } of recorded) if (added.has(id)) events[kind] = (events[kind] ?? 0) + 1;
    return report;
  };
  const ingest = makeIngest({ store: { recordEvents }, redact, isExcluded, badFolder, log, projectFor });
  return {
    async take(happened, said) {
      await keepMissed(await unclaimed(happened, isClaimed), { store, ingest, lane: "import" });
      const uuids = said.map(({ uuid }) => uuid);
      // A session that was broken off is read from its beginning; what is there is not looked through again.
      const known = await store.knownMessages(session, uuids);
      const fresh = said.filter(({ uuid }) => !known.has(uuid));
      messages += await keepMessages({ store, redact, isExcluded }, session, fresh, projectFor);
    },
    added: () => ({ events, messages }),
  };
}
