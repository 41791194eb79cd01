// The journal of changes to the folder: intent, bytes before and after, and whether each was carried out. It is the redo
// log after a crash, the history behind undo, and the manifest that shows edits made by other programs.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import {
  appendLines,
  DAY,
  HOUR,
  isObject,
  parseJson,
  present,
  removeFile,
  sha256,
  statIfThere,
  writeFileAtomic,
} from "../../lib/index.ts";
import type { HistoryRule, MemoryPlace } from "./model.ts";
import { listMemoryFolder } from "./safePaths.ts";

/** One file of a change. A hash of null is a file that does not exist. */
export interface ChangeStep {
  readonly file: string;
  readonly before: string | null;
  readonly after: string | null;
  /** A line of the index: null for none, absent when the index is not touched. */
  readonly line?: string | null;
  readonly lineBefore?: string | null;
}

/** A change to the folder, with every file that it touches. */
export interface MemoryChange {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly steps: readonly ChangeStep[];
}

const isText = (value: unknown) => typeof value === "string";
const isHash = (value: unknown) => value === null || isText(value);
const isLine = (value: unknown) => value === undefined || isHash(value);

const isStep = (value: unknown): value is ChangeStep =>
  isObject(value) &&
  isText(value.file) &&
  isHash(value.before) &&
  isHash(value.after) &&
  isLine(value.line) &&
  isLine(value.lineBefore);

const isChange = (value: unknown): value is MemoryChange =>
  isObject(value) &&
  [value.id, value.at, value.action].every(isText) &&
  Array.isArray(value.steps) &&
  value.steps.every(isStep);

interface Journal {
  /** Oldest first. */
  readonly changes: readonly MemoryChange[];
  /** Not recorded as done: a crash came between. */
  readonly open: readonly MemoryChange[];
}

const logFile = ({ books }: MemoryPlace) => path.join(books, "changes.jsonl");
const versionsFolder = ({ books }: MemoryPlace) => path.join(books, "versions");
const versionFile = (place: MemoryPlace, hash: string) => path.join(versionsFolder(place), hash);

/** Skips lines that a crash left torn. */
export function readChanges(place: MemoryPlace): Journal {
  const file = logFile(place);
  if (!existsSync(file)) return { changes: [], open: [] };
  const changes: MemoryChange[] = [];
  const done = new Set<string>();
  for (const line of readFileSync(file, "utf8").split("\n")) {
    if (line === "") continue;
    const value = parseJson(line);
    if (isObject(value) && typeof value.done === "string") done.add(value.done);
    if (isChange(value)) changes.push(value);
  }
  return { changes, open: changes.filter(({ id }) => !done.has(id)) };
}

export function recordIntent(place: MemoryPlace, change: MemoryChange) {
  appendLines(logFile(place), [JSON.stringify(change)]);
}

/** Not synced: without this line the change is carried out again, which changes nothing. */
export function recordDone(place: MemoryPlace, id: string) {
  appendLines(logFile(place), [JSON.stringify({ done: id })], { sync: false });
}

/** Called under the lock, so that no other process appends meanwhile. */
function rewriteJournal(place: MemoryPlace, { changes, open }: Journal) {
  const lines = changes.flatMap((change) => [
    JSON.stringify(change),
    ...(open.includes(change) ? [] : [JSON.stringify({ done: change.id })]),
  ]);
  writeFileAtomic(logFile(place), lines.map((line) => `${line}\n`).join(""));
}

/** Keeps bytes under their hash. */
export function keepVersion(place: MemoryPlace, text: string) {
  const hash = sha256(text);
  const file = versionFile(place, hash);
  if (!existsSync(file)) writeFileAtomic(file, text);
  return hash;
}

export function versionText(place: MemoryPlace, hash: string) {
  const file = versionFile(place, hash);
  return /^[0-9a-f]{64}$/.test(hash) && existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** The hash of each file when Throughline last wrote it; null for one that it removed. */
export function manifestOf({ changes }: Journal) {
  return new Map(changes.flatMap(({ steps }) => steps.map(({ file, after }) => [file, after] as const)));
}

export const UNDO_ACTION = "undo ";

/** An undo can be undone as well. */
export function isUndone(changes: readonly MemoryChange[], id: string): boolean {
  const undo = changes.findLast(({ action }) => action === UNDO_ACTION + id);
  return undo !== undefined && !isUndone(changes, undo.id);
}

/** The newest change that is no undo and was not undone. */
export function lastUndoable(changes: readonly MemoryChange[]) {
  return changes.findLast(
    (change) => !change.action.startsWith(UNDO_ACTION) && !isUndone(changes, change.id),
  );
}

/** How long versions of memories are kept. */
export const defaultHistoryRule: HistoryRule = { days: 90, versions: 20 };

/** The changes that the rule and undo keep, oldest first. Pure. */
export function keptChanges({ changes, open }: Journal, { days, versions }: HistoryRule, now: number) {
  if (days === 0) return [...changes];
  const last = lastUndoable(changes);
  const stays = new Set(present([...open, last]));
  const seen = new Map<string, number>();
  for (const change of changes.toReversed()) {
    const isYoung = !(now - Date.parse(change.at) > days * DAY);
    const isNew = change.steps.some(({ file }) => (seen.get(file) ?? 0) < versions);
    if (isYoung || isNew) stays.add(change);
    for (const { file } of change.steps) seen.set(file, (seen.get(file) ?? 0) + 1);
  }
  return changes.filter((change) => stays.has(change));
}

const CHANGES_PRUNED_EVERY = 25;
const isDueAt = (changes: number) => changes > 0 && changes % CHANGES_PRUNED_EVERY === 0;

/**
 * Drops old changes and their versions after every 25th change. Called under the lock. The journal is rewritten first: a
 * crash leaves versions that no change names, and the next run removes them.
 */
export function pruneHistory(place: MemoryPlace, now: number, isDue = isDueAt) {
  const journal = readChanges(place);
  if (!isDue(journal.changes.length)) return;
  const changes = keptChanges(journal, place.history ?? defaultHistoryRule, now);
  if (changes.length < journal.changes.length) rewriteJournal(place, { changes, open: journal.open });
  const needed = new Set(
    changes.flatMap(({ steps }) => steps.flatMap(({ before, after }) => [before, after])),
  );
  for (const hash of listMemoryFolder(versionsFolder(place)))
    if (!needed.has(hash)) removeVersion(versionFile(place, hash));
}

/** A version is written before the change that names it, so a young one may still be named. */
function removeVersion(file: string) {
  const written = statIfThere(file)?.mtimeMs;
  if (written !== undefined && Date.now() - written > HOUR) removeFile(file);
}
