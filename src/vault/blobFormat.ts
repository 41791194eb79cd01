// How one blob looks on disk: a kind, the length of the content, then the content itself or the list of its parts.
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { sha256 as hash, parseJson } from "../lib/index.ts";
import type { Blobs } from "./blobStore.ts";
import { decodeText, encodeText } from "./text.ts";

/** A part of a list: text as it is, or a blob whose bytes are the part, or whose text as a JSON string is the part. */
export type ListEntry = string | readonly [sha256: string] | readonly [sha256: string, as: "json"];

/** Content that is put together from parts. It is named by the hash of the whole, like any other content. */
interface BlobList {
  /** The size of the whole content. */
  readonly bytes: number;
  readonly entries: readonly ListEntry[];
}

export type BlobContent = Uint8Array | BlobList;

const KIND = { raw: 0, deflate: 1, list: 2 } as const;
const LENGTH_BYTES = 6;
const LIST_DIGEST_BYTES = 32;
/** More than any list of ours: a damaged file must not fill the memory. */
const LONGEST_LIST = 64 * 1024 * 1024;

/** The length is in front so that sizes can be told, and a damaged stream bounded, without inflating. */
export const HEADER_BYTES = 1 + LENGTH_BYTES;

export const isList = (content: BlobContent): content is BlobList => !(content instanceof Uint8Array);

function withHeader(kind: number, length: number, ...body: readonly Uint8Array[]) {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt8(kind, 0);
  header.writeUIntLE(length, 1, LENGTH_BYTES);
  return Buffer.concat([header, ...body]);
}

export function packBlob(content: BlobContent): Uint8Array {
  if (isList(content)) return packList(content);
  const deflated = deflateRawSync(content);
  return deflated.length < content.length
    ? withHeader(KIND.deflate, content.length, deflated)
    : withHeader(KIND.raw, content.length, content);
}

/** A list has a hash of its own: its name is the hash of the whole, which only reading every part could check. */
function packList({ bytes, entries }: BlobList) {
  const text = Buffer.from(JSON.stringify(entries), "utf8");
  return withHeader(KIND.list, bytes, Buffer.from(hash(text), "hex"), deflateRawSync(text));
}

/** What the first bytes of a blob file tell; undefined when they are no header. */
export function packedFacts(
  header: Uint8Array,
): { readonly bytes: number; readonly isList: boolean } | undefined {
  const kind = header[0];
  const isKnown = Object.values(KIND).some((known) => known === kind);
  if (header.length < HEADER_BYTES || !isKnown) return undefined;
  return { bytes: Buffer.from(header).readUIntLE(1, LENGTH_BYTES), isList: kind === KIND.list };
}

/** The content, or undefined when the file is damaged. */
export function unpackBlob(file: Uint8Array): BlobContent | undefined {
  const facts = packedFacts(file);
  if (!facts) return undefined;
  const body = file.subarray(HEADER_BYTES);
  if (facts.isList) return unpackList(body, facts.bytes);
  const content = file[0] === KIND.raw ? body : inflate(body, facts.bytes);
  return content?.length === facts.bytes ? content : undefined;
}

function unpackList(body: Uint8Array, bytes: number): BlobList | undefined {
  const text = inflate(body.subarray(LIST_DIGEST_BYTES), LONGEST_LIST);
  if (!text || hash(text) !== Buffer.from(body.subarray(0, LIST_DIGEST_BYTES)).toString("hex"))
    return undefined;
  const entries = parseJson(Buffer.from(text).toString("utf8"));
  return Array.isArray(entries) && entries.every(isEntry) ? { bytes, entries } : undefined;
}

function isEntry(value: unknown): value is ListEntry {
  if (typeof value === "string") return true;
  if (!Array.isArray(value) || typeof value[0] !== "string" || !/^[0-9a-f]{64}$/.test(value[0])) return false;
  return value.length === 1 || (value.length === 2 && value[1] === "json");
}

function inflate(body: Uint8Array, length: number) {
  try {
    return inflateRawSync(body, { maxOutputLength: Math.max(1, length) });
  } catch {
    return undefined;
  }
}

/** Lists of lists of lists: ours are never deeper, and one that is deeper is not ours. */
const DEEPEST_LIST = 16;

/** The content of a blob, whichever way it is stored. `"damaged"` also when a part is missing. */
export function wholeContent(store: Blobs, sha256: string): Uint8Array | "damaged" | undefined {
  const content = store.readBlob(sha256);
  if (content === undefined || content === "damaged" || !isList(content)) return content;
  const chunks: Uint8Array[] = [];
  return collectParts(store, content, { chunks, left: content.bytes }, 0) ? Buffer.concat(chunks) : "damaged";
}

interface Collected {
  readonly chunks: Uint8Array[];
  /** Bytes that are still to come: a list that gives more than it says is damaged. */
  left: number;
}

function collectParts(store: Blobs, { entries }: BlobList, collected: Collected, depth: number): boolean {
  const add = (bytes: Uint8Array) => {
    collected.left -= bytes.length;
    collected.chunks.push(bytes);
    return collected.left >= 0;
  };
  return entries.every((entry) => {
    if (typeof entry === "string") return add(encodeText(entry));
    const [sha256, as] = entry;
    const part = store.readBlob(sha256);
    if (part === undefined || part === "damaged") return false;
    if (isList(part))
      return depth < DEEPEST_LIST && as === undefined && collectParts(store, part, collected, depth + 1);
    return add(as === undefined ? part : encodeText(JSON.stringify(decodeText(part))));
  });
}
