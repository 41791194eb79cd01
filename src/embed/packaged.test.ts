// The packaged model in its own process: what it knows of meaning, and that it goes and comes back.
import { expect, it } from "vitest";
import { openPackaged } from "./packaged.ts";

const cosine = (one: Float32Array, other: Float32Array): number => {
  const dot = (a: Float32Array, b: Float32Array) =>
    a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
};

it("puts near what means the same, and starts again after it was closed", async () => {
  const embedder = openPackaged();
  try {
    const [asked, meant, other] = await embedder.embed([
      "How old are you?",
      "What is your age?",
      "The bridge was painted green last summer.",
    ]);
    if (asked === undefined || meant === undefined || other === undefined) throw new Error("no vectors");
    expect(asked).toHaveLength(embedder.dimensions);
    expect(cosine(asked, meant)).toBeGreaterThan(cosine(asked, other) + 0.2);
    const pending = embedder.embed(["a question that is cut off"]);
    await embedder.close();
    await expect(pending).rejects.toMatchObject({ code: "embedder-failed" });
    const [again] = await embedder.embed(["How old are you?"]);
    // Batches are summed in another order than single texts.
    expect(cosine(again ?? new Float32Array(), asked)).toBeGreaterThan(0.9999);
  } finally {
    await embedder.close();
  }
});
