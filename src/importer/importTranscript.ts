// One session's transcript into store and archive: all of it, once, with the times and the folders of then.
import path from "node:path";
import type { ArchiveOutcome, ArchiveRequest } from "../archive/index.ts";
import { transcriptFacts } from "../archive/index.ts";
import { sha256 } from "../lib/index.ts";
import type { Store } from "../store/index.ts";
import { sessionFiles } from "../transcript/index.ts";
import { claimedPrompts } from "./claimed.ts";
import { type EventCounts, type KeeperParts, makeKeeper, projectsFrom } from "./keeper.ts";
import { type PastReading, readPast } from "./readPast.ts";
import { pastSession, type SessionParts } from "./session.ts";
import { unreadable, type Watch } from "./watch.ts";

export interface TranscriptParts extends Omit<SessionParts, "store">, KeeperParts {
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
  const keeper = makeKeeper(parts, { session, projectFor: projectsFrom(past.cwd), isClaimed });
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
