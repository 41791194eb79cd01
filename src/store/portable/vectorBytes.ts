// Vectors as bytes: a byte a dimension is as good for ranking.

const LARGEST_BYTE = 127;

/** Scales the largest number to 127. The cosine does not depend on length, so the factor is not kept. */
export function vectorBytes(vector: Float32Array): Int8Array {
  const most = vector.reduce((max, value) => Math.max(max, Math.abs(value)), 0) || 1;
  return Int8Array.from(vector, (value) => Math.round((value / most) * LARGEST_BYTE));
}

/** Of signed bytes; the second come as the database gives them, without a sign. */
export function byteCosine(one: Int8Array, other: Uint8Array) {
  const signed = new Int8Array(other.buffer, other.byteOffset, other.byteLength);
  let [dot, own, its] = [0, 0, 0];
  for (let at = 0; at < one.length; at += 1) {
    const [a, b] = [one[at] ?? 0, signed[at] ?? 0];
    dot += a * b;
    own += a * a;
    its += b * b;
  }
  return own === 0 || its === 0 ? 0 : dot / Math.sqrt(own * its);
}
