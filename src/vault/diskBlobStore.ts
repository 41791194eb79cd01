// A store in a folder that several processes share: blobs/ab/<sha256> and origins/<session>.jsonl.

import { fstatSync, readFileSync, readSync, statSync, utimesSync } from "node:fs";
import path from "node:path";
import { safeName } from "../home/index.ts";
import { sha256 as hash, removeFile, withFile } from "../lib/index.ts";
import { type BlobContent, HEADER_BYTES, isList, packBlob, packedFacts, unpackBlob } from "./blobFormat.ts";
import type { BlobFacts, BlobStore, Blobs, NewBlob, Origins } from "./blobStore.ts";
import { groupOrigins } from "./handle.ts";
import { type OriginFile, openOriginFile } from "./originFile.ts";
import {
  type FileToWrite,
  isTemporary,
  isTemporaryOf,
  listVaultFolder,
  whenPresent,
  writeTogether,
  writeTogetherNow,
} from "./vaultFiles.ts";

/** Creates nothing before the first write. */
export function diskBlobStore(folder: string): BlobStore {
  const blobs = path.join(folder, "blobs");
  const origins = path.join(folder, "origins");
  return {
    ...diskBlobs(blobs),
    ...diskOrigins(origins),
    strays(before) {
      const folders = [...listVaultFolder(blobs).map((shard) => path.join(blobs, shard)), origins];
      return folders
        .flatMap((place) => listVaultFolder(place).map((name) => path.join(place, name)))
        .filter((file) => isTemporary(path.basename(file)) && isOlderThan(file, before));
    },
    removeStray: (stray) => removeFile(stray),
  };
}

function isOlderThan(file: string, before: number) {
  const stat = whenPresent(() => statSync(file));
  return stat !== undefined && stat.mtimeMs < before;
}

const SHARD_DIGITS = 2;
const SHARD = /^[0-9a-f]{2}$/;
const BLOB = /^[0-9a-f]{64}$/;

function diskBlobs(folder: string): Blobs {
  const verified = new Set<string>();
  const shardOf = (sha256: string) => path.join(folder, sha256.slice(0, SHARD_DIGITS));
  const fileOf = (sha256: string) => path.join(shardOf(sha256), sha256);

  function readBlob(sha256: string) {
    const file = whenPresent(() => readFileSync(fileOf(sha256)));
    return file && (unpackBlob(file) ?? "damaged");
  }

  const isIntact = (blob: NewBlob) => verified.has(blob.sha256) || isStored(blob, readBlob(blob.sha256));

  const missing = (blobs: readonly NewBlob[], now: number): readonly FileToWrite[] =>
    blobs
      .filter((blob) => !markWritten(fileOf(blob.sha256), now) || !isIntact(blob))
      .map(({ sha256, content }) => ({ file: fileOf(sha256), bytes: packBlob(content) }));

  function written(files: readonly FileToWrite[], blobs: readonly NewBlob[], now: number) {
    for (const { file } of files) markWritten(file, now);
    for (const { sha256 } of blobs) verified.add(sha256);
  }

  return {
    fileOf,
    readBlob,
    writeNow(blobs, now) {
      const files = missing(blobs, now);
      writeTogetherNow(files);
      written(files, blobs, now);
    },
    async writeBlobs(blobs, now) {
      const files = missing(blobs, now);
      await writeTogether(files);
      written(files, blobs, now);
    },
    removeBlob(sha256, writtenAt) {
      const file = fileOf(sha256);
      const found = whenPresent(() => statSync(file));
      if (writtenAt !== undefined && found && Math.round(found.mtimeMs) !== writtenAt) return false;
      verified.delete(sha256);
      const leftovers = listVaultFolder(shardOf(sha256)).filter((name) => isTemporaryOf(sha256, name));
      for (const name of leftovers) removeFile(path.join(shardOf(sha256), name));
      removeFile(file);
      return found !== undefined;
    },
    hashes(prefix) {
      const shards =
        prefix.length < SHARD_DIGITS
          ? listVaultFolder(folder).filter((name) => SHARD.test(name))
          : [prefix.slice(0, SHARD_DIGITS)];
      return shards
        .flatMap((shard) => listVaultFolder(path.join(folder, shard)))
        .filter((name) => BLOB.test(name) && name.startsWith(prefix));
    },
    facts: (sha256) => whenPresent(() => readFacts(sha256, fileOf(sha256))),
  };
}

/**
 * A blob that was damaged on disk is repaired by the next put; each is read for this once a process. A list is checked
 * by its own hash when it is decoded, and its parts are put together with it.
 */
function isStored({ sha256, content: wanted }: NewBlob, stored: BlobContent | "damaged" | undefined) {
  if (stored === undefined || stored === "damaged") return false;
  return isList(stored) ? isList(wanted) : hash(stored) === sha256;
}

/** Only the header is read. */
function readFacts(sha256: string, file: string): BlobFacts {
  return withFile(file, "r", (fd) => {
    const { size, mtimeMs } = fstatSync(fd);
    const header = Buffer.alloc(HEADER_BYTES);
    const count = readSync(fd, header, 0, HEADER_BYTES, 0);
    const packed = packedFacts(header.subarray(0, count));
    const writtenAt = Math.round(mtimeMs);
    return { sha256, bytes: packed?.bytes, isList: packed?.isList === true, storedBytes: size, writtenAt };
  });
}

/** False when there is no such file. The time on the file is what retention goes by. */
function markWritten(file: string, now: number) {
  const marked = whenPresent(() => {
    utimesSync(file, now / 1000, now / 1000);
    return true;
  });
  return marked ?? false;
}

const SUFFIX = ".jsonl";

function diskOrigins(folder: string): Origins {
  const opened = new Map<string, OriginFile>();

  function fileNamed(name: string) {
    const file = opened.get(name) ?? openOriginFile(path.join(folder, name));
    opened.set(name, file);
    return file;
  }

  function all() {
    return listVaultFolder(folder)
      .filter((name) => name.endsWith(SUFFIX) && !isTemporary(name))
      .map(fileNamed);
  }

  return {
    origins(session) {
      if (session === undefined) return all().flatMap((file) => file.entries());
      // Where the file system ignores case, two sessions may share a file.
      return fileNamed(fileNameOf(session))
        .entries()
        .filter((entry) => entry.session === session);
    },
    addOrigins: (entries) => {
      for (const [session, own] of groupOrigins(entries, "session")) fileNamed(fileNameOf(session)).add(own);
    },
    removeOrigins: (doomed) => all().reduce((removed, file) => removed + file.remove(doomed), 0),
  };
}

function fileNameOf(session: string) {
  return safeName(session) + SUFFIX;
}
