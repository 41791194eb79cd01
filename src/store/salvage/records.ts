// Rows of a b-tree page, read cell by cell: what is wrong with one cell is not the loss of its neighbours.
import { constants } from "node:buffer";
import type { Value } from "../portable/rows.ts";
import type { PageSource } from "./pages.ts";

export interface RawRow {
  readonly rowid: number;
  readonly values: readonly Value[];
}

export const INTERIOR_TABLE = 5;
export const LEAF_TABLE = 13;

/** Where the b-tree header of a page begins: the first page has the file's header before it. */
const headerAt = (page: number) => (page === 1 ? 100 : 0);

export const typeOf = (bytes: Buffer, page: number) => bytes[headerAt(page)] ?? 0;

class Malformed extends Error {}

function inside(bytes: Buffer, offset: number, length = 1) {
  if (offset < 0 || offset + length > bytes.length) throw new Malformed("outside of the page");
}

/** A number of one to nine bytes, and where it ends. */
function varint(bytes: Buffer, offset: number): readonly [value: number, end: number] {
  let value = 0n;
  for (let index = 0; index < 9; index++) {
    inside(bytes, offset + index);
    const byte = bytes[offset + index] ?? 0;
    if (index === 8) value = (value << 8n) | BigInt(byte);
    else value = (value << 7n) | BigInt(byte & 0x7f);
    if (index === 8 || byte < 0x80) return [Number(BigInt.asIntN(64, value)), offset + index + 1];
  }
  throw new Malformed("no number");
}

const integerBytes: Readonly<Record<number, number>> = { 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8 };

function lengthOf(serial: number) {
  if (serial >= 12) return Math.floor((serial - 12) / 2);
  return serial === 7 ? 8 : (integerBytes[serial] ?? 0);
}

function scalarOf(body: Buffer, serial: number): Value {
  if (serial === 0) return null;
  if (serial === 7) return body.readDoubleBE(0);
  if (serial === 8 || serial === 9) return serial - 8;
  if (serial >= 12) return serial % 2 === 0 ? Uint8Array.from(body) : body.toString("utf8");
  if (serial === 6) return Number(body.readBigInt64BE(0));
  if (serial <= 5) return body.readIntBE(0, body.length);
  throw new Malformed("no such type");
}

function decode(payload: Buffer) {
  const [headerEnd, first] = varint(payload, 0);
  inside(payload, 0, headerEnd);
  const values: Value[] = [];
  let body = headerEnd;
  for (let at = first; at < headerEnd; ) {
    const [serial, next] = varint(payload, at);
    if (serial < 0) throw new Malformed("no such type");
    const length = lengthOf(serial);
    inside(payload, body, length);
    values.push(scalarOf(payload.subarray(body, body + length), serial));
    body += length;
    at = next;
  }
  return values;
}

/** What of a payload of a table's leaf is on its own page. */
function localBytes(payload: number, pageSize: number) {
  const most = pageSize - 35;
  if (payload <= most) return payload;
  const least = Math.floor(((pageSize - 12) * 32) / 255) - 23;
  const wanted = least + ((payload - least) % (pageSize - 4));
  return wanted <= most ? wanted : least;
}

function wholePayload(source: PageSource, local: Buffer, total: number, firstOverflow: number) {
  // The parts are collected, not allocated in advance: a damaged length may be as large as the file.
  const parts = [Buffer.from(local)];
  let filled = local.length;
  for (let page = firstOverflow; filled < total; ) {
    if (page < 2 || page > source.count) throw new Malformed("no such page");
    const bytes = source.read(page);
    const part = Buffer.from(bytes.subarray(4, Math.min(bytes.length, 4 + total - filled)));
    parts.push(part);
    filled += part.length;
    page = bytes.readUInt32BE(0);
  }
  return Buffer.concat(parts);
}

function rawRowAt(source: PageSource, bytes: Buffer, offset: number): RawRow {
  const [total, afterTotal] = varint(bytes, offset);
  const [rowid, start] = varint(bytes, afterTotal);
  if (total < 1 || total > Math.min(source.count * source.pageSize, constants.MAX_STRING_LENGTH))
    throw new Malformed("no such length");
  if (!Number.isSafeInteger(rowid)) throw new Malformed("no such row");
  const length = localBytes(total, source.pageSize);
  inside(bytes, start, length === total ? length : length + 4);
  const local = bytes.subarray(start, start + length);
  const payload =
    length === total ? local : wholePayload(source, local, total, bytes.readUInt32BE(start + length));
  return { rowid, values: decode(payload) };
}

function cellOffsets(bytes: Buffer, page: number, headerBytes: number) {
  const at = headerAt(page);
  const cells = bytes.readUInt16BE(at + 3);
  const fit = Math.floor((bytes.length - at - headerBytes) / 2);
  // SQLite reads only the bits that a place on the page needs, and so reads past a flipped bit above them.
  return Array.from(
    { length: Math.min(cells, fit) },
    (_, index) => bytes.readUInt16BE(at + headerBytes + 2 * index) & (bytes.length - 1),
  );
}

/** The rows on a leaf of a table, and how many cells could not be read. */
export function rowsOn(
  source: PageSource,
  page: number,
): { readonly rows: RawRow[]; readonly unreadable: number } {
  const bytes = Buffer.from(source.read(page));
  const rows: RawRow[] = [];
  let unreadable = 0;
  if (typeOf(bytes, page) !== LEAF_TABLE) return { rows, unreadable: 1 };
  for (const offset of cellOffsets(bytes, page, 8)) {
    try {
      rows.push(rawRowAt(source, bytes, offset));
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      unreadable += 1;
    }
  }
  return { rows, unreadable };
}

/** The pages below an interior page of a table. */
export function childrenOf(bytes: Buffer, page: number) {
  const children = cellOffsets(bytes, page, 12)
    .filter((offset) => offset + 4 <= bytes.length)
    .map((offset) => bytes.readUInt32BE(offset));
  return [...children, bytes.readUInt32BE(headerAt(page) + 8)];
}
