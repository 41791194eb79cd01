// A shelf in a folder that several processes share: blobs/ab/<sha256> and origins/<session>.jsonl.
import { rmSync, statSync } from "node:fs";
import path from "node:path";
import type { Shelf } from "./blobStore.ts";
import { diskBlobs } from "./diskBlobs.ts";
import { diskOrigins } from "./diskOrigins.ts";
import { isTemporary, namesIn, whenPresent } from "./folders.ts";

/** Creates nothing before the first write. */
export function diskShelf(folder: string): Shelf {
  const blobs = path.join(folder, "blobs");
  const origins = path.join(folder, "origins");
  return {
    ...diskBlobs(blobs),
    ...diskOrigins(origins),
    strays(before) {
      const folders = [...namesIn(blobs).map((shard) => path.join(blobs, shard)), origins];
      return folders
        .flatMap((place) => namesIn(place).map((name) => path.join(place, name)))
        .filter((file) => isTemporary(path.basename(file)) && isOlder(file, before));
    },
    removeStray: (stray) => rmSync(stray, { force: true }),
  };
}

function isOlder(file: string, before: number): boolean {
  const stat = whenPresent(() => statSync(file));
  return stat !== undefined && stat.mtimeMs < before;
}
