// Puts staged folders in the place of present ones, which are kept; begun once, it is finished by whoever comes next.
import { existsSync, lstatSync, readdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { type Home, restoreJournal } from "../home/index.ts";
import { ensureFolder, isObject, parseJson, readIfThere, withLock, writeFileAtomic } from "../lib/index.ts";
import { syncFolder } from "./copy.ts";

export interface Move {
  /** The folder that is replaced. */
  readonly target: string;
  /** What takes its place; absent when nothing does. */
  readonly staged?: string;
  /** Where the present folder goes. */
  readonly aside: string;
  /** Whether what a restore does not replace is carried over into the new folder. */
  readonly isData?: boolean;
}

interface Swap {
  readonly at: string;
  readonly moves: readonly Move[];
}

const lastOf = (home: Home): string => `${home.data}.restored.json`;

/** What a restore replaces in the data folder; everything else there is of the machine and is carried over. */
const isReplaced = (name: string, parts: readonly string[]): boolean =>
  parts.includes(name) || name.startsWith("throughline.db");

function readSwap(file: string): Swap | undefined {
  const value = parseJson(readIfThere(file) ?? "");
  if (!isObject(value) || typeof value.at !== "string" || !Array.isArray(value.moves)) return undefined;
  const isMove = (move: unknown): move is Move =>
    isObject(move) && [move.target, move.aside].every((place) => typeof place === "string");
  return value.moves.every(isMove) ? { at: value.at, moves: value.moves } : undefined;
}

/** The last exchange that was finished. */
export const lastSwap = (home: Home): Swap | undefined => readSwap(lastOf(home));

/** Whether a restore was begun and not finished. */
export const isSwapOpen = (home: Home): boolean => existsSync(restoreJournal(home));

/** Everything that is staged must be on the disk. From the journal on there is only the way forward. */
export async function swap(home: Home, planned: Swap, parts: readonly string[]): Promise<void> {
  writeFileAtomic(restoreJournal(home), `${JSON.stringify(planned, null, 1)}\n`);
  await finishSwap(home, parts);
}

export async function finishSwap(home: Home, parts: readonly string[]): Promise<void> {
  await withLock(`${restoreJournal(home)}.lock`, () => {
    const planned = readSwap(restoreJournal(home));
    if (planned === undefined) return;
    for (const move of planned.moves) carryOut(move);
    for (const { target, aside, isData } of planned.moves) if (isData) carryOver(aside, target, parts);
    writeFileAtomic(lastOf(home), `${JSON.stringify(planned, null, 1)}\n`);
    rmSync(restoreJournal(home), { force: true });
    syncFolder(path.dirname(home.data));
  });
}

/** Each step is seen on the disk, so that the next one to come knows which were done. */
function carryOut({ target, staged, aside }: Move): void {
  const isPending = staged === undefined ? !existsSync(aside) : existsSync(staged);
  if (!isPending) return;
  ensureFolder(path.dirname(target));
  if (existsSync(target)) renameSync(target, freeName(aside));
  if (staged !== undefined) renameSync(staged, target);
  syncFolder(path.dirname(target));
}

function freeName(wanted: string): string {
  for (let number = 2, name = wanted; ; name = `${wanted}-${number++}`) if (!existsSync(name)) return name;
}

/** Receipts, keys and backups of this machine. */
function carryOver(from: string, to: string, parts: readonly string[]): void {
  if (lstatSync(from, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  ensureFolder(to);
  for (const name of readdirSync(from)) {
    if (isReplaced(name, parts) || existsSync(path.join(to, name))) continue;
    renameSync(path.join(from, name), path.join(to, name));
  }
  syncFolder(to);
}
