// Puts content together from the parts of a list.
import { type BlobList, isList } from "./blobFormat.ts";
import type { BlobShelf } from "./blobStore.ts";
import { decodeText, encodeText } from "./text.ts";

/** Lists of lists of lists: ours are never deeper, and one that is deeper is not ours. */
const DEEPEST = 16;

/** The content of a blob, whichever way it is stored. `"damaged"` also when a part is missing. */
export function wholeContent(shelf: BlobShelf, sha256: string): Uint8Array | "damaged" | undefined {
  const content = shelf.readBlob(sha256);
  if (content === undefined || content === "damaged" || !isList(content)) return content;
  const chunks: Uint8Array[] = [];
  return collect(shelf, content, { chunks, left: content.bytes }, 0) ? Buffer.concat(chunks) : "damaged";
}

interface Collected {
  readonly chunks: Uint8Array[];
  /** Bytes that are still to come: a list that gives more than it says is damaged. */
  left: number;
}

function collect(shelf: BlobShelf, { entries }: BlobList, collected: Collected, depth: number): boolean {
  const add = (bytes: Uint8Array): boolean => {
    collected.left -= bytes.length;
    collected.chunks.push(bytes);
    return collected.left >= 0;
  };
  return entries.every((entry) => {
    if (typeof entry === "string") return add(encodeText(entry));
    const [sha256, as] = entry;
    const part = shelf.readBlob(sha256);
    if (part === undefined || part === "damaged") return false;
    if (isList(part))
      return depth < DEEPEST && as === undefined && collect(shelf, part, collected, depth + 1);
    return add(as === undefined ? part : encodeText(JSON.stringify(decodeText(part))));
  });
}
