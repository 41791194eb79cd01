// SHA-256 whose state can be kept on disk: a later process goes on hashing without the bytes before.
import { digitsOfSha256, startOfSha256, takeIntoSha256 } from "../lib/index.ts";

const BLOCK = 64;
const LENGTH_BYTES = 8;

/** What a hash has taken in so far. */
export interface Sha256State {
  readonly words: Int32Array;
  /** Bytes that do not fill a block yet. */
  readonly rest: Uint8Array;
  readonly length: number;
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new DataView(buffer, byteOffset, byteLength);

export class ResumableSha256 {
  readonly #words: Int32Array;
  #rest: Uint8Array;
  #length: number;

  constructor(state: Sha256State = { words: startOfSha256(), rest: new Uint8Array(0), length: 0 }) {
    [this.#words, this.#rest, this.#length] = [state.words.slice(), state.rest, state.length];
  }

  update(bytes: Uint8Array): this {
    this.#length += bytes.length;
    let from = 0;
    if (this.#rest.length > 0) {
      from = Math.min(BLOCK - this.#rest.length, bytes.length);
      this.#rest = Buffer.concat([this.#rest, bytes.subarray(0, from)]);
      if (this.#rest.length < BLOCK) return this;
      takeIntoSha256(this.#words, viewOf(this.#rest));
    }
    takeIntoSha256(this.#words, viewOf(bytes.subarray(from)));
    this.#rest = bytes.slice(bytes.length - ((bytes.length - from) % BLOCK));
    return this;
  }

  copy(): ResumableSha256 {
    return new ResumableSha256(this.state());
  }

  state(): Sha256State {
    return { words: this.#words.slice(), rest: this.#rest, length: this.#length };
  }

  /** The digest of everything so far; more may be added afterwards. */
  hex(): string {
    const words = this.#words.slice();
    const rest = this.#rest;
    const end = Buffer.alloc(rest.length + 1 + LENGTH_BYTES <= BLOCK ? BLOCK : 2 * BLOCK);
    end.set(rest);
    end[rest.length] = 0x80;
    end.writeBigUInt64BE(BigInt(this.#length) * 8n, end.length - LENGTH_BYTES);
    takeIntoSha256(words, viewOf(end));
    return digitsOfSha256(words);
  }
}
