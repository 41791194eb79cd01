// Long files written in pieces: grown in place, or put together beside their place and moved there whole.
import { createReadStream, createWriteStream, linkSync, renameSync, statSync, utimesSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { PRIVATE_FILE, removeFile, statIfThere, systemErrorCode } from "../lib/index.ts";

const COPY_CHUNK_BYTES = 1024 * 1024;
const HEAD_BYTES = 64 * 1024;

/** Undefined for anything but a plain file. */
export function fileSize(file: string) {
  const found = statIfThere(file);
  return found?.isFile() ? found.size : undefined;
}

/** Opens a file for some work and closes it again. */
async function withFileHandle<T>(file: string, flags: string, work: (handle: FileHandle) => Promise<T>) {
  const handle = await open(file, flags, PRIVATE_FILE);
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}

const readAt = (file: string, position: number, length: number) =>
  withFileHandle(file, "r", async (handle) => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  });

/** The beginning of a file, where its header is. */
export const readHead = (file: string): Promise<Buffer> => readAt(file, 0, HEAD_BYTES);

export async function endsWith(file: string, ending: string) {
  const wanted = Buffer.from(ending);
  const from = (fileSize(file) ?? 0) - wanted.length;
  return from >= 0 && (await readAt(file, from, wanted.length)).equals(wanted);
}

/** A piece of a file that is being put together. */
type FilePiece = string | { readonly file: string; readonly from: number; readonly length: number };

async function writePieces(handle: FileHandle, pieces: readonly FilePiece[], start: number) {
  let at = start;
  const put = async (bytes: Buffer) => {
    for (let done = 0; done < bytes.length; )
      done += (await handle.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
    at += bytes.length;
  };
  for (const piece of pieces) {
    if (typeof piece === "string") await put(Buffer.from(piece));
    else if (piece.length > 0) {
      const { file, from, length } = piece;
      const stream = createReadStream(file, {
        start: from,
        end: from + length - 1,
        highWaterMark: COPY_CHUNK_BYTES,
      });
      for await (const chunk of stream) await put(chunk);
    }
  }
}

/** Replaces what lies behind `at` by the pieces; on disk when it resolves. */
export async function growFile(file: string, at: number, pieces: readonly FilePiece[]) {
  await withFileHandle(file, "r+", async (handle) => {
    // Cut first: whatever happens meanwhile, nothing old is left behind what is new.
    await handle.truncate(at);
    await writePieces(handle, pieces, at);
    await handle.sync();
  });
}

interface MoveOptions {
  /** On the same file system; not used by another process at the same time. */
  readonly temporary: string;
  /** Gives false instead of replacing a file that is there already. */
  readonly fresh?: boolean;
}

/** Writes a whole file in a place of its own and moves it where it belongs. */
export async function composeFile(
  file: string,
  pieces: readonly FilePiece[],
  { temporary, fresh = false }: MoveOptions,
) {
  await withFileHandle(temporary, "w", async (handle) => {
    await writePieces(handle, pieces, 0);
    await handle.sync();
  });
  const isMoved = !fresh || placeFresh(temporary, file);
  if (!fresh) renameSync(temporary, file);
  removeFile(temporary);
  await syncFolder(path.dirname(file));
  return isMoved;
}

function placeFresh(temporary: string, file: string) {
  try {
    linkSync(temporary, file);
  } catch (error) {
    // Some file systems have no links; there the look and the move are two steps.
    if (systemErrorCode(error) === "EEXIST" || fileSize(file) !== undefined) return false;
    renameSync(temporary, file);
  }
  return true;
}

async function syncFolder(folder: string) {
  if (process.platform === "win32") return;
  await withFileHandle(folder, "r", (handle) =>
    handle.sync().catch((error: unknown) => {
      // Not every file system can; the file itself is on disk.
      if (!["EINVAL", "ENOTSUP", "EPERM", "EACCES"].includes(systemErrorCode(error) ?? "")) throw error;
    }),
  );
}

export const COMPRESSED = ".gz";

/** Puts `file.gz` in the place of `file`. */
export const compressFile = (file: string, temporary: string) =>
  throughGzip(file, file + COMPRESSED, createGzip({ level: 9 }), temporary);

/** Puts `file` in the place of `file.gz`. */
export const expandFile = (file: string, temporary: string) =>
  throughGzip(file + COMPRESSED, file, createGunzip(), temporary);

async function throughGzip(from: string, to: string, change: NodeJS.ReadWriteStream, temporary: string) {
  const target = createWriteStream(temporary, { flags: "w", mode: PRIVATE_FILE, flush: true });
  await pipeline(createReadStream(from), change, target);
  // In another form it is no newer: the oldest are the first to go.
  const { atime, mtime } = statSync(from);
  utimesSync(temporary, atime, mtime);
  renameSync(temporary, to);
  await syncFolder(path.dirname(to));
  removeFile(from);
}
