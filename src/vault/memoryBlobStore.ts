// A shelf that lasts as long as the process: for replay, for tests, for trying a policy.
import { type BlobContent, isList } from "./blobFormat.ts";
import type { Shelf } from "./blobStore.ts";
import type { OriginEntry } from "./model.ts";
import { originKey } from "./originLine.ts";

export function memoryShelf(): Shelf {
  const blobs = new Map<string, { content: BlobContent; writtenAt: number }>();
  const origins = new Map<string, OriginEntry>();

  const writeNow: Shelf["writeNow"] = (many, now) => {
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
      if (blob === undefined) return undefined;
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
