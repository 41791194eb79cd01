// Files that survive a crash at any instant: whole or absent, private from their creation.
import { randomBytes } from "node:crypto";
import { closeSync, constants, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import path from "node:path";

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

export function ensureFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
}

function writeWhole(fd: number, bytes: Uint8Array): void {
  let offset = 0;
  while (offset < bytes.length) offset += writeSync(fd, bytes, offset);
}

/** Makes a rename durable. Windows cannot open folders, and its renames are journalled. */
function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const fd = openSync(folder, constants.O_RDONLY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Replaces `file` by `data`: a reader sees the old bytes or the new ones, never a part. */
export function writeFileAtomic(file: string, data: string | Uint8Array): void {
  const folder = path.dirname(file);
  ensureFolder(folder);
  const temporary = path.join(folder, `.${path.basename(file)}.${randomBytes(6).toString("hex")}.tmp`);
  const bytes = typeof data === "string" ? Buffer.from(data, "utf8") : data;
  try {
    const fd = openSync(temporary, "wx", PRIVATE_FILE);
    try {
      writeWhole(fd, bytes);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(folder);
}

/**
 * Appends whole lines in one write, so that several processes can share the file.
 * A line left torn by a crashed writer is closed first: it becomes one bad line, never a bad neighbour.
 */
export function appendLines(file: string, lines: readonly string[], options: { sync?: boolean } = {}): void {
  if (lines.length === 0) return;
  ensureFolder(path.dirname(file));
  const fd = openSync(file, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, PRIVATE_FILE);
  try {
    // A leading newline costs one byte and needs no read of the tail: readers skip empty lines.
    const bytes = Buffer.from(`\n${lines.join("\n")}\n`, "utf8");
    writeWhole(fd, bytes);
    if (options.sync !== false) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
