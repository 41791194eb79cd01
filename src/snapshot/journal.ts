// Which compactions of a session have their snapshot: one line each, and the rule that keeps it at one.

import { rmSync } from "node:fs";
import path from "node:path";
import { appendLines, isObject, parseJson, readIfThere } from "../lib/index.ts";
import { isUserInput } from "../messages/index.ts";
import type { Conversation } from "../transcript/index.ts";
import { pages, referenceIn, removeReference } from "./page.ts";

export interface JournalEntry {
  /** Milliseconds since the epoch at which the compaction was noticed. */
  readonly at: number;
  /** The snapshot's full path. */
  readonly file: string;
  readonly handles: readonly string[];
  /** What brought it about; the same occasion never brings about another. */
  readonly occasion: string;
}

/** Where a session's folder has it. */
export const journalIn = (folder: string) => path.join(folder, "snapshots.jsonl");

function readJournalEntry(line: string): JournalEntry | undefined {
  const value = parseJson(line);
  if (!isObject(value)) return undefined;
  const { at, file, handles, occasion } = value;
  if (typeof at !== "number" || typeof file !== "string" || typeof occasion !== "string") return undefined;
  const texts = Array.isArray(handles) ? handles.filter((handle) => typeof handle === "string") : [];
  return { at, file, occasion, handles: texts };
}

/** Oldest first; lines that a crash tore are passed over. */
export function readJournal(file: string): JournalEntry[] {
  return (readIfThere(file) ?? "").split("\n").flatMap((line) => readJournalEntry(line) ?? []);
}

/** The folders in which the sessions of these journals left snapshots, whether they are still there or not. */
export function projectsIn(journals: readonly string[]) {
  const files = journals.flatMap((journal) => readJournal(journal).map(({ file }) => file));
  return [...new Set(files.map((file) => path.dirname(path.dirname(file))))].sort();
}

export function addToJournal(file: string, entry: JournalEntry) {
  appendLines(file, [JSON.stringify(entry)]);
}

type CompactedConversation = Pick<Conversation, "items" | "boundaries">;

const compactions = ({ boundaries }: CompactedConversation): CompactedConversation["boundaries"] =>
  boundaries.filter(({ kind }) => kind === "compact");

/** Hooks run a little after the row of their compaction was made, which may not even be written yet. */
const HOOK_LAG_MS = 120_000;

/** When something was noticed: a compaction that is about to begin, or one that has happened. */
interface CompactionMoment {
  readonly at: number;
  readonly isBefore: boolean;
}

/** What a compaction keeps in view is written behind its boundary again, a moment before the boundary's own time. */
const isKeptAgain = (
  item: CompactedConversation["items"][number],
  index: number,
  all: CompactedConversation["boundaries"],
) =>
  all.some(
    (boundary) =>
      boundary.at !== undefined && index >= boundary.index && item.at !== undefined && item.at <= boundary.at,
  );

/** The times of messages of the user and of the assistant, which may work for a long time by itself. */
function messageTimes(told: CompactedConversation) {
  const all = compactions(told);
  return told.items.flatMap((item, index) => {
    const isSpoken = isUserInput(item) || item.message.role === "assistant";
    return item.at === undefined || !isSpoken || isKeptAgain(item, index, all) ? [] : item.at;
  });
}

const liesBetween = (time: number, one: number, other: number) =>
  time > Math.min(one, other) && time < Math.max(one, other);

/** The compaction that was noticed at a moment; undefined when the transcript does not know of it yet. */
function compactionAt(told: CompactedConversation, { at, isBefore }: CompactionMoment) {
  const all = compactions(told).flatMap((boundary) =>
    boundary.at === undefined ? [] : [{ boundary, made: boundary.at }],
  );
  const next = all.find(({ made }) => made >= at);
  if (isBefore || next?.made === at) return next?.boundary;
  // The row is made before the hooks run: the last one, unless the conversation went on behind it.
  const last = all.findLast(({ made }) => made < at);
  const words = messageTimes(told);
  const near = [last, next].find(
    (one) =>
      one !== undefined &&
      Math.abs(at - one.made) <= HOOK_LAG_MS &&
      !words.some((time) => liesBetween(time, at, one.made)),
  );
  return near?.boundary;
}

/** How many items there were when the compaction began, and where the part began that the model saw then. */
export function compactedPart(
  told: CompactedConversation,
  moment: CompactionMoment,
): { readonly start: number; readonly end: number } {
  const own = compactionAt(told, moment);
  const earlier = compactions(told).filter(
    (boundary) => boundary !== own && boundary.index <= (own?.index ?? told.items.length),
  );
  return { start: earlier.at(-1)?.index ?? 0, end: own?.index ?? told.items.length };
}

/**
 * The snapshot that a compaction has already: one that was taken with no word of user or assistant and no other
 * compaction in between.
 */
export function entryFor(
  entries: readonly JournalEntry[],
  told: CompactedConversation,
  moment: CompactionMoment,
): JournalEntry | undefined {
  const own = compactionAt(told, moment);
  const between = [
    ...messageTimes(told),
    ...compactions(told).flatMap((boundary) => (boundary === own ? [] : (boundary.at ?? []))),
  ];
  return entries.findLast((entry) => !between.some((time) => liesBetween(time, entry.at, moment.at)));
}

/** `journal` is the session's own; without one there is nothing to forget. */
export function forgetSnapshots(journal: string) {
  for (const { file } of readJournal(journal)) {
    const project = path.dirname(path.dirname(file));
    rmSync(file, { force: true });
    for (const page of pages)
      if (referenceIn(project, page)?.name === path.basename(file)) removeReference(project, page);
  }
}
