// The log of every change to the folder: what was intended, with which bytes, and whether it was carried out.
// It is the redo log after a crash, the history of each memory, and the manifest that shows edits behind our back.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { appendLines, isObject, parseJson, sha256, writeFileAtomic } from "../../lib/index.ts";
import type { MemoryPlace } from "./model.ts";

/** One file of a change. A hash of null is a file that is not there. */
export interface ChangeStep {
  readonly file: string;
  readonly before: string | null;
  readonly after: string | null;
  /** The line of the index afterwards and before: null for none, absent when the index is none of the step's business. */
  readonly line?: string | null;
  readonly lineBefore?: string | null;
}

export interface MemoryChange {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly steps: readonly ChangeStep[];
}

interface Journal {
  /** In order. */
  readonly changes: readonly MemoryChange[];
  /** Those that nobody has said are done: a crash came between. */
  readonly open: readonly MemoryChange[];
}

const logFile = ({ books }: MemoryPlace): string => path.join(books, "changes.jsonl");
export const versionsFolder = ({ books }: MemoryPlace): string => path.join(books, "versions");
const versionFile = (place: MemoryPlace, hash: string): string => path.join(versionsFolder(place), hash);

const isStep = (value: unknown): value is ChangeStep =>
  isObject(value) &&
  typeof value.file === "string" &&
  [value.before, value.after].every((hash) => hash === null || typeof hash === "string");

function asChange(value: unknown): MemoryChange | undefined {
  if (!isObject(value) || typeof value.id !== "string" || typeof value.at !== "string") return undefined;
  if (typeof value.action !== "string" || !Array.isArray(value.steps) || !value.steps.every(isStep))
    return undefined;
  return { id: value.id, at: value.at, action: value.action, steps: value.steps };
}

/** Lines that a crash left torn are passed over. */
export function readChanges(place: MemoryPlace): Journal {
  const file = logFile(place);
  if (!existsSync(file)) return { changes: [], open: [] };
  const changes: MemoryChange[] = [];
  const done = new Set<string>();
  for (const line of readFileSync(file, "utf8").split("\n")) {
    if (line === "") continue;
    const value = parseJson(line);
    if (isObject(value) && typeof value.done === "string") done.add(value.done);
    const change = asChange(value);
    if (change !== undefined) changes.push(change);
  }
  return { changes, open: changes.filter(({ id }) => !done.has(id)) };
}

export function recordIntent(place: MemoryPlace, change: MemoryChange): void {
  appendLines(logFile(place), [JSON.stringify(change)]);
}

/** Lost with the power, the change is only carried out again, which changes nothing. */
export function recordDone(place: MemoryPlace, id: string): void {
  appendLines(logFile(place), [JSON.stringify({ done: id })], { sync: false });
}

/** The log with these changes alone. Whoever holds the lock may do that: nobody appends meanwhile. */
export function rewriteJournal(
  place: MemoryPlace,
  changes: readonly MemoryChange[],
  open: readonly MemoryChange[],
): void {
  const lines = changes.flatMap((change) => [
    JSON.stringify(change),
    ...(open.includes(change) ? [] : [JSON.stringify({ done: change.id })]),
  ]);
  writeFileAtomic(logFile(place), lines.map((line) => `${line}\n`).join(""));
}

/** Keeps bytes under their hash. */
export function keepVersion(place: MemoryPlace, text: string): string {
  const hash = sha256(text);
  const file = versionFile(place, hash);
  if (!existsSync(file)) writeFileAtomic(file, text);
  return hash;
}

export function versionText(place: MemoryPlace, hash: string): string | undefined {
  const file = versionFile(place, hash);
  return /^[0-9a-f]{64}$/.test(hash) && existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** What each file was when we last wrote it; null for one that we removed. */
export function manifestOf(journal: Journal): Map<string, string | null> {
  const manifest = new Map<string, string | null>();
  for (const { steps } of journal.changes) for (const { file, after } of steps) manifest.set(file, after);
  return manifest;
}
