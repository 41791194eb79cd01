// The packaged model in its own process: what every embedder does, and what this one knows of meaning.
import { expect, it } from "vitest";
import { cosine, embedderContract } from "./contract.ts";
import { openPackaged } from "./packaged.ts";

embedderContract("that is packaged", () => openPackaged());

it("puts near what means the same", async () => {
  const embedder = openPackaged();
  try {
    const [asked, meant, other] = (await embedder.embed([
      "How old are you?",
      "What is your age?",
      "The bridge was painted green last summer.",
    ])) as [Float32Array, Float32Array, Float32Array];
    expect(cosine(asked, meant)).toBeGreaterThan(cosine(asked, other) + 0.2);
  } finally {
    await embedder.close();
  }
});
