// SHA-256 in plain JavaScript, for programs that live so briefly that loading node:crypto would be most of their life.

const BLOCK = 64;

/** The first 32 bits of the fractional part of a prime's root: the standard's source of constants. */
function fractionBits(prime: number, root: number): number {
  const value = prime ** (1 / root);
  return ((value - Math.floor(value)) * 0x1_0000_0000) | 0;
}

function primes(count: number): number[] {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate++)
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate);
  return found;
}

let constants: { readonly start: Int32Array; readonly rounds: Int32Array } | undefined;

function tables(): { readonly start: Int32Array; readonly rounds: Int32Array } {
  constants ??= {
    start: Int32Array.from(primes(8), (prime) => fractionBits(prime, 2)),
    rounds: Int32Array.from(primes(BLOCK), (prime) => fractionBits(prime, 3)),
  };
  return constants;
}

const turn = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** The text's bytes with the padding of the standard: a one bit, zeros, the length in bits. */
function padded(text: string): Uint8Array {
  const bytes = Buffer.from(text, "utf8");
  const whole = Buffer.alloc(Math.ceil((bytes.length + 9) / BLOCK) * BLOCK);
  bytes.copy(whole);
  whole[bytes.length] = 0x80;
  whole.writeUInt32BE(Math.floor(bytes.length / 0x2000_0000), whole.length - 8);
  whole.writeUInt32BE((bytes.length << 3) >>> 0, whole.length - 4);
  return whole;
}

function schedule(words: Int32Array, view: DataView, offset: number): void {
  for (let at = 0; at < 16; at++) words[at] = view.getInt32(offset + at * 4);
  for (let at = 16; at < BLOCK; at++) {
    const [early, late] = [words[at - 15] ?? 0, words[at - 2] ?? 0];
    const s0 = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3);
    const s1 = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10);
    words[at] = ((words[at - 16] ?? 0) + s0 + (words[at - 7] ?? 0) + s1) | 0;
  }
}

function compress(state: Int32Array, words: Int32Array, rounds: Int32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let at = 0; at < BLOCK; at++) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const first =
      (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + choice + (rounds[at] ?? 0) + (words[at] ?? 0)) | 0;
    const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  const add = [a, b, c, d, e, f, g, h];
  for (let at = 0; at < 8; at++) state[at] = ((state[at] ?? 0) + (add[at] ?? 0)) | 0;
}

/** The same hexadecimal digits as `sha256`, without a module to load. Slow for megabytes; made for keys. */
export function lightSha256(text: string): string {
  const { start, rounds } = tables();
  const state = Int32Array.from(start);
  const bytes = padded(text);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const words = new Int32Array(BLOCK);
  for (let offset = 0; offset < bytes.length; offset += BLOCK) {
    schedule(words, view, offset);
    compress(state, words, rounds);
  }
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}
