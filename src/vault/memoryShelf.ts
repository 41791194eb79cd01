// A shelf that lasts as long as the process: for replay, for tests, for trying a policy.
import type { OriginEntry } from "./model.ts";
import { originKey } from "./originLine.ts";
import type { Shelf } from "./shelf.ts";

export function memoryShelf(): Shelf {
  const blobs = new Map<string, { content: Uint8Array; writtenAt: number }>();
  const origins = new Map<string, OriginEntry>();

  const writeBlob: Shelf["writeBlob"] = (sha256, content, now) => {
    blobs.set(sha256, { content: blobs.get(sha256)?.content ?? copy(content), writtenAt: now });
  };

  return {
    writeBlob,
    writeBlobs: async (many, now) => {
      for (const { sha256, content } of many) writeBlob(sha256, content, now);
    },
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
      const bytes = blob.content.length;
      return { sha256, bytes, storedBytes: bytes, writtenAt: blob.writtenAt };
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
function copy(content: Uint8Array): Uint8Array {
  return new Uint8Array(content);
}
