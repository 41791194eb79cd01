// Byte lines of a file that may be huge or still growing: one chunk and one line in memory, never the file.
import { type FileHandle, open, stat } from "node:fs/promises";
import { errorText, systemErrorCode, ThroughlineError } from "../lib/index.ts";

const CHUNK_BYTES = 256 * 1024;
const SNIFF_BYTES = 8 * 1024;
const NEWLINE = 0x0a;

export interface ByteLine {
  /** The line without its newline, valid until the next line is asked for; undefined when it is over the cap. */
  readonly bytes: Buffer | undefined;
  /** Counted from 1 where the scan began; empty lines count. */
  readonly line: number;
  readonly start: number;
  /** Offset behind the newline: a later scan can go on here. */
  readonly end: number;
  /** False for a last line that no newline closes. */
  readonly closed: boolean;
}

interface OpenText {
  readonly handle: FileHandle;
  readonly size: number;
}

/** Opens a text file, or throws `not-found`, `not-a-file`, `not-text` or `io-failed`. The caller closes it. */
export async function openText(file: string): Promise<OpenText> {
  try {
    // Asked before opening: opening a named pipe would wait for its writer.
    const facts = await stat(file);
    if (!facts.isFile()) {
      throw new ThroughlineError(
        "not-a-file",
        `${file} is not a file.`,
        "Name one transcript file (….jsonl), not the folder that holds it.",
      );
    }
    const handle = await open(file, "r");
    try {
      await refuseBinary(handle, file);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return { handle, size: facts.size };
  } catch (error) {
    throw readFailure(file, error);
  }
}

async function refuseBinary(handle: FileHandle, file: string) {
  const head = Buffer.alloc(SNIFF_BYTES);
  const { bytesRead } = await handle.read(head, 0, SNIFF_BYTES, 0);
  const read = head.subarray(0, bytesRead);
  // A crash may leave a hole of zero bytes among good lines: those lines are still read.
  if (!read.includes(0) || /(^|\n)(\u00ef\u00bb\u00bf)?\s*\{"/.test(read.toString("latin1"))) return;
  const isUtf16 = ["fffe", "feff"].includes(read.toString("hex", 0, 2));
  throw new ThroughlineError(
    "not-text",
    isUtf16 ? `${file} is UTF-16 text, not UTF-8.` : `${file} holds binary data, not lines of JSON.`,
    isUtf16 ? "iconv -f UTF-16 -t UTF-8 FILE > COPY.jsonl" : "Name a transcript in UTF-8 (….jsonl).",
  );
}

function readFailure(file: string, error: unknown) {
  if (error instanceof ThroughlineError) return error;
  const code = systemErrorCode(error);
  if (code === "ENOENT" || code === "ENOTDIR") {
    return new ThroughlineError("not-found", `${file} does not exist.`, {
      fix: "Check the path; Claude Code keeps transcripts in ~/.claude/projects/.",
      cause: error,
    });
  }
  return new ThroughlineError("io-failed", `${file} cannot be read: ${errorText(error)}`, {
    fix: "Check that the file and its folder are readable by you.",
    cause: error,
  });
}

/** The part of a line that earlier chunks held. Past the cap only its length is kept. */
class Unfinished {
  readonly #cap: number;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(cap: number) {
    this.#cap = cap;
  }

  get empty(): boolean {
    return this.#length === 0;
  }

  /** Copies `bytes`: they belong to a chunk that is read over. */
  add(bytes: Buffer): void {
    this.#length += bytes.length;
    if (this.#length > this.#cap) this.#parts = [];
    else this.#parts.push(Buffer.from(bytes));
  }

  /** The whole line, given its last part; begins the next one. */
  close(last: Buffer): Buffer | undefined {
    const whole = this.#length + last.length > this.#cap ? undefined : this.empty ? last : this.#join(last);
    this.#parts = [];
    this.#length = 0;
    return whole;
  }

  #join(last: Buffer): Buffer {
    return Buffer.concat([...this.#parts, last]);
  }
}

/** Every line from byte `from` on. Throws `io-failed` when the system refuses a read. */
export async function* byteLines(
  { handle }: OpenText,
  file: string,
  from: number,
  maxLineBytes: number,
): AsyncGenerator<ByteLine> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  const unfinished = new Unfinished(maxLineBytes);
  let line = 0;
  let start = from;
  for (let offset = from; ; ) {
    const length = await readChunk(handle, file, chunk, offset);
    if (length === 0) break;
    const read = chunk.subarray(0, length);
    let begin = 0;
    for (;;) {
      const newline = read.indexOf(NEWLINE, begin);
      if (newline < 0) break;
      const end = offset + newline + 1;
      line += 1;
      yield { bytes: unfinished.close(read.subarray(begin, newline)), line, start, end, closed: true };
      begin = newline + 1;
      start = end;
    }
    if (begin < length) unfinished.add(read.subarray(begin));
    offset += length;
  }
  if (unfinished.empty) return;
  const bytes = unfinished.close(Buffer.alloc(0));
  yield { bytes, line: line + 1, start, end: start + (bytes?.length ?? 0), closed: false };
}

async function readChunk(handle: FileHandle, file: string, chunk: Buffer, offset: number) {
  try {
    return (await handle.read(chunk, 0, chunk.length, offset)).bytesRead;
  } catch (error) {
    throw readFailure(file, error);
  }
}
