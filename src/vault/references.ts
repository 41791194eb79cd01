// Which blobs are parts of which: lists are read for it, and nothing else.
import { isList, type ListEntry } from "./blobFormat.ts";
import type { BlobShelf } from "./blobStore.ts";

export interface References {
  /** The blobs that a list refers to; nothing for any other blob. */
  partsOf(sha256: string): readonly string[];
  /** Every list. */
  readonly lists: readonly string[];
  /** Whether any list refers to it. */
  isPart(sha256: string): boolean;
  /** These blobs and everything that they are put together from. */
  reach(from: Iterable<string>): ReadonlySet<string>;
}

/** The hash that an entry refers to; undefined for a text. */
const referredIn = (entry: ListEntry): string | undefined =>
  typeof entry === "string" ? undefined : entry[0];

export function referencesIn(shelf: BlobShelf): References {
  const lists = new Map<string, readonly string[]>();
  for (const sha256 of shelf.hashes("")) {
    if (shelf.facts(sha256)?.isList !== true) continue;
    const content = shelf.readBlob(sha256);
    if (content === undefined || content === "damaged" || !isList(content)) continue;
    lists.set(sha256, [...new Set(content.entries.flatMap((entry) => referredIn(entry) ?? []))]);
  }
  const parts = new Set([...lists.values()].flat());
  return {
    partsOf: (sha256) => lists.get(sha256) ?? [],
    lists: [...lists.keys()],
    isPart: (sha256) => parts.has(sha256),
    reach(from) {
      const reached = new Set<string>();
      const left = [...from];
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        if (reached.has(next)) continue;
        reached.add(next);
        left.push(...(lists.get(next) ?? []));
      }
      return reached;
    },
  };
}
