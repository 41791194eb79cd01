// SHA-256 whose state can be kept on disk: a later process goes on hashing without the bytes before.

/** Primes decide the constants: fractions of their cube roots for the rounds, of their square roots for the start. */
function firstPrimes(count: number) {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate++)
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  return primes;
}
const fraction = (value: number) => ((value - Math.floor(value)) * 2 ** 32) | 0;
const ROUNDS = Int32Array.from(firstPrimes(64), (prime) => fraction(Math.cbrt(prime)));
const START = firstPrimes(8).map((prime) => fraction(Math.sqrt(prime)));

const BLOCK = 64;
const LENGTH_BYTES = 8;
const schedule = new Int32Array(BLOCK);

/** What a hash has taken in so far. */
export interface Sha256State {
  readonly words: readonly number[];
  /** Bytes that do not fill a block yet. */
  readonly rest: Uint8Array;
  readonly length: number;
}

export class ResumableSha256 {
  readonly #words: Int32Array;
  #rest: Uint8Array;
  #length: number;

  constructor({ words, rest, length }: Sha256State = { words: START, rest: new Uint8Array(0), length: 0 }) {
    [this.#words, this.#rest, this.#length] = [Int32Array.from(words), rest, length];
  }

  update(bytes: Uint8Array): this {
    this.#length += bytes.length;
    let from = 0;
    if (this.#rest.length > 0) {
      from = Math.min(BLOCK - this.#rest.length, bytes.length);
      const joined = Buffer.concat([this.#rest, bytes.subarray(0, from)]);
      if (joined.length === BLOCK) compress(this.#words, joined, 0);
      this.#rest = joined.length === BLOCK ? joined.subarray(BLOCK) : joined;
      if (this.#rest.length > 0) return this;
    }
    for (; from + BLOCK <= bytes.length; from += BLOCK) compress(this.#words, bytes, from);
    this.#rest = bytes.slice(from);
    return this;
  }

  copy(): ResumableSha256 {
    return new ResumableSha256(this.state());
  }

  state(): Sha256State {
    return { words: [...this.#words], rest: this.#rest, length: this.#length };
  }

  /** The digest of everything so far; more may be added afterwards. */
  hex(): string {
    const words = this.#words.slice();
    const rest = this.#rest;
    const end = Buffer.alloc(rest.length + 1 + LENGTH_BYTES <= BLOCK ? BLOCK : 2 * BLOCK);
    end.set(rest);
    end[rest.length] = 0x80;
    end.writeBigUInt64BE(BigInt(this.#length) * 8n, end.length - LENGTH_BYTES);
    for (let from = 0; from < end.length; from += BLOCK) compress(words, end, from);
    return Array.from(words, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
  }
}

/** Takes one block in. */
function compress(words: Int32Array, bytes: Uint8Array, from: number) {
  const w = schedule;
  for (let at = 0, place = from; at < 16; at++, place += 4)
    w[at] =
      ((bytes[place] as number) << 24) |
      ((bytes[place + 1] as number) << 16) |
      ((bytes[place + 2] as number) << 8) |
      (bytes[place + 3] as number);
  for (let at = 16; at < BLOCK; at++) {
    const [early, late] = [w[at - 15] as number, w[at - 2] as number];
    const s0 = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3);
    const s1 = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10);
    w[at] = ((w[at - 16] as number) + s0 + (w[at - 7] as number) + s1) | 0;
  }
  let a = words[0] as number;
  let b = words[1] as number;
  let c = words[2] as number;
  let d = words[3] as number;
  let e = words[4] as number;
  let f = words[5] as number;
  let g = words[6] as number;
  let h = words[7] as number;
  for (let at = 0; at < BLOCK; at++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (ROUNDS[at] as number) + (w[at] as number)) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  words[0] = ((words[0] as number) + a) | 0;
  words[1] = ((words[1] as number) + b) | 0;
  words[2] = ((words[2] as number) + c) | 0;
  words[3] = ((words[3] as number) + d) | 0;
  words[4] = ((words[4] as number) + e) | 0;
  words[5] = ((words[5] as number) + f) | 0;
  words[6] = ((words[6] as number) + g) | 0;
  words[7] = ((words[7] as number) + h) | 0;
}
