// How one blob looks on disk: a kind, the length of the content, the content (deflated when that is smaller).
import { deflateRawSync, inflateRawSync } from "node:zlib";

const KIND = { raw: 0, deflate: 1 } as const;
const LENGTH_BYTES = 6;

/** The length is in front so that sizes can be told, and a damaged stream bounded, without inflating. */
export const HEADER_BYTES = 1 + LENGTH_BYTES;

export function packBlob(content: Uint8Array): Uint8Array {
  const deflated = deflateRawSync(content);
  const smaller = deflated.length < content.length;
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt8(smaller ? KIND.deflate : KIND.raw, 0);
  header.writeUIntLE(content.length, 1, LENGTH_BYTES);
  return Buffer.concat([header, smaller ? deflated : content]);
}

/** The length of the content, from the first bytes of a blob file; undefined when they are no header. */
export function packedLength(header: Uint8Array): number | undefined {
  const kind = header[0];
  if (header.length < HEADER_BYTES || (kind !== KIND.raw && kind !== KIND.deflate)) return undefined;
  return Buffer.from(header).readUIntLE(1, LENGTH_BYTES);
}

/** The content, or undefined when the file is damaged. */
export function unpackBlob(file: Uint8Array): Uint8Array | undefined {
  const length = packedLength(file);
  if (length === undefined) return undefined;
  const body = file.subarray(HEADER_BYTES);
  const content = file[0] === KIND.raw ? body : inflate(body, length);
  return content?.length === length ? content : undefined;
}

function inflate(body: Uint8Array, length: number): Uint8Array | undefined {
  try {
    return inflateRawSync(body, { maxOutputLength: Math.max(1, length) });
  } catch {
    return undefined;
  }
}
