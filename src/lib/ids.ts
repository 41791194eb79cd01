// Hashes and identifiers.
import { hash, randomBytes } from "node:crypto";

export function sha256(data: string | Uint8Array) {
  return hash("sha256", data, "hex");
}

/** A unique id that sorts by time: 9 base-36 characters of milliseconds, then 10 random ones. */
export function timeOrderedId(prefix: string, now: number) {
  const time = Math.max(0, Math.floor(now)).toString(36).padStart(9, "0");
  const random = BigInt(`0x${randomBytes(8).toString("hex")}`)
    .toString(36)
    .padStart(13, "0")
    .slice(-10);
  return `${prefix}_${time}${random}`;
}

const BLOCK = 64;

/** Words of 32 bits, little-endian, in base64: half of what they take as numbers, and read at once. */
function unpackedWords(packed: string): Int32Array {
  const bytes = Buffer.from(packed, "base64");
  return new Int32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

/** The first 32 bits of the fractional parts of the square roots of the first 8 primes. */
const START = "Z+YJaoWuZ7ty8248OvVPpX9SDlGMaAWbq9mDHxnN4Fs";

/** The same of the cube roots of the first 64. */
const ROUNDS =
  "mC+KQpFEN3HP+8C1pdu16VvCVjnxEfFZpII/ktVeHKuYqgfYAVuDEr6FMSTDfQxVdF2+cv6x3oCnBtybdPGbwcFpm+SGR77vxp3BD8yhDCRvLOktqoR0StypsFzaiPl2UlE+mG3GMajIJwOwx39Zv/ML4MZHkafVUWPKBmcpKRSFCrcnOCEbLvxtLE0TDThTVHMKZbsKanYuycKBhSxykqHov6JLZhqocItLwqNRbMcZ6JLRJAaZ1oU1DvRwoGoQFsGkGQhsNx5Md0gntbywNLMMHDlKqthOT8qcW/NvLmjugo90b2OleBR4yIQIAseM+v++kOtsUKT3o/m+8nhxxg";

/** The text's bytes with the padding of the standard: a one bit, zeros, the length in bits. */
function paddedMessage(text: string): DataView {
  const bytes = Buffer.from(text, "utf8");
  const whole = new Uint8Array(Math.ceil((bytes.length + 9) / BLOCK) * BLOCK);
  whole.set(bytes);
  whole[bytes.length] = 0x80;
  const view = new DataView(whole.buffer);
  view.setUint32(whole.length - 8, bytes.length / 0x2000_0000);
  view.setUint32(whole.length - 4, bytes.length << 3);
  return view;
}

// Most programs that call this run it once or twice, in the interpreter: plain variables, nothing to iterate over.

function schedule(words: Int32Array, view: DataView, offset: number) {
  for (let at = 0; at < 16; at++) words[at] = view.getInt32(offset + at * 4);
  for (let at = 16; at < BLOCK; at++) {
    const early = words[at - 15] as number;
    const late = words[at - 2] as number;
    const s0 = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3);
    const s1 = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10);
    words[at] = (words[at - 16] as number) + s0 + (words[at - 7] as number) + s1;
  }
}

function compress(state: Int32Array, words: Int32Array, rounds: Int32Array) {
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  let f = state[5] as number;
  let g = state[6] as number;
  let h = state[7] as number;
  for (let at = 0; at < BLOCK; at++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const first = h + s1 + ((e & f) ^ (~e & g)) + (rounds[at] as number) + (words[at] as number);
    const second = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  const sums = [a, b, c, d, e, f, g, h];
  for (let at = 0; at < 8; at++) state[at] = (state[at] as number) + (sums[at] as number);
}

/** The state of a SHA-256 that has taken nothing in. */
export const startOfSha256 = (): Int32Array => unpackedWords(START);

let rounds: Int32Array | undefined;
const words = new Int32Array(BLOCK);

/** Takes whole blocks of 64 bytes into the state. */
export function takeIntoSha256(state: Int32Array, view: DataView): void {
  rounds ??= unpackedWords(ROUNDS);
  for (let offset = 0; offset + BLOCK <= view.byteLength; offset += BLOCK) {
    schedule(words, view, offset);
    compress(state, words, rounds);
  }
}

export function digitsOfSha256(state: Int32Array): string {
  let digits = "";
  for (let at = 0; at < 8; at++)
    digits += (0x1_0000_0000 + ((state[at] as number) >>> 0)).toString(16).slice(1);
  return digits;
}

/** The same hexadecimal digits as `sha256`, without a module to load. Slow for megabytes; made for keys. */
export function lightSha256(text: string) {
  const state = startOfSha256();
  takeIntoSha256(state, paddedMessage(text));
  return digitsOfSha256(state);
}

/** The id of a prompt where the agent gives ids to turns: a turn can hold several prompts. */
export const promptIdInTurn = (turn: string, prompt: string) =>
  `${turn}/${lightSha256(prompt.trim()).slice(0, 8)}`;
