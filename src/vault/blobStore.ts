// The seam under the vault: a place that holds blobs and origins. Disk and memory are the two that exist.
import { type BlobContent, isList } from "./blobFormat.ts";
import type { OriginEntry } from "./model.ts";
import { originKey } from "./originFile.ts";

export interface BlobFacts {
  readonly sha256: string;
  /** The size of the content; undefined when the file is too damaged to tell. */
  readonly bytes: number | undefined;
  /** Whether it is put together from parts. */
  readonly isList: boolean;
  readonly storedBytes: number;
  readonly writtenAt: number;
}

export interface NewBlob {
  readonly sha256: string;
  readonly content: BlobContent;
}

export interface Blobs {
  /** Durable when it returns. Content already held intact is only marked as written at `now`. */
  writeNow(blobs: readonly NewBlob[], now: number): void;
  /** The same without holding up the process. Durable when it resolves. */
  writeBlobs(blobs: readonly NewBlob[], now: number): Promise<void>;
  /** Undefined when absent, `"damaged"` when it cannot be decoded. The hash is checked by the vault. */
  readBlob(sha256: string): BlobContent | "damaged" | undefined;
  /** Also removes what killed writers left of it. With `writtenAt`, leaves a blob that was written again since. */
  removeBlob(sha256: string, writtenAt?: number): boolean;
  /** Every hash that begins with these hex digits. */
  hashes(prefix: string): readonly string[];
  facts(sha256: string): BlobFacts | undefined;
  /** What an error message calls the blob. */
  fileOf(sha256: string): string;
}

export interface Origins {
  /** Each origin once; within a session in the order of recording. */
  origins(session?: string): readonly OriginEntry[];
  /** Durable when it returns; origins that are known already are not recorded again. */
  addOrigins(entries: readonly OriginEntry[]): void;
  /** Returns how many were removed. */
  removeOrigins(doomed: (entry: OriginEntry) => boolean): number;
}

/** Decides nothing: which blobs and which origins is the vault's business. */
export interface BlobStore extends Blobs, Origins {
  /** Temporary files of killed writers, last touched before this time. */
  strays(before: number): readonly string[];
  removeStray(stray: string): void;
}

export function memoryBlobStore(): BlobStore {
  const blobs = new Map<string, { content: BlobContent; writtenAt: number }>();
  const origins = new Map<string, OriginEntry>();

  const writeNow: BlobStore["writeNow"] = (many, now) => {
    for (const { sha256, content } of many)
      blobs.set(sha256, { content: blobs.get(sha256)?.content ?? copy(content), writtenAt: now });
  };

  return {
    writeNow,
    writeBlobs: async (many, now) => writeNow(many, now),
    readBlob(sha256) {
      const blob = blobs.get(sha256);
      return blob && copy(blob.content);
    },
    removeBlob(sha256, writtenAt) {
      if (writtenAt !== undefined && blobs.get(sha256)?.writtenAt !== writtenAt) return false;
      return blobs.delete(sha256);
    },
    hashes: (prefix) => [...blobs.keys()].filter((sha256) => sha256.startsWith(prefix)),
    facts(sha256) {
      const blob = blobs.get(sha256);
      if (!blob) return undefined;
      const { content, writtenAt } = blob;
      if (!isList(content))
        return { sha256, bytes: content.length, isList: false, storedBytes: content.length, writtenAt };
      const storedBytes = JSON.stringify(content.entries).length;
      return { sha256, bytes: content.bytes, isList: true, storedBytes, writtenAt };
    },
    fileOf: (sha256) => `memory:${sha256}`,
    origins(session) {
      const all = [...origins.values()];
      return session === undefined ? all : all.filter((entry) => entry.session === session);
    },
    addOrigins(entries) {
      for (const entry of entries) {
        const key = originKey(entry);
        if (!origins.has(key)) origins.set(key, entry);
      }
    },
    removeOrigins(doomed) {
      const gone = [...origins].filter(([, entry]) => doomed(entry));
      for (const [key] of gone) origins.delete(key);
      return gone.length;
    },
    strays: () => [],
    removeStray: () => undefined,
  };
}

/** The caller may go on to change its array. (`slice` of a Buffer would share the memory.) */
function copy(content: BlobContent): BlobContent {
  return isList(content) ? content : new Uint8Array(content);
}
