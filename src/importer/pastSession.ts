// A session that is to be imported: its files, where each is read from, and what of them may be kept.

import { fstatSync } from "node:fs";
import type { TranscriptFacts } from "../archive/index.ts";
import { rememberingExclusion, wasPaused } from "../home/index.ts";
import { beginning, messageReader, promptOf } from "../intake/index.ts";
import { defined, isObject, MINUTE, parseJson, readBytes, withFile } from "../lib/index.ts";
import type { EventStore } from "../store/index.ts";
import { type SessionFile, scanRows, sessionFiles } from "../transcript/index.ts";
import type { ImportParts } from "./model.ts";
import { type PastReader, pastReader } from "./pastEvents.ts";

export interface SessionParts extends Pick<ImportParts, "pauses" | "isExcluded" | "clock"> {
  readonly store: Pick<EventStore, "events" | "messagesElsewhere">;
}

export interface PastSession {
  readonly session: string;
  /** Where it was started. */
  readonly cwd: string | undefined;
  readonly files: readonly (SessionFile & { readonly from: number; readonly reader: PastReader })[];
  /** Whether the session is no longer written to. */
  readonly isOver: boolean;
  /** Whether what happened then was in this session, and not in the one that it was forked from. */
  readonly isOwn: (at: number) => boolean;
  /** Whether it may be kept: not what happened in a pause or in an excluded folder. */
  readonly isWanted: (row: { readonly at: number; readonly cwd: unknown }) => boolean;
}

/** After so long without a new row a session is taken as ended. */
const ENDED_AFTER_MS = 10 * MINUTE;

/** When a hook first told of the session. */
async function hooksSince(store: SessionParts["store"], session: string) {
  const { items } = await store.events({ session, lanes: ["hooks", "mods"], order: "oldest", limit: 1 });
  const [first] = items;
  return first ? Date.parse(first.at) : Number.POSITIVE_INFINITY;
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
      const reader = pastReader({ ...source, ...defined({ agent }) });
      return { ...one, from: agent === undefined ? own : 0, reader };
    }),
    isOver: clock.now() - Math.max(...files.map(({ file }) => lastRowTime(file))) > ENDED_AFTER_MS,
    isOwn: (at) => at >= since,
    isWanted: ({ at, cwd: folder }) =>
      !wasPaused(pauses, at) && ![cwd, folder].some((one) => typeof one === "string" && isOut(one)),
  };
}

const SESSION_TAIL_BYTES = 256 * 1024;

/** Milliseconds since the epoch. Where the end of the file does not tell, the file's own time does. */
function lastRowTime(file: string) {
  return withFile(file, "r", (fd) => {
    const { size, mtimeMs } = fstatSync(fd);
    const from = Math.max(0, size - SESSION_TAIL_BYTES);
    const times = readBytes(fd, from, size - from)
      .toString("utf8")
      .split("\n")
      .map(parseJson)
      .flatMap((row) => (isObject(row) ? Date.parse(String(row.timestamp)) : []))
      .filter((at) => !Number.isNaN(at));
    return times.length === 0 ? mtimeMs : Math.max(...times);
  });
}

/** Rows that are asked for at once. A transcript that is no fork is found out with the first of them. */
const SESSION_ROWS_AT_ONCE = 50;

/** The end of the last row that another session has too; 0 when no other session has the first rows. */
async function endOfCopies(store: SessionParts["store"], file: string, session: string) {
  const reader = messageReader(session);
  let copied = 0;
  let batch: { readonly uuid: string; readonly end: number }[] = [];
  /** False when there cannot be more of them: copies stand at the beginning, one behind the other. */
  const mayGoOn = async () => {
    const uuids = batch.map(({ uuid }) => uuid);
    const known = await store.messagesElsewhere(session, uuids);
    const last = batch.findLast(({ uuid }) => known.has(uuid));
    copied = last?.end ?? copied;
    const isAll = last === batch.at(-1);
    batch = [];
    return isAll;
  };
  for await (const { row, end } of scanRows(file)) {
    const said = reader.read(row).filter(({ role }) => role !== "tool");
    batch.push(...said.map(({ uuid }) => ({ uuid, end })));
    if (batch.length >= SESSION_ROWS_AT_ONCE && !(await mayGoOn())) return copied;
  }
  if (batch.length > 0) await mayGoOn();
  return copied;
}

/** The byte at which the first prompt of its own stands; 0 where nothing was copied. */
async function ownBeginning(store: SessionParts["store"], file: string, session: string) {
  const copied = await endOfCopies(store, file, session);
  if (copied === 0) return 0;
  let end = copied;
  for await (const scanned of scanRows(file, { from: copied })) {
    if (scanned.row.type === "user" && promptOf(scanned.row) !== undefined) return scanned.start;
    end = scanned.end;
  }
  return end;
}
