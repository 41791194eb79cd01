// Long files written in pieces: grown in place, or put together beside their place and moved there whole.
import { constants, createReadStream, createWriteStream, linkSync, renameSync, rmSync } from "node:fs";
import { type FileHandle, open, stat, utimes } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { systemErrorCode } from "../lib/index.ts";

const PRIVATE_FILE = 0o600;
const CHUNK_BYTES = 1024 * 1024;
const HEAD_BYTES = 64 * 1024;

export async function fileSize(file: string) {
  try {
    const found = await stat(file);
    return found.isFile() ? found.size : undefined;
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** The beginning of a file, where its header is. */
export async function readHead(file: string): Promise<Buffer> {
  const handle = await open(file, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

export async function endsWith(file: string, ending: string) {
  const wanted = Buffer.from(ending);
  const size = (await fileSize(file)) ?? 0;
  if (size < wanted.length) return false;
  const handle = await open(file, "r");
  try {
    const { buffer } = await handle.read(Buffer.alloc(wanted.length), 0, wanted.length, size - wanted.length);
    return buffer.equals(wanted);
  } finally {
    await handle.close();
  }
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
        highWaterMark: CHUNK_BYTES,
      });
      for await (const chunk of stream) await put(chunk);
    }
  }
  return at;
}

/** Replaces what lies behind `at` by the pieces; on disk when it resolves. */
export async function growFile(file: string, at: number, pieces: readonly FilePiece[]) {
  const handle = await open(file, "r+");
  try {
    // Cut first: whatever happens meanwhile, nothing old is left behind what is new.
    await handle.truncate(at);
    await writePieces(handle, pieces, at);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes a whole file in a place of its own and moves it where it belongs. */
interface MoveOptions {
  /** On the same file system; not used by another process at the same time. */
  readonly temporary: string;
  /** Gives false instead of replacing a file that is there already. */
  readonly fresh?: boolean;
}

export async function composeFile(
  file: string,
  pieces: readonly FilePiece[],
  { temporary, fresh = false }: MoveOptions,
) {
  const handle = await open(temporary, "w", PRIVATE_FILE);
  try {
    await writePieces(handle, pieces, 0);
    await handle.sync();
  } finally {
    await handle.close();
  }
  const moved = fresh ? await moveInto(temporary, file) : replaceBy(temporary, file);
  rmSync(temporary, { force: true });
  await syncFolder(path.dirname(file));
  return moved;
}

function replaceBy(temporary: string, file: string): true {
  renameSync(temporary, file);
  return true;
}

async function moveInto(temporary: string, file: string) {
  try {
    linkSync(temporary, file);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === "EEXIST") return false;
    // Some file systems have no links; there the look and the move are two steps.
    if ((await fileSize(file)) !== undefined) return false;
    return replaceBy(temporary, file);
  }
}

async function syncFolder(folder: string) {
  if (process.platform === "win32") return;
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } catch (error) {
    // Not every file system can; the file itself is on disk.
    if (!["EINVAL", "ENOTSUP", "EPERM", "EACCES"].includes(systemErrorCode(error) ?? "")) throw error;
  } finally {
    await handle.close();
  }
}

export const COMPRESSED = ".gz";

/** Puts `file.gz` in the place of `file`. */
export async function compressFile(file: string, temporary: string) {
  await throughGzip(file, `${file}${COMPRESSED}`, createGzip({ level: 9 }), temporary);
  rmSync(file, { force: true });
}

/** Puts `file` in the place of `file.gz`. */
export async function expandFile(file: string, temporary: string) {
  await throughGzip(`${file}${COMPRESSED}`, file, createGunzip(), temporary);
  rmSync(`${file}${COMPRESSED}`, { force: true });
}

async function throughGzip(from: string, to: string, change: NodeJS.ReadWriteStream, temporary: string) {
  const target = createWriteStream(temporary, { flags: "w", mode: PRIVATE_FILE, flush: true });
  await pipeline(createReadStream(from), change, target);
  // In another form it is no newer: the oldest are the first to go.
  const { atime, mtime } = await stat(from);
  await utimes(temporary, atime, mtime);
  renameSync(temporary, to);
  await syncFolder(path.dirname(to));
}
