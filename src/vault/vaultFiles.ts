// Several files at once, each whole or absent at every instant: their bytes go to the disk side by side, not one by one.

import { randomBytes } from "node:crypto";
import { fsyncSync, promises, readdirSync, renameSync, writeFileSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import path from "node:path";
import { ensureFolder, removeFile, syncFolder, systemErrorCode, tolerating, withFile } from "../lib/index.ts";

export interface FileToWrite {
  readonly file: string;
  readonly bytes: Uint8Array;
}

const FILES_AT_ONCE = 8;
/** What a folder says that cannot be synced; Windows cannot even open one. */
const unsyncableFolderErrors = ["EACCES", "EPERM", "EINVAL", "ENOTSUP", "EISDIR"];

async function synced(handle: FileHandle, work: (handle: FileHandle) => Promise<unknown>) {
  try {
    await work(handle);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function temporaryFor(file: string) {
  const folder = path.dirname(file);
  ensureFolder(folder);
  return path.join(folder, `.${path.basename(file)}.${randomBytes(6).toString("hex")}.tmp`);
}

async function writeOne({ file, bytes }: FileToWrite) {
  const temporary = temporaryFor(file);
  try {
    await synced(await promises.open(temporary, "wx", 0o600), (handle) => handle.writeFile(bytes));
    await promises.rename(temporary, file);
  } catch (error) {
    await promises.rm(temporary, { force: true });
    throw error;
  }
}

async function syncFolderAsync(folder: string) {
  if (process.platform === "win32") return;
  try {
    await synced(await promises.open(folder, "r"), async () => undefined);
  } catch (error) {
    if (!unsyncableFolderErrors.includes(systemErrorCode(error) ?? "")) throw error;
  }
}

async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>) {
  const left = [...items];
  const next = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, next));
}

/** Durable when it resolves. */
export async function writeTogether(files: readonly FileToWrite[]) {
  await eachOf(files, writeOne);
  await eachOf([...new Set(files.map(({ file }) => path.dirname(file)))], syncFolderAsync);
}

/**
 * The same before it returns. All are written before the first is synced: what one sync brings to the disk, the next
 * finds there, so that hundreds of files cost little more than one.
 */
export function writeTogetherNow(files: readonly FileToWrite[]) {
  const temporaries: { readonly file: string; readonly temporary: string }[] = [];
  try {
    for (const { file, bytes } of files) {
      const temporary = temporaryFor(file);
      temporaries.push({ file, temporary });
      writeFileSync(temporary, bytes, { flag: "wx", mode: 0o600 });
    }
    for (const { temporary } of temporaries) withFile(temporary, "r+", fsyncSync);
    for (const { file, temporary } of temporaries) renameSync(temporary, file);
  } catch (error) {
    for (const { temporary } of temporaries) removeFile(temporary);
    throw error;
  }
  for (const folder of new Set(files.map(({ file }) => path.dirname(file)))) syncFolder(folder);
}

const TEMPORARY = /^\..+\.[0-9a-f]+\.tmp$/;

/** Undefined when the file or folder does not exist; every other failure is thrown. */
export const whenPresent = <T>(access: () => T) => tolerating(access, "ENOENT");

/** The names in a folder; none when it does not exist (yet). */
export const listVaultFolder = (folder: string): readonly string[] =>
  whenPresent(() => readdirSync(folder)) ?? [];

/** Whether a name is that of an atomic write's temporary file. */
export function isTemporary(name: string) {
  return TEMPORARY.test(name);
}

export function isTemporaryOf(target: string, name: string) {
  return isTemporary(name) && name.startsWith(`.${target}.`);
}
