// Content in pieces, so that what was stored before is not stored again: long pieces by themselves, short ones in lists.
import { sha256 as hash, sumOf } from "../lib/index.ts";
import type { BlobContent, ListEntry } from "./blobFormat.ts";
import { encodeText } from "./text.ts";

/** A text, or a text of which the content has the JSON string. The pieces in a row are the whole content. */
export type Piece = string | { readonly json: string };

/** Content is divided from this size on. */
const DIVIDED_FROM_BYTES = 8_192;
/** A piece from this size on is a blob of its own: less would not fill a block of the disk. */
const LONG_PIECE_BYTES = 4_096;
/** A list ends where the hash of an entry says so, within these sizes: so a change moves few of the ends. */
const LIST_SIZES = { least: 2_048, usual: 4_096, most: 32_768 };
/** What a reference takes in a list. */
const REFERENCE_CHARACTERS = 70;

/** A part of the content, with where it stands in it. */
interface ContentPart {
  readonly entry: ListEntry;
  readonly from: number;
  readonly to: number;
  /** Decides where a list ends. */
  readonly sha256: string;
}

/** The blobs that content is stored as: what it refers to first, itself last. */
export function divideContent(
  content: Uint8Array,
  sha256: string,
  pieces: readonly Piece[],
): readonly { readonly sha256: string; readonly content: BlobContent }[] {
  const blobs = new Map<string, BlobContent>();
  let parts = isSmallContent(content.length) ? undefined : partsFromPieces(content, pieces, blobs);
  // A piece that is the whole content would be a part of itself.
  if (!parts || blobs.has(sha256)) return [{ sha256, content }];
  while (sumOf(parts, ({ entry }) => weightOfEntry(entry)) > LIST_SIZES.usual) {
    const grouped = groupParts(content, parts, blobs);
    if (grouped.length < 2 || grouped.length === parts.length) break;
    parts = grouped;
  }
  blobs.delete(sha256);
  blobs.set(sha256, { bytes: content.length, entries: mergeEntries(parts) });
  return [...blobs].map(([name, stored]) => ({ sha256: name, content: stored }));
}

/** Undefined when the pieces are not the content; then it is stored as a whole. */
function partsFromPieces(
  content: Uint8Array,
  pieces: readonly Piece[],
  blobs: Map<string, BlobContent>,
): readonly ContentPart[] | undefined {
  const parts: ContentPart[] = [];
  let from = 0;
  for (const piece of pieces) {
    const text = typeof piece === "string" ? piece : piece.json;
    const bytes = encodeText(text);
    const shown = typeof piece === "string" ? bytes : encodeText(JSON.stringify(text));
    const to = from + shown.length;
    if (Buffer.compare(content.subarray(from, to), shown) !== 0) return undefined;
    const sha256 = hash(bytes);
    if (bytes.length < LONG_PIECE_BYTES) {
      const entry = typeof piece === "string" ? piece : JSON.stringify(text);
      if (entry !== "") parts.push({ entry, from, to, sha256 });
    } else {
      blobs.set(sha256, bytes);
      parts.push({ entry: typeof piece === "string" ? [sha256] : [sha256, "json"], from, to, sha256 });
    }
    from = to;
  }
  return from === content.length ? parts : undefined;
}

export const isSmallContent = (bytes: number) => bytes < DIVIDED_FROM_BYTES;
export const isLongPiece = (bytes: Uint8Array) => bytes.length >= LONG_PIECE_BYTES;
export const weightOfEntry = (entry: ListEntry) =>
  typeof entry === "string" ? entry.length : REFERENCE_CHARACTERS;

/** Parts that stand side by side become a list, which is one part. The same parts always become the same lists. */
function groupParts(
  content: Uint8Array,
  parts: readonly ContentPart[],
  blobs: Map<string, BlobContent>,
): readonly ContentPart[] {
  const grouped: ContentPart[] = [];
  let open: ContentPart[] = [];
  let size = 0;
  const close = () => {
    const [first, last] = [open[0], open.at(-1)];
    if (!first || !last) return;
    grouped.push(open.length === 1 ? first : listPart(content, open, first.from, last.to, blobs));
    [open, size] = [[], 0];
  };
  for (const part of parts) {
    open.push(part);
    size += weightOfEntry(part.entry);
    if (endsPart(part.entry, part.sha256, size)) close();
  }
  close();
  return grouped;
}

/**
 * Whether a list of this weight ends with its last part. As likely as the part is long: a list is on average as long as
 * usual, whatever it consists of.
 */
export function endsPart(entry: ListEntry, sha256: string, size: number) {
  if (size < LIST_SIZES.least) return false;
  const share = weightOfEntry(entry) / LIST_SIZES.usual;
  return size >= LIST_SIZES.most || Number.parseInt(sha256.slice(0, 8), 16) / 2 ** 32 < share;
}

function listPart(
  content: Uint8Array,
  parts: readonly ContentPart[],
  from: number,
  to: number,
  blobs: Map<string, BlobContent>,
): ContentPart {
  const sha256 = hash(content.subarray(from, to));
  if (!blobs.has(sha256)) blobs.set(sha256, { bytes: to - from, entries: mergeEntries(parts) });
  return { entry: [sha256], from, to, sha256 };
}

/** Texts that stand side by side are one text. */
export function mergeEntries(parts: readonly { readonly entry: ListEntry }[]): readonly ListEntry[] {
  const entries: ListEntry[] = [];
  for (const { entry } of parts) {
    const last = entries.at(-1);
    if (typeof entry === "string" && typeof last === "string") entries[entries.length - 1] = last + entry;
    else entries.push(entry);
  }
  return entries;
}

/** The pieces of a text that `JSON.stringify` made: its long strings, and what stands between them. */
export function jsonPieces(json: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (let open = json.indexOf('"'); open >= 0; ) {
    const end = stringEnd(json, open);
    if (end - open >= LONG_PIECE_BYTES) {
      pieces.push(json.slice(from, open), { json: JSON.parse(json.slice(open, end)) as string });
      from = end;
    }
    open = json.indexOf('"', end);
  }
  return [...pieces, json.slice(from)];
}

/** Where the string ends that begins at `open`. */
function stringEnd(json: string, open: number) {
  for (let quote = json.indexOf('"', open + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (json[quote - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
  }
  return json.length;
}
