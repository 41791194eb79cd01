// One session's transcript into store and archive: all of it, once, with the times and the folders of then.

import { existsSync } from "node:fs";
import path from "node:path";
import { type ArchiveOutcome, type ArchiveRequest, transcriptFacts } from "../archive/index.ts";
import { keepMessages, keepMissed, makeIngest, projectFinder } from "../intake/index.ts";
import { HOUR, sha256 } from "../lib/index.ts";
import type { EventKind } from "../spool/index.ts";
import type { Store } from "../store/index.ts";
import { sessionFiles } from "../transcript/index.ts";
import { duplicateFilter } from "./duplicatePrompts.ts";
import { type ImportParts, unreadable, type Watch } from "./model.ts";
import { type PastSession, pastSession } from "./pastSession.ts";
import { type KeepPiece, type PastReading, readPast } from "./readPast.ts";

export interface TranscriptParts extends ImportParts {
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
  /** By kind. */
  readonly events: Readonly<Partial<Record<EventKind, number>>>;
  readonly messages: number;
  readonly archived: boolean;
}

/** To be raised when more is read out of the same rows: then what was imported is read once more. */
const TRANSCRIPT_READER = 1;

/** How a transcript is called among the sources that are done, and what it looks like: it only ever grows. */
export function sourceOf(transcript: string): { readonly key: string; readonly state: string } {
  const sizes = sessionFiles(transcript).map(({ name, size }) => `${name}:${size}`);
  return { key: sha256(path.resolve(transcript)), state: [`v${TRANSCRIPT_READER}`, ...sizes].join(" ") };
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
  const writer = await makeSessionWriter(parts, past);
  const read = await readPast(past, writer.keep, watch);
  const kept = await store.session(session);
  // Of a session of which nothing may be kept there is no archive either.
  const archive = kept ? await parts.archive({ transcript, session }) : "left";
  // What was left out may be wanted another time, and who is writing will write more.
  const isDone = read.leftOut === 0 && past.isOver && archive !== "failed";
  await store.finishSource({ key, session, ...(isDone && { state }) });
  return {
    outcome: "imported",
    session,
    ...(kept && { project: kept.project, from: kept.createdAt, to: kept.lastActivityAt }),
    ...writer.added(),
    ...read,
    archived: archive === "archived",
  };
}

/** Turns are observed once the import is done, or after this time when it never ends. */
const HOLD_MS = 24 * HOUR;

/** A folder that is gone is of the project in which the session was started, if it was inside of it. */
export function projectsFrom(start: string | undefined): (cwd: string | undefined) => string {
  const find = projectFinder();
  const isInside = (cwd: string) => start !== undefined && cwd.startsWith(`${start}${path.sep}`);
  return (cwd) => find(cwd !== undefined && isInside(cwd) && !existsSync(cwd) ? start : cwd);
}

async function makeSessionWriter(parts: TranscriptParts, { session, cwd }: PastSession) {
  const { store, redact, isExcluded, clock } = parts;
  const projectFor = projectsFrom(cwd);
  const withoutDuplicates = await duplicateFilter(parts, session, { fromClaudeMem: true });
  const holdUntil = clock.now() + HOLD_MS;
  const events: Record<string, number> = {};
  let messages = 0;
  const recordEvents: Store["recordEvents"] = async (recorded) => {
    const report = await store.recordEvents(recorded, { holdUntil });
    const added = new Set(report.added);
    for (const { id, kind } of recorded) if (added.has(id)) events[kind] = (events[kind] ?? 0) + 1;
    return report;
  };
  const ingest = makeIngest({ ...parts, store: { recordEvents }, projectFor });
  const keep: KeepPiece = async (happened, said) => {
    await keepMissed(await withoutDuplicates(happened), { store, ingest, lane: "import" });
    const uuids = said.map(({ uuid }) => uuid);
    // A session that was broken off is read from its beginning; what is there is not looked through again.
    const known = await store.knownMessages(session, uuids);
    const fresh = said.filter(({ uuid }) => !known.has(uuid));
    messages += await keepMessages({ store, redact, isExcluded }, session, fresh, projectFor);
  };
  /** `added`: what is new so far. */
  return { keep, added: () => ({ events, messages }) };
}
