// Files that survive a crash at any instant: whole or absent, private from their creation.

import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import path from "node:path";
import { systemErrorCode, tolerating } from "./errors.ts";
import { parseJson } from "./json.ts";

/** The mode of every file that holds data of the user. */
export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/** Makes a folder and what is missing above it; what it made survives a crash of the machine. */
export function ensureFolder(folder: string) {
  const first = mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  if (first === undefined) return;
  // A folder is there for good once the one that holds it is on disk.
  const top = path.dirname(path.resolve(first));
  for (let holder = path.dirname(path.resolve(folder)); ; holder = path.dirname(holder)) {
    syncFolder(holder);
    if (holder.length <= top.length) return;
  }
}

function writeWhole(fd: number, bytes: Uint8Array) {
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(fd, bytes, offset);
}

/** Closes the file after use. */
export function withFile<T>(
  file: string,
  flags: string | number,
  use: (fd: number) => T,
  mode = PRIVATE_FILE,
): T {
  const fd = openSync(file, flags, mode);
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

/** The bytes of an open file from a position on; fewer where the file ends. */
export function readBytes(fd: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  for (let count = -1; count !== 0 && filled < length; filled += count)
    count = readSync(fd, bytes, filled, length - filled, from + filled);
  return bytes.subarray(0, filled);
}

/** Makes a file, which is on the disk when it returns. */
export function writeDurably(file: string, bytes: Uint8Array, mode: number) {
  const write = (fd: number) => {
    writeWhole(fd, bytes);
    fsyncSync(fd);
  };
  withFile(file, "wx", write, mode);
}

/** What a folder says when it cannot be synced: not readable, or on a file system that has no such thing. */
const unsyncable = ["EACCES", "EPERM", "EINVAL", "ENOTSUP"];

/** Makes the names in a folder durable, where that can be asked for. Windows cannot open folders. */
export function syncFolder(folder: string) {
  if (process.platform !== "win32") syncPlace(folder, "r");
}

export function syncPlace(place: string, flags: string) {
  tolerating(() => withFile(place, flags, fsyncSync), ...unsyncable);
}

/** Writes `data` beside `file` and has `place` bring it there. */
function writeTemporary(file: string, data: string | Uint8Array, place: (temporary: string) => boolean) {
  const folder = path.dirname(file);
  ensureFolder(folder);
  const temporary = path.join(folder, `.${path.basename(file)}.${randomBytes(6).toString("hex")}.tmp`);
  const bytes = typeof data === "string" ? Buffer.from(data, "utf8") : data;
  try {
    writeDurably(temporary, bytes, PRIVATE_FILE);
    const isPlaced = place(temporary);
    if (isPlaced) syncFolder(folder);
    return isPlaced;
  } finally {
    // After a rename there is none.
    rmSync(temporary, { force: true });
  }
}

/** Replaces `file` by `data`: a reader sees the old bytes or the new ones, never a part. */
export function writeFileAtomic(file: string, data: string | Uint8Array) {
  writeTemporary(file, data, (temporary) => {
    renameSync(temporary, file);
    return true;
  });
}

/** What a file system without hard links says. */
const unlinkable = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

/** Makes `file`, whole, unless there is one: then it stays, and the answer is false. Of several processes one succeeds. */
export function createFileAtomic(file: string, data: string | Uint8Array) {
  return writeTemporary(file, data, (temporary) => {
    try {
      linkSync(temporary, file);
      return true;
    } catch (error) {
      const code = systemErrorCode(error) ?? "";
      if (code === "EEXIST") return false;
      if (!unlinkable.includes(code)) throw error;
      if (existsSync(file)) return false;
      renameSync(temporary, file);
      return true;
    }
  });
}

/**
 * Appends whole lines in one write, so that several processes can share the file.
 * A line left torn by a crashed writer is closed first: it becomes one bad line, never a bad neighbour.
 */
export function appendLines(file: string, lines: readonly string[], options: { sync?: boolean } = {}) {
  if (lines.length === 0) return;
  ensureFolder(path.dirname(file));
  withFile(file, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, (fd) => {
    // A leading newline costs one byte and needs no read of the tail: readers skip empty lines.
    const bytes = Buffer.from(`\n${lines.join("\n")}\n`, "utf8");
    const isNew = fstatSync(fd).size === 0;
    writeWhole(fd, bytes);
    if (options.sync === false) return;
    fsyncSync(fd);
    if (isNew) syncFolder(path.dirname(file));
  });
}

/** Undefined when the file does not exist; throws every other error. */
export function readIfThere(file: string) {
  return tolerating(() => readFileSync(file, "utf8"), "ENOENT");
}

/** Undefined when the file cannot be read, for any reason. */
export function readIfPossible(file: string) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/**
 * Text of a file that strangers may have put there, in a repository for example: undefined unless it is a plain file, or
 * a link to one, of at most `mostBytes`. A pipe is not waited for, and a device is not read.
 */
export function readForeign(file: string, mostBytes: number) {
  try {
    return withFile(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0), (fd) => {
      const facts = fstatSync(fd);
      return facts.isFile() && facts.size <= mostBytes ? readFileSync(fd, "utf8") : undefined;
    });
  } catch {
    return undefined;
  }
}

/** The names in a folder; none where there is no such folder. Throws what the system refuses for any other reason. */
export function namesIn(folder: string) {
  return tolerating(() => readdirSync(folder), "ENOENT", "ENOTDIR") ?? [];
}

/** Follows links; undefined when there is no such file. */
export function statIfThere(file: string): Stats | undefined {
  return statSync(file, { throwIfNoEntry: false });
}

/** Of a link itself, not of what it leads to; undefined when there is no such file. */
export function lstatIfThere(file: string): Stats | undefined {
  return lstatSync(file, { throwIfNoEntry: false });
}

/** In bytes; 0 where there is no file. */
export function fileSize(file: string) {
  return statIfThere(file)?.size ?? 0;
}

/** Removes a file if it is there. */
export function removeFile(file: string) {
  rmSync(file, { force: true });
}

/** Removes a folder with all that is below it, if it is there. A process that is ending may still write into it: some more tries. */
export function removeTree(folder: string) {
  for (let triesLeft = 20; triesLeft > 0; triesLeft--) {
    try {
      return rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if (systemErrorCode(error) !== "ENOTEMPTY") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    }
  }
  rmSync(folder, { recursive: true, force: true });
}

/** The value in a JSON file; undefined where there is no file, or no JSON in it. */
export function readJson(file: string): unknown {
  return parseJson(readIfThere(file) ?? "");
}

/** Replaces the file by the value and a newline, as `writeFileAtomic` does. */
export function writeJson(file: string, value: unknown, indent?: number) {
  writeFileAtomic(file, `${JSON.stringify(value, null, indent)}\n`);
}

/** Makes a folder and what is missing above it, and does not sync. */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, PRIVATE_FOLDER);
    return;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || path.dirname(folder) === folder) throw error;
  }
  makeFolder(path.dirname(folder));
  // Another process may have made it in between.
  tolerating(() => mkdirSync(folder, PRIVATE_FOLDER), "EEXIST");
}

/** The user of this process; undefined on Windows, where files have access lists instead of one owner and a mode. */
export const ownUser = () => process.getuid?.();

const OTHERS = 0o077;

/**
 * `private`: this user's, and closed to all others. `open`: this user's, and open to others. `foreign`: another user's.
 * A symbolic link has to be this user's as well as what it leads to.
 */
export function ownershipOf(file: string, user = ownUser()): "absent" | "foreign" | "open" | "private" {
  const entry = lstatIfThere(file);
  const target = entry?.isSymbolicLink() ? statIfThere(file) : entry;
  if (!entry || !target) return "absent";
  if (user === undefined) return "private";
  if (entry.uid !== user || target.uid !== user) return "foreign";
  return (target.mode & OTHERS) === 0 ? "private" : "open";
}
