// What every embedder must do: one suite, given a way to open one.
import { describe, expect, it } from "vitest";
import type { Embedder } from "./embedder.ts";

export const cosine = (one: Float32Array, other: Float32Array): number => {
  const dot = (a: Float32Array, b: Float32Array) =>
    a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
};

export function embedderContract(name: string, open: () => Promise<Embedder> | Embedder): void {
  const withOne = (use: (embedder: Embedder) => Promise<void>) => async () => {
    const embedder = await open();
    try {
      await use(embedder);
    } finally {
      await embedder.close();
    }
  };
  describe(`the embedder ${name}`, () => {
    it(
      "gives one vector for each text, in their order, each as long as it says",
      withOne(async (embedder) => {
        const texts = ["The boat left at noon.", "Nobody was at the pier.", "The boat left at noon."];
        const vectors = await embedder.embed(texts);
        expect(vectors.map(({ length }) => length)).toEqual(texts.map(() => embedder.dimensions));
        const [first, second, third] = vectors as [Float32Array, Float32Array, Float32Array];
        expect(cosine(first, third)).toBeGreaterThan(0.9999);
        expect(cosine(first, second)).toBeLessThan(0.9999);
        const [alone] = await embedder.embed([texts[1] ?? ""]);
        // Batches may be summed in another order than single texts.
        expect(cosine(alone ?? new Float32Array(), second)).toBeGreaterThan(0.999);
        expect(await embedder.embed([])).toEqual([]);
      }),
    );

    it(
      "takes any text: none, long ones, other scripts, and characters that are none",
      withOne(async (embedder) => {
        const texts = ["", "word ".repeat(2_000), "数据库连接错误", "😀\u0000\ud800 ~~ ﷽", "x".repeat(5_000)];
        const vectors = await embedder.embed(texts);
        expect(vectors).toHaveLength(texts.length);
        for (const vector of vectors) expect(vector.every(Number.isFinite)).toBe(true);
      }),
    );

    it(
      "lets those know who wait when it is closed, and can be asked again",
      withOne(async (embedder) => {
        const [before] = await embedder.embed(["The boat left at noon."]);
        const pending = embedder.embed(["cut off"]);
        await embedder.close();
        await expect(pending).rejects.toMatchObject({ code: "embedder-failed", fix: expect.any(String) });
        const [again] = await embedder.embed(["The boat left at noon."]);
        expect(cosine(again ?? new Float32Array(), before ?? new Float32Array())).toBeGreaterThan(0.9999);
      }),
    );
  });
}
