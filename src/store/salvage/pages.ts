// The pages of a database file that SQLite may refuse to open, as its journal left them. Nothing is ever written.
import { closeSync, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { statIfThere, systemErrorCode, tolerating } from "../../lib/index.ts";

export interface PageSource {
  readonly pageSize: number;
  /** How many pages there are; the first has number 1. */
  readonly count: number;
  /** Zeros where the file ends before the page does. The bytes are good until the next call. */
  read(page: number): Buffer;
  close(): void;
}

const WAL_HEADER = 32;
const FRAME_HEADER = 24;
const WAL_MAGIC = 0x377f0682;
const USUAL_PAGE_SIZE = 4096;
/** How many pages are sampled to find the page size. */
const SAMPLES = 20_000;
const ABOUT_AS_MANY = 0.75;

/** First bytes of b-tree pages: interior and leaf, of indexes and of tables. */
const treePages: readonly number[] = [2, 5, 10, 13];

const isPageSize = (size: number) => size >= 512 && size <= 65_536 && (size & (size - 1)) === 0;

/** Fills the whole buffer, with zeros past the end of the file and on a bad sector. */
function readBytesAt(fd: number, buffer: Buffer, position: number) {
  try {
    const read = readSync(fd, buffer, 0, buffer.length, position);
    if (read < buffer.length) buffer.fill(0, read);
  } catch (error) {
    if (systemErrorCode(error) !== "EIO") throw error;
    buffer.fill(0);
  }
}

interface Wal {
  readonly pageSize: number;
  /** Where in the journal the newest committed content of a page begins. */
  readonly places: ReadonlyMap<number, number>;
  /** Pages after the last commit; 0 when there was none. */
  readonly pages: number;
}

/** The checksum of SQLite's journal, continued over `bytes`. */
function checksum(
  bytes: Buffer,
  isBigEndian: boolean,
  [first, second]: readonly [number, number],
): [number, number] {
  let [s0, s1] = [first, second];
  const at = (offset: number) => (isBigEndian ? bytes.readUInt32BE(offset) : bytes.readUInt32LE(offset));
  for (let offset = 0; offset + 8 <= bytes.length; offset += 8) {
    s0 = (s0 + at(offset) + s1) >>> 0;
    s1 = (s1 + at(offset + 4) + s0) >>> 0;
  }
  return [s0, s1];
}

const sameSums = (bytes: Buffer, offset: number, [s0, s1]: readonly [number, number]) =>
  bytes.readUInt32BE(offset) === s0 && bytes.readUInt32BE(offset + 4) === s1;

/** Reads from the journal what SQLite would read: whole commits, up to the first frame with a wrong salt or checksum. */
function readWal(fd: number): Wal | undefined {
  const size = fstatSync(fd).size;
  const header = Buffer.alloc(WAL_HEADER);
  readBytesAt(fd, header, 0);
  const magic = header.readUInt32BE(0);
  const pageSize = header.readUInt32BE(8);
  const isBigEndian = (magic & 1) === 1;
  if ((magic & ~1) >>> 0 !== WAL_MAGIC || !isPageSize(pageSize)) return undefined;
  let sums = checksum(header.subarray(0, 24), isBigEndian, [0, 0]);
  if (!sameSums(header, 24, sums)) return undefined;
  const places = new Map<number, number>();
  let open = new Map<number, number>();
  let pages = 0;
  const frame = Buffer.alloc(FRAME_HEADER + pageSize);
  for (let at = WAL_HEADER; at + frame.length <= size; at += frame.length) {
    readBytesAt(fd, frame, at);
    if (frame.compare(header, 16, 24, 8, 16) !== 0) break;
    sums = checksum(frame.subarray(0, 8), isBigEndian, sums);
    sums = checksum(frame.subarray(FRAME_HEADER), isBigEndian, sums);
    if (!sameSums(frame, 16, sums)) break;
    open.set(frame.readUInt32BE(0), at + FRAME_HEADER);
    const committed = frame.readUInt32BE(4);
    if (committed === 0) continue;
    for (const [page, place] of open) places.set(page, place);
    open = new Map();
    pages = committed;
  }
  return { pageSize, places, pages };
}

/**
 * The smallest size at which about as many pages begin as pages do as at any other: at twice the true size every page
 * begins well, at half of it every other does not.
 */
function likeliestSize(fd: number, bytes: number, candidates: readonly number[]) {
  const first = Buffer.alloc(1);
  const hits = (size: number) => {
    const pages = Math.floor(bytes / size);
    const step = Math.max(1, Math.floor(pages / SAMPLES));
    let [found, seen] = [0, 0];
    for (let page = 1; page < pages; page += step) {
      readBytesAt(fd, first, page * size);
      found += Number(treePages.includes(first[0] ?? 0));
      seen += 1;
    }
    return seen === 0 ? 0 : found / seen;
  };
  const shares = candidates
    .toSorted((one, other) => one - other)
    .map((size) => ({ size, share: hits(size) }));
  const best = Math.max(...shares.map(({ share }) => share));
  return shares.find(({ share }) => share >= best * ABOUT_AS_MANY)?.size ?? USUAL_PAGE_SIZE;
}

/**
 * Undefined where there is no file with bytes in it. `expected` is the page size that the store had. Throws what the system
 * refuses, as for a file of another owner.
 */
export function openPages(file: string, expected?: number): PageSource | undefined {
  const stat = statIfThere(file);
  if (stat?.isFile() !== true || stat.size === 0) return undefined;
  const fd = openSync(file, "r");
  const bytes = fstatSync(fd).size;
  // SQLite keeps the journal beside the file itself, not beside a link to it.
  const walFd = tolerating(() => openSync(`${realpathSync(file)}-wal`, "r"), "ENOENT");
  const wal = walFd === undefined ? undefined : readWal(walFd);
  const header = Buffer.alloc(100);
  readBytesAt(fd, header, 0);
  const stated = header.readUInt16BE(16);
  const candidates = [stated === 1 ? 65_536 : stated, USUAL_PAGE_SIZE].filter(isPageSize);
  const pageSize = expected ?? wal?.pageSize ?? likeliestSize(fd, bytes, candidates);
  const places = wal?.pageSize === pageSize ? wal.places : new Map<number, number>();
  const buffer = Buffer.alloc(pageSize);
  return {
    pageSize,
    count: [...places.keys()].reduce((most, page) => Math.max(most, page), Math.ceil(bytes / pageSize)),
    read(page) {
      const place = places.get(page);
      if (place === undefined || walFd === undefined) readBytesAt(fd, buffer, (page - 1) * pageSize);
      else readBytesAt(walFd, buffer, place);
      return buffer;
    },
    close() {
      closeSync(fd);
      if (walFd !== undefined) closeSync(walFd);
    },
  };
}
