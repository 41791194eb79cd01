// SHA-256 in plain JavaScript, for programs that live so briefly that loading node:crypto would be most of their life.

const BLOCK = 64;

interface Constants {
  readonly start: Int32Array;
  readonly rounds: Int32Array;
}

/** The first 32 bits of the fractional parts of the first primes' square and cube roots. */
function makeConstants(): Constants {
  const start = new Int32Array(8);
  const rounds = new Int32Array(BLOCK);
  const composite = new Uint8Array(312);
  for (let number = 2, found = 0; found < BLOCK; number++) {
    if (composite[number] === 1) continue;
    for (let multiple = number * number; multiple < composite.length; multiple += number)
      composite[multiple] = 1;
    if (found < start.length) start[found] = (Math.sqrt(number) % 1) * 0x1_0000_0000;
    rounds[found++] = (number ** (1 / 3) % 1) * 0x1_0000_0000;
  }
  return { start, rounds };
}

let constants: Constants | undefined;

/** The text's bytes with the padding of the standard: a one bit, zeros, the length in bits. */
function padded(text: string): DataView {
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

function schedule(words: Int32Array, view: DataView, offset: number): void {
  for (let at = 0; at < 16; at++) words[at] = view.getInt32(offset + at * 4);
  for (let at = 16; at < BLOCK; at++) {
    const early = words[at - 15] ?? 0;
    const late = words[at - 2] ?? 0;
    const s0 = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3);
    const s1 = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10);
    words[at] = (words[at - 16] ?? 0) + s0 + (words[at - 7] ?? 0) + s1;
  }
}

function compress(state: Int32Array, words: Int32Array, rounds: Int32Array): void {
  let a = state[0] ?? 0;
  let b = state[1] ?? 0;
  let c = state[2] ?? 0;
  let d = state[3] ?? 0;
  let e = state[4] ?? 0;
  let f = state[5] ?? 0;
  let g = state[6] ?? 0;
  let h = state[7] ?? 0;
  for (let at = 0; at < BLOCK; at++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const first = h + s1 + ((e & f) ^ (~e & g)) + (rounds[at] ?? 0) + (words[at] ?? 0);
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
  for (let at = 0; at < 8; at++) state[at] = (state[at] ?? 0) + (sums[at] ?? 0);
}

/** The same hexadecimal digits as `sha256`, without a module to load. Slow for megabytes; made for keys. */
export function lightSha256(text: string): string {
  constants ??= makeConstants();
  const { start, rounds } = constants;
  const state = start.slice();
  const words = new Int32Array(BLOCK);
  const view = padded(text);
  for (let offset = 0; offset < view.byteLength; offset += BLOCK) {
    schedule(words, view, offset);
    compress(state, words, rounds);
  }
  let digits = "";
  for (let at = 0; at < 8; at++) digits += (0x1_0000_0000 + ((state[at] ?? 0) >>> 0)).toString(16).slice(1);
  return digits;
}
