// Which rows are in an archive already: a few bytes of each row's id, in a file that only grows.
import { closeSync, constants, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { sha256, systemErrorCode } from "../lib/index.ts";

const DIGEST_BYTES = 8;
const PRIVATE_FILE = 0o600;

const digestOf = (id: string): string =>
  Buffer.from(sha256(id).slice(0, DIGEST_BYTES * 2), "hex").toString("latin1");

export class SeenRows {
  readonly #known = new Set<string>();
  readonly #added: string[] = [];
  readonly #file: string;
  readonly #length: number;

  /** `length`: the bytes of the file that count; what a killed writer left behind them does not. */
  constructor(file: string, length: number) {
    this.#file = file;
    const bytes = length === 0 ? "" : readBytes(file).subarray(0, length).toString("latin1");
    this.#length = bytes.length - (bytes.length % DIGEST_BYTES);
    for (let at = 0; at < this.#length; at += DIGEST_BYTES)
      this.#known.add(bytes.slice(at, at + DIGEST_BYTES));
  }

  has(id: string): boolean {
    return this.#known.has(digestOf(id));
  }

  /** False when the row was there already. */
  add(id: string): boolean {
    const digest = digestOf(id);
    if (this.#known.has(digest)) return false;
    this.#known.add(digest);
    this.#added.push(digest);
    return true;
  }

  /** Writes what was added, durably; gives the bytes that count from now on. */
  save(): number {
    if (this.#added.length === 0) return this.#length;
    const fd = openSync(this.#file, constants.O_RDWR | constants.O_CREAT, PRIVATE_FILE);
    try {
      ftruncateSync(fd, this.#length);
      const bytes = Buffer.from(this.#added.join(""), "latin1");
      for (let done = 0; done < bytes.length; )
        done += writeSync(fd, bytes, done, bytes.length - done, this.#length + done);
      fsyncSync(fd);
      return this.#length + bytes.length;
    } finally {
      closeSync(fd);
    }
  }
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
}
