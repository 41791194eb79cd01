// Copies files with their hash, private from creation, and brings whole trees to the disk.
import { createHash } from "node:crypto";
import { constants, fstatSync, mkdirSync, readdirSync, readSync, writeSync } from "node:fs";
import path from "node:path";
import { syncFolder, syncPlace, tolerating, withFile } from "../lib/index.ts";

const COPY_CHUNK = 1_048_576;
const NEWLINE = 10;

interface Copied {
  readonly bytes: number;
  readonly sha256: string;
}

/** Follows no link. Without `to` the file is only read. */
export function copyHashed(from: string, to?: string, wholeLines = false): Copied {
  return withFile(from, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0), (source) => {
    const size = wholeLines ? endOfLastLine(source) : fstatSync(source).size;
    if (to === undefined) return pump(source, undefined, size);
    mkdirSync(path.dirname(to), { recursive: true, mode: 0o700 });
    return withFile(to, "wx", (target) => pump(source, target, size));
  });
}

function pump(source: number, target: number | undefined, size: number): Copied {
  const hash = createHash("sha256");
  const chunk = Buffer.alloc(Math.min(COPY_CHUNK, Math.max(1, size)));
  let bytes = 0;
  while (bytes < size) {
    const count = readSync(source, chunk, 0, Math.min(chunk.length, size - bytes), bytes);
    if (count === 0) break;
    const part = chunk.subarray(0, count);
    hash.update(part);
    for (let at = 0; target !== undefined && at < count; ) at += writeSync(target, part, at);
    bytes += count;
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** A line that is being appended is left for the next backup. */
function endOfLastLine(fd: number) {
  const { size } = fstatSync(fd);
  const chunk = Buffer.alloc(65_536);
  for (let end = size; end > 0; ) {
    const from = Math.max(0, end - chunk.length);
    const count = readSync(fd, chunk, 0, end - from, from);
    const at = chunk.subarray(0, count).lastIndexOf(NEWLINE);
    if (at >= 0) return from + at + 1;
    end = from;
  }
  return 0;
}

/** Temporary files and locks of writers; they are not copied. */
const temporaryNames = /^\..+\.tmp$|\.tmp$|\.lock$|^\.lock/;

/** The files below a folder, in a stable order; links and devices are left out. */
export function filesBelow(folder: string): string[] {
  const entries = tolerating(() => readdirSync(folder, { withFileTypes: true }), "ENOENT", "ENOTDIR") ?? [];
  return entries
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const place = path.join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(place);
      return entry.isFile() && !temporaryNames.test(entry.name) ? [place] : [];
    });
}

/** Everything below a folder is on the disk when it returns. */
export function syncTree(folder: string) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) syncTree(place);
    else syncPlace(place, "r+");
  }
  syncFolder(folder);
}
