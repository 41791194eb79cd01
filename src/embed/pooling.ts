// From what a model says of each piece of a text to one vector of the text: the mean, of length one.

export interface Tensor {
  readonly dims: readonly number[];
  readonly data: Float32Array;
}

function normalised(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** `[texts, pieces, numbers]` becomes the mean over the pieces that the mask lets count; `[texts, numbers]` is a vector a text already. */
export function pooled({ dims, data }: Tensor, mask: readonly (readonly number[])[]): Float32Array[] {
  const width = dims.at(-1) ?? 0;
  if (dims.length === 2) return mask.map((_, row) => normalised(data.slice(row * width, (row + 1) * width)));
  const pieces = dims.length === 3 ? (dims[1] ?? 0) : 0;
  return mask.map((counts, row) => {
    const sum = new Float32Array(pieces === 0 ? 0 : width);
    let counted = 0;
    for (let piece = 0; piece < pieces; piece += 1) {
      if (counts[piece] !== 1) continue;
      counted += 1;
      const start = (row * pieces + piece) * width;
      for (let at = 0; at < width; at += 1) sum[at] = (sum[at] ?? 0) + (data[start + at] ?? 0);
    }
    return normalised(sum.map((value) => value / Math.max(1, counted)));
  });
}
