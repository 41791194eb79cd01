// Makes a backup set: database, ledgers, notes, memories and vault, in an order in which nothing that is named is missing.
import { existsSync, renameSync, statfsSync } from "node:fs";
import path from "node:path";
import { databaseFile, type Home, upkeepLock } from "../home/index.ts";
import {
  ensureFolder,
  fileSize,
  isoTime,
  namesIn,
  ownVersion,
  removeTree,
  statIfThere,
  sumOf,
  syncFolder,
  ThroughlineError,
  tolerating,
  usageError,
  withLock,
  writeJson,
} from "../lib/index.ts";
import { openStore, requireIntact } from "../store/index.ts";
import { copyHashed, filesBelow, syncTree } from "./copy.ts";
import {
  dataParts,
  MANIFEST,
  type Manifest,
  SET_DATABASE,
  type SetFile,
  type SetMemory,
} from "./manifest.ts";

export interface SetProgress {
  readonly files: number;
  readonly bytes: number;
}

export interface MadeSet extends SetProgress {
  readonly folder: string;
}

export interface SetRequest {
  readonly home: Home;
  /** A folder that does not exist yet. */
  readonly target: string;
  readonly now: number;
  /** The memory folder of a folder of work, by this machine's own settings. */
  readonly memoryOf: (work: string) => string | undefined;
  readonly onProgress?: (progress: SetProgress) => void;
}

const UNFINISHED = ".unfinished";
const SET_NAME = /^throughline-backup-.+\.unfinished$/;

export async function makeSet(request: SetRequest): Promise<MadeSet> {
  const { home, target } = request;
  if (existsSync(target)) throw usageError(`${target} exists already`, "name a folder that does not exist");
  return withLock(upkeepLock(home), () => makeUnderLock(request));
}

async function makeUnderLock(request: SetRequest): Promise<MadeSet> {
  const { home, target, now } = request;
  const unfinished = target + UNFINISHED;
  const parent = path.dirname(target);
  ensureFolder(parent);
  removeUnfinished(parent, unfinished);
  requireSpace(home, parent);
  ensureFolder(path.join(unfinished, "data"));
  try {
    const made = await fill(unfinished, request);
    const manifest: Manifest = {
      throughline: "backup",
      version: 1,
      at: isoTime(now),
      writer: ownVersion,
      ...made,
    };
    writeJson(path.join(unfinished, MANIFEST), manifest, 1);
    syncTree(unfinished);
    renameSync(unfinished, target);
    syncFolder(parent);
    return { folder: target, ...setProgress(made.files) };
  } catch (error) {
    removeTree(unfinished);
    throw error;
  }
}

const setProgress = (files: readonly SetFile[]): SetProgress => ({
  files: files.length,
  bytes: sumOf(files, ({ bytes }) => bytes),
});

/** Called under the lock: an unfinished set was left by a process that was killed. */
function removeUnfinished(parent: string, own: string) {
  const left = namesIn(parent).filter((name) => SET_NAME.test(name));
  for (const name of [own, ...left.map((one) => path.join(parent, one))]) removeTree(name);
}

function requireSpace(home: Home, folder: string) {
  const database = databaseFile(home);
  const files = dataParts.flatMap((part) => filesBelow(path.join(home.data, part)));
  const needed = sumOf([database, `${database}-wal`, ...files], fileSize);
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize > needed * 1.05) return;
  throw new ThroughlineError(
    "disk-full",
    `a backup needs ${needed} bytes, and ${bavail * bsize} are free in ${folder}`,
    "make room, or name a folder on another disk: throughline data backup FOLDER",
  );
}

/**
 * Database first, blobs last. Ledgers and origins name blobs that were there before them, and nothing is deleted
 * meanwhile: so whatever the set names is in it.
 */
async function fill(unfinished: string, request: SetRequest): Promise<Pick<Manifest, "memories" | "files">> {
  const { home, memoryOf, onProgress } = request;
  const files: SetFile[] = [];
  let bytes = 0;
  const add = (file: SetFile) => {
    files.push(file);
    bytes += file.bytes;
    onProgress?.({ files: files.length, bytes });
  };
  const copyTree = (folder: string, name: string) => {
    for (const file of filesBelow(folder)) copyOne(file, path.relative(folder, file), name);
  };
  const copyOne = (file: string, below: string, name: string) => {
    const listed = [name, ...below.split(path.sep)].join("/");
    const wholeLines = file.endsWith(".jsonl");
    // It was there when the folder was listed, and may have been replaced or removed since.
    const copied = tolerating(() => copyHashed(file, path.join(unfinished, listed), wholeLines), "ENOENT");
    if (copied) add({ path: listed, ...copied });
  };
  const works = await copyDatabaseInto(unfinished, home, add);
  for (const part of dataParts.filter((one) => one !== "vault")) {
    const place = path.join(home.data, part);
    if (statIfThere(place)?.isFile()) copyOne(place, part, "data");
    else copyTree(place, `data/${part}`);
  }
  const memories = outsideMemories(home, works, memoryOf);
  for (const { folder, name } of memories) copyTree(folder, name);
  copyTree(home.config, "config");
  copyTree(path.join(home.data, "vault", "origins"), "data/vault/origins");
  copyTree(path.join(home.data, "vault", "blobs"), "data/vault/blobs");
  return { memories, files };
}

/** Gives the folders of work that the store knows. */
async function copyDatabaseInto(unfinished: string, home: Home, add: (file: SetFile) => void) {
  const copy = path.join(unfinished, SET_DATABASE);
  const store = await openStore({ file: databaseFile(home), mustExist: true, readOnly: true });
  try {
    await store.backup(copy);
    await requireIntact(copy);
    add({ path: SET_DATABASE, ...copyHashed(copy) });
    return (await store.workFolders()).map(({ folder }) => folder);
  } finally {
    await store.close();
  }
}

/** Memory folders that are not in the data folder, each once. */
function outsideMemories(
  home: Home,
  works: readonly string[],
  memoryOf: SetRequest["memoryOf"],
): readonly SetMemory[] {
  const found = new Map<string, string>();
  for (const work of works) {
    const folder = memoryOf(work);
    const isInside = folder?.startsWith(home.data + path.sep) === true;
    if (folder !== undefined && !isInside && existsSync(folder) && !found.has(folder))
      found.set(folder, work);
  }
  return [...found].map(([folder, work], at) => ({ name: `memory-${at + 1}`, work, folder }));
}
