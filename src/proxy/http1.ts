// HTTP/1.1 as it is on the wire: heads kept as the bytes that came, and bodies measured without changing their framing.
import type { ByteReader } from "./byteReader.ts";

/** Bytes that are not HTTP/1.1 as this file knows it. They are carried on unread. */
export class NotHttp extends Error {
  /** What was taken from the reader and not handed on. */
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    super("not HTTP/1.1");
    this.bytes = bytes;
  }
}

type Header = readonly [name: string, value: string];

export interface Head {
  /** With the empty line that ends it. */
  readonly bytes: Buffer;
  readonly startLine: string;
  /** In their order and case. */
  readonly headers: readonly Header[];
}

const MOST_HEAD_BYTES = 256 * 1024;
const END = Buffer.from("\r\n\r\n");
/** A head that ends otherwise is not waited for: it may be whole already. */
const OTHER_END = /\n\n|\n\r\n/;

function parseHead(bytes: Buffer): Head {
  const [startLine = "", ...lines] = bytes.toString("latin1", 0, bytes.length - END.length).split("\r\n");
  const headers = lines.map((line): Header => {
    const colon = line.indexOf(":");
    // A folded line, or none at all.
    if (colon < 1 || /^\s/.test(line) || line.includes("\n")) throw new NotHttp(bytes);
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  if (!/^\S+ \S+ HTTP\/1\.[01]$|^HTTP\/1\.[01] \d{3}( |$)/.test(startLine)) throw new NotHttp(bytes);
  return { bytes, startLine, headers };
}

const RESPONSE = Buffer.from("HTTP/1.");

const isResponse = (bytes: Buffer) => {
  const length = Math.min(bytes.length, RESPONSE.length);
  return bytes.subarray(0, length).equals(RESPONSE.subarray(0, length));
};

/** The next head of a response. What does not begin as one is not waited for. */
export const readResponseHead = (reader: ByteReader): Promise<Head | undefined> =>
  readHead(reader, isResponse);

/** The next head; undefined where the connection ends before it begins. Throws `NotHttp` for anything else. */
export async function readHead(
  reader: ByteReader,
  isPossible: (seen: Buffer) => boolean = () => true,
): Promise<Head | undefined> {
  let seen: Buffer = Buffer.alloc(0);
  for (;;) {
    const chunk = await reader.next();
    if (!chunk) {
      if (seen.length === 0) return undefined;
      throw new NotHttp(seen);
    }
    const from = Math.max(0, seen.length - END.length);
    seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
    const end = seen.indexOf(END, from);
    if (end !== -1) {
      reader.unread(seen.subarray(end + END.length));
      return parseHead(seen.subarray(0, end + END.length));
    }
    const isOver = seen.length > MOST_HEAD_BYTES || OTHER_END.test(seen.toString("latin1", from));
    if (isOver || !isPossible(seen)) throw new NotHttp(seen);
  }
}

/** All values of a header, joined as HTTP joins them; undefined where it is not there. */
export function headerOf({ headers }: Head, name: string): string | undefined {
  const values = headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(", ");
}

export const statusOf = ({ startLine }: Head): number => Number(startLine.slice(9, 12));

/** How the end of a body is known. */
type Framing = number | "chunked" | "close";

/** Throws `NotHttp` with the head where two framings are given, or one that is not known. */
function framingOf(head: Head, otherwise: Framing) {
  const coding = headerOf(head, "transfer-encoding");
  const length = headerOf(head, "content-length");
  if (coding === undefined && length === undefined) return otherwise;
  if (coding?.toLowerCase() === "chunked" && length === undefined) return "chunked";
  if (coding === undefined && /^\d{1,15}$/.test(length ?? "")) return Number(length);
  throw new NotHttp(head.bytes);
}

export const requestFraming = (head: Head): Framing => framingOf(head, 0);

export function responseFraming(head: Head, method: string): Framing {
  const status = statusOf(head);
  if (method === "HEAD" || status < 200 || status === 204 || status === 304) return 0;
  return framingOf(head, "close");
}

/** One piece of a body: the bytes on the wire, and those of them that are content. */
interface Piece {
  readonly wire: Buffer;
  readonly content: readonly Buffer[];
}

type ChunkState = "size" | "data" | "data end" | "trailer";

const MOST_LINE_BYTES = 64 * 1024;

/** Follows the chunks of a body without changing them. */
class ChunkScanner {
  #state: ChunkState = "size";
  #left = 0;
  #line = "";
  hasTrailers = false;

  /** `end` is where the body ends in these bytes; undefined where it goes on. */
  scan(bytes: Buffer): { readonly content: Buffer[]; readonly end: number | undefined } {
    const content: Buffer[] = [];
    let at = 0;
    while (at < bytes.length) {
      if (this.#state === "data") {
        const part = bytes.subarray(at, at + this.#left);
        content.push(part);
        at += part.length;
        this.#left -= part.length;
        if (this.#left === 0) this.#state = "data end";
        continue;
      }
      const newline = bytes.indexOf(10, at);
      this.#line += bytes.toString("latin1", at, newline === -1 ? bytes.length : newline + 1);
      if (this.#line.length > MOST_LINE_BYTES) throw new NotHttp(bytes);
      if (newline === -1) break;
      at = newline + 1;
      const line = this.#line;
      this.#line = "";
      if (this.#endsWith(line, bytes)) return { content, end: at };
    }
    return { content, end: undefined };
  }

  /** Takes a whole line; true where it ends the body. */
  #endsWith(line: string, bytes: Buffer): boolean {
    if (!line.endsWith("\r\n")) throw new NotHttp(bytes);
    const text = line.slice(0, -2);
    if (this.#state === "trailer") {
      if (text === "") return true;
      this.hasTrailers = true;
      return false;
    }
    if (this.#state === "data end") {
      if (text !== "") throw new NotHttp(bytes);
      this.#state = "size";
      return false;
    }
    const size = /^([0-9a-fA-F]{1,12})[ \t]*(;.*)?$/.exec(text)?.[1];
    if (size === undefined) throw new NotHttp(bytes);
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left === 0 ? "trailer" : "data";
    return false;
  }
}

/** A body as it arrives. `isWhole` is false where the connection ended first; a body that ends with it is whole then. */
export class BodyReader {
  readonly #reader: ByteReader;
  readonly #framing: Framing;
  readonly #chunks = new ChunkScanner();
  #left: number;
  isWhole: boolean;

  constructor(reader: ByteReader, framing: Framing) {
    this.#reader = reader;
    this.#framing = framing;
    this.#left = typeof framing === "number" ? framing : Number.POSITIVE_INFINITY;
    this.isWhole = framing === 0;
  }

  get hasTrailers(): boolean {
    return this.#chunks.hasTrailers;
  }

  /** Undefined behind the last piece. Throws `NotHttp` with what it took for chunks that are none. */
  async next(): Promise<Piece | undefined> {
    if (this.isWhole) return undefined;
    const bytes = await this.#reader.next();
    if (!bytes) {
      this.isWhole = this.#framing === "close";
      return undefined;
    }
    if (this.#framing === "close") return { wire: bytes, content: [bytes] };
    if (this.#framing === "chunked") return this.#nextOfChunks(bytes);
    const wire = bytes.subarray(0, this.#left);
    this.#left -= wire.length;
    this.isWhole = this.#left === 0;
    this.#reader.unread(bytes.subarray(wire.length));
    return { wire, content: [wire] };
  }

  /** The pieces up to the end, or until they are more than `most`. Throws `NotHttp` with all that it took. */
  async collect(most: number): Promise<{ readonly wire: Buffer[]; readonly content: Buffer[] }> {
    const wire: Buffer[] = [];
    const content: Buffer[] = [];
    let size = 0;
    try {
      while (size <= most) {
        const piece = await this.next();
        if (!piece) break;
        size += piece.wire.length;
        wire.push(piece.wire);
        content.push(...piece.content);
      }
    } catch (error) {
      throw error instanceof NotHttp ? new NotHttp(Buffer.concat([...wire, error.bytes])) : error;
    }
    return { wire, content };
  }

  #nextOfChunks(bytes: Buffer): Piece {
    const { content, end } = this.#chunks.scan(bytes);
    if (end === undefined) return { wire: bytes, content };
    this.isWhole = true;
    this.#reader.unread(bytes.subarray(end));
    return { wire: bytes.subarray(0, end), content };
  }
}

export interface HeadChanges {
  /** What comes between method and version. */
  readonly target?: string;
  /** New values by lower-case name; null removes the header. One that was not there is added at the end. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** The head with these changes and no other: the other lines stay as they came. */
export function changedHead(head: Head, { target, headers = {} }: HeadChanges): Buffer {
  const lines = head.bytes
    .toString("latin1", 0, head.bytes.length - END.length)
    .split("\r\n")
    .slice(1);
  const missing = new Map(Object.entries(headers));
  const kept = lines.flatMap((line) => {
    const name = line.slice(0, line.indexOf(":"));
    const value = headers[name.toLowerCase()];
    if (value === undefined) return [line];
    const isFirst = missing.delete(name.toLowerCase());
    return value === null || !isFirst ? [] : [`${name}: ${value}`];
  });
  const added = [...missing].flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  const [method, given, version] = head.startLine.split(" ");
  const startLine = target === undefined ? head.startLine : `${method} ${target ?? given} ${version}`;
  return Buffer.from(`${[startLine, ...kept, ...added].join("\r\n")}\r\n\r\n`, "latin1");
}
