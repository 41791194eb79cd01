// What the vectors of the killed process come to: how many there are, and how many passages wait for one.
import type { Store } from "../../src/store/index.ts";

const model = { id: "killed", dimensions: 4 };

export async function vectorState(store: Store): Promise<{ vectors: number; waiting: number }> {
  const vector = Float32Array.from([1, 1, 2, 3]);
  const found = await store.nearest({ model, vector, limit: 1_000_000 });
  return { vectors: found.length, waiting: (await store.barePassages(model, 1_000_000)).length };
}
