// Replaces what is kept by a backup set. Checks the set before anything is changed, and keeps what it replaces.

import { existsSync, readdirSync, realpathSync, renameSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { databaseFile, type Home, restoreJournal, upkeepLock } from "../home/index.ts";
import {
  ensureFolder,
  isoTime,
  lstatIfThere,
  notFoundError,
  readJson,
  removeFile,
  removeTree,
  syncFolder,
  withLock,
  writeJson,
} from "../lib/index.ts";
import { requireClosed, requireUsable } from "../store/index.ts";
import { copyHashed, syncTree } from "./copy.ts";
import type { SetProgress, SetRequest } from "./make.ts";
import { damagedSet, dataParts, locate, type Manifest, readManifest, type SetFile } from "./manifest.ts";

const moveSchema = z.object({
  /** The folder that is replaced. */
  target: z.string(),
  /** What takes its place; absent when nothing does. */
  staged: z.string().exactOptional(),
  /** Where the present folder goes. */
  aside: z.string(),
  /** Whether what a restore does not replace is carried over into the new folder. */
  isData: z.boolean().exactOptional(),
});
const swapSchema = z.object({ at: z.string(), moves: z.array(moveSchema) });

type Move = z.output<typeof moveSchema>;
type Swap = z.output<typeof swapSchema>;

const lastOf = (home: Home) => `${home.data}.restored.json`;

/** What a restore replaces in the data folder; everything else there is of the machine and is carried over. */
const isReplaced = (name: string) => dataParts.includes(name) || name.startsWith("throughline.db");

const readSwap = (file: string) => swapSchema.safeParse(readJson(file)).data;

/** The last exchange that was finished. */
const lastSwap = (home: Home) => readSwap(lastOf(home));

/** Whether a restore was begun and not finished. */
const isSwapOpen = (home: Home) => existsSync(restoreJournal(home));

/** Everything that is staged must be on the disk. From the journal on there is only the way forward. */
async function swap(home: Home, planned: Swap) {
  writeJson(restoreJournal(home), planned, 1);
  await finishSwap(home);
}

async function finishSwap(home: Home) {
  await withLock(`${restoreJournal(home)}.lock`, () => {
    const planned = readSwap(restoreJournal(home));
    if (!planned) return;
    for (const move of planned.moves) carryOut(move);
    for (const { target, aside, isData } of planned.moves) if (isData) carryOver(aside, target);
    writeJson(lastOf(home), planned, 1);
    removeFile(restoreJournal(home));
    syncFolder(path.dirname(home.data));
  });
}

/** Each step is seen on the disk, so that the next one to come knows which were done. */
function carryOut({ target, staged, aside }: Move) {
  const isPending = staged === undefined ? !existsSync(aside) : existsSync(staged);
  if (!isPending) return;
  ensureFolder(path.dirname(target));
  if (existsSync(target)) renameSync(target, freeName(aside));
  if (staged !== undefined) renameSync(staged, target);
  syncFolder(path.dirname(target));
}

function freeName(wanted: string) {
  for (let number = 2, name = wanted; ; name = `${wanted}-${number++}`) if (!existsSync(name)) return name;
}

/** Receipts, keys and backups of this machine. */
function carryOver(from: string, to: string) {
  if (lstatIfThere(from)?.isDirectory() !== true) return;
  ensureFolder(to);
  for (const name of readdirSync(from)) {
    if (isReplaced(name) || existsSync(path.join(to, name))) continue;
    renameSync(path.join(from, name), path.join(to, name));
  }
  syncFolder(to);
}

interface RestoreRequest extends Omit<SetRequest, "target"> {
  readonly from: string;
  /** Also put the settings of the backup in place. */
  readonly withConfig: boolean;
}

export interface RestoredSet {
  readonly at: string;
  readonly files: number;
  readonly events: number;
  /** What was replaced, and where it is now. */
  readonly replaced: readonly { readonly target: string; readonly aside: string }[];
  /** Folders of work whose memories were not put in place: this machine has another place for them, which is in use. */
  readonly left: readonly string[];
}

const STAGED = ".restoring";

/** Compares every file with the list; throws `backup-damaged` at the first that differs. */
export function verifySet(folder: string, onProgress?: (progress: SetProgress) => void): Manifest {
  const manifest = readManifest(folder);
  let bytes = 0;
  for (const [at, file] of manifest.files.entries()) {
    requireSame(folder, file, copyHashed(locate(folder, file)));
    bytes += file.bytes;
    onProgress?.({ files: at + 1, bytes });
  }
  return manifest;
}

function requireSame(folder: string, file: SetFile, found: { bytes: number; sha256: string }) {
  if (found.bytes === file.bytes && found.sha256 === file.sha256) return;
  throw damagedSet(folder, `${file.path} is not what the backup was made with`);
}

/** Throws and changes nothing when the set is not whole or the database is open. The worker must not run. */
export async function restoreSet(request: RestoreRequest): Promise<RestoredSet> {
  const { home } = request;
  await finishRestore(home);
  return withLock(upkeepLock(home), async () => {
    const manifest = verifySet(request.from, request.onProgress);
    const roots = rootsOf(manifest, request);
    try {
      return await exchange(manifest, roots, request);
    } finally {
      // A journal that is still there will need them.
      if (!isSwapOpen(home)) for (const { staged } of roots.values()) removeTree(staged);
    }
  });
}

async function exchange(
  manifest: Manifest,
  roots: ReadonlyMap<string, SetRoot>,
  { home, from, now }: RestoreRequest,
): Promise<RestoredSet> {
  stage(from, manifest, roots);
  const database = path.join(roots.get("data")?.staged ?? "", "throughline.db");
  if (!existsSync(database)) throw damagedSet(from, "it has no database");
  const events = await requireUsable(database);
  const moves = [...roots].flatMap(([name, { target, staged }]): Move[] =>
    target === undefined || !existsSync(staged)
      ? []
      : [{ target, staged, aside: asideOf(target, now), isData: name === "data" }],
  );
  for (const { staged = "" } of moves) syncTree(staged);
  await requireClosed(databaseFile(home));
  await swap(home, { at: isoTime(now), moves });
  return {
    at: manifest.at,
    files: manifest.files.length,
    events,
    replaced: moves.filter(({ aside }) => existsSync(aside)).map(({ target, aside }) => ({ target, aside })),
    left: manifest.memories.filter(({ name }) => !roots.has(name)).map(({ work }) => work),
  };
}

const asideOf = (target: string, now: number) => `${target}.replaced-${isoTime(now).replace(/[:.]/g, "-")}`;

interface SetRoot {
  readonly staged: string;
  /** The folder whose place it takes; absent for what is part of the staged data folder. */
  readonly target?: string;
}

const realOrResolved = (folder: string) => (existsSync(folder) ? realpathSync(folder) : path.resolve(folder));

/** Where each part of the set goes, decided by this machine, never by the paths in the set. */
function rootsOf(manifest: Manifest, { home, memoryOf, withConfig }: RestoreRequest): Map<string, SetRoot> {
  // A folder that is reached through a link stays where it is; the link is left alone.
  const beside = (target: string): SetRoot => ({
    target: realOrResolved(target),
    staged: realOrResolved(target) + STAGED,
  });
  const data = beside(home.data);
  const roots = new Map([["data", data]]);
  if (withConfig) roots.set("config", beside(home.config));
  const taken = new Set([home.data, home.config].map(realOrResolved));
  for (const { name, work } of manifest.memories) {
    const folder = path.isAbsolute(work) ? memoryOf(work) : undefined;
    if (folder === undefined || taken.has(realOrResolved(folder))) continue;
    taken.add(realOrResolved(folder));
    const below = path.relative(home.data, folder).split(path.sep);
    const isInside = dataParts.includes(below[0] ?? "");
    const place = `${["data", ...below].join("/")}/`;
    if (!isInside) roots.set(name, beside(folder));
    else if (!manifest.files.some((file) => file.path.startsWith(place)))
      roots.set(name, { staged: path.join(data.staged, ...below) });
  }
  return roots;
}

function stage(from: string, manifest: Manifest, roots: ReadonlyMap<string, SetRoot>) {
  for (const { staged } of roots.values()) removeTree(staged);
  for (const file of manifest.files) {
    const [root = "", ...below] = file.path.split("/");
    const place = roots.get(root);
    if (!place) continue;
    // Compared once more while it is copied: what was checked may have been replaced since.
    requireSame(from, file, copyHashed(locate(from, file), path.join(place.staged, ...below)));
  }
}

/** Finishes a restore that was interrupted after its point of no return. */
export async function finishRestore(home: Home) {
  if (isSwapOpen(home)) await finishSwap(home);
}

/** Takes the last restore back; what it had put in place is kept aside in turn. */
export async function undoRestore(home: Home, now: number): Promise<RestoredSet["replaced"]> {
  await finishRestore(home);
  return withLock(upkeepLock(home), async () => {
    const last = lastSwap(home);
    const isThere = last?.moves.some(({ aside }) => existsSync(aside)) === true;
    if (!last || !isThere) {
      throw notFoundError(
        "there is no restore that could be taken back",
        "`throughline data restore BACKUP` puts a backup in place",
      );
    }
    await requireClosed(databaseFile(home));
    const moves = last.moves.map(
      ({ target, aside, isData = false }): Move => ({
        ...{ target, aside: asideOf(target, now), isData },
        ...(existsSync(aside) && { staged: aside }),
      }),
    );
    await swap(home, { at: isoTime(now), moves });
    return moves.map(({ target, aside }) => ({ target, aside }));
  });
}
