// A session that is to be imported: its files, where each is read from, and what of them may be kept.
import type { TranscriptFacts } from "../archive/index.ts";
import { type IsExcluded, type Pause, rememberingExclusion, wasPaused } from "../home/index.ts";
import { beginning } from "../intake/index.ts";
import { type Clock, MINUTE } from "../lib/index.ts";
import type { EventStore } from "../store/index.ts";
import { type SessionFile, sessionFiles } from "../transcript/index.ts";
import { ownBeginning } from "./copies.ts";
import { lastRowTime } from "./lastRow.ts";
import { type PastReader, pastReader } from "./pastEvents.ts";

export interface SessionParts {
  readonly store: Pick<EventStore, "events" | "messagesElsewhere">;
  readonly pauses: () => readonly Pause[];
  readonly isExcluded: IsExcluded;
  readonly clock: Clock;
}

export interface PastSession {
  readonly session: string;
  /** Where it was started. */
  readonly cwd: string | undefined;
  readonly files: readonly (SessionFile & { readonly from: number; readonly reader: PastReader })[];
  /** Whether nobody is writing any more. */
  readonly isOver: boolean;
  /** Whether what happened then was in this session, and not in the one that it was forked from. */
  readonly isOwn: (at: number) => boolean;
  /** Whether it may be kept: not what happened in a pause or in an excluded folder. */
  readonly isWanted: (row: { readonly at: number; readonly cwd: unknown }) => boolean;
}

/** After so long without a new row nobody is writing any more. */
const QUIET_MS = 10 * MINUTE;

/** When a hook first told of the session. */
async function hooksSince(store: SessionParts["store"], session: string): Promise<number> {
  const { items } = await store.events({ session, lanes: ["hooks", "mods"], order: "oldest", limit: 1 });
  const [first] = items;
  return first === undefined ? Number.POSITIVE_INFINITY : Date.parse(first.at);
}

/** Throws as reading a transcript does. */
export async function pastSession(
  parts: SessionParts,
  transcript: string,
  { session, cwd }: TranscriptFacts,
): Promise<PastSession> {
  const { store, clock, isExcluded } = parts;
  const files = sessionFiles(transcript);
  const since = await beginning(store, session, ["fork"]);
  const source = { session, transcript, hooksSince: await hooksSince(store, session) };
  const own = await ownBeginning(store, transcript, session);
  const pauses = parts.pauses();
  const isOut = rememberingExclusion(isExcluded);
  return {
    session,
    cwd,
    files: files.map((one) => {
      const { agent } = one;
      const reader = pastReader({ ...source, ...(agent === undefined ? {} : { agent }) });
      return { ...one, from: agent === undefined ? own : 0, reader };
    }),
    isOver: clock.now() - Math.max(...files.map(({ file }) => lastRowTime(file))) > QUIET_MS,
    isOwn: (at) => at >= since,
    isWanted: ({ at, cwd: folder }) =>
      !wasPaused(pauses, at) && ![cwd, folder].some((one) => typeof one === "string" && isOut(one)),
  };
}
