// How long the history of memories is kept: every change of some time, of each memory the newest ones, and whatever undo needs.
import { rmSync, statSync } from "node:fs";
import path from "node:path";
import { DAY, HOUR } from "../../lib/index.ts";
import { type MemoryChange, readChanges, rewriteJournal, versionsFolder } from "./journal.ts";
import type { HistoryRule, MemoryPlace } from "./model.ts";
import { listMemoryFolder } from "./safePaths.ts";
import { lastUndoable } from "./undone.ts";

export const defaultHistoryRule: HistoryRule = { days: 90, versions: 20 };

/** The changes that stay, in order. Pure. */
export function keptChanges(
  { changes, open }: { readonly changes: readonly MemoryChange[]; readonly open: readonly MemoryChange[] },
  { days, versions }: HistoryRule,
  now: number,
): MemoryChange[] {
  if (days === 0) return [...changes];
  const stays = new Set<MemoryChange>(open);
  const last = lastUndoable(changes);
  if (last !== undefined) stays.add(last);
  const seen = new Map<string, number>();
  for (const change of [...changes].reverse()) {
    const isYoung = !(now - Date.parse(change.at) > days * DAY);
    const isNew = change.steps.some(({ file }) => (seen.get(file) ?? 0) < versions);
    if (isYoung || isNew) stays.add(change);
    for (const { file } of change.steps) seen.set(file, (seen.get(file) ?? 0) + 1);
  }
  return changes.filter((change) => stays.has(change));
}

const PRUNED_EVERY = 25;

/**
 * Lets go of what need not be kept, now and then. Called by whoever holds the lock. The log is rewritten first: a crash
 * leaves versions that nothing names, and they go the next time.
 */
export function pruneHistory(place: MemoryPlace, now: number, isDue = isDueAt): void {
  const journal = readChanges(place);
  if (!isDue(journal.changes.length)) return;
  const stays = keptChanges(journal, place.history ?? defaultHistoryRule, now);
  if (stays.length < journal.changes.length) rewriteJournal(place, stays, journal.open);
  const needed = new Set(stays.flatMap(({ steps }) => steps.flatMap(({ before, after }) => [before, after])));
  for (const hash of listMemoryFolder(versionsFolder(place)))
    if (!needed.has(hash)) removeVersion(path.join(versionsFolder(place), hash));
}

const isDueAt = (changes: number): boolean => changes > 0 && changes % PRUNED_EVERY === 0;

/** A version is written before the change that names it is. */
function removeVersion(file: string): void {
  const written = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (written !== undefined && Date.now() - written > HOUR) rmSync(file, { force: true });
}
