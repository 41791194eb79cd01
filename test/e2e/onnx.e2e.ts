// The real runtime of ONNX files, with models that were written for the purpose: what every embedder does, and how search gains.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cosine, embedderContract } from "../../src/embed/contract.ts";
import { openOnnx } from "../../src/embed/index.ts";
import { embedNext, search } from "../../src/search/index.ts";
import { openStore } from "../../src/store/index.ts";
import { type TinyModel, tinyModel, tinyPieces, tinyTable } from "../fixtures/onnx/tinyModel.ts";
import { cacheFolder, installOnce } from "./claude.ts";

const VERSION = "1.30.0";
const folder = path.join(cacheFolder(), `onnxruntime-web-${VERSION}`);
const problem = await installOnce({
  folder,
  wanted: `onnxruntime-web@${VERSION}`,
  proof: (place) => path.join(place, "node_modules", "onnxruntime-web", "package.json"),
});

let root = "";
beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), "throughline-onnx-e2e-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function write(name: string, model: TinyModel): string {
  const place = path.join(root, name);
  mkdirSync(place, { recursive: true });
  const modules = path.join(place, "node_modules");
  rmSync(modules, { force: true });
  symlinkSync(path.join(folder, "node_modules"), modules);
  const vocab = Object.fromEntries(tinyPieces.map((piece, id) => [piece, id]));
  writeFileSync(path.join(place, "tokenizer.json"), JSON.stringify({ model: { type: "WordPiece", vocab } }));
  writeFileSync(path.join(place, "model.onnx"), tinyModel(model));
  return path.join(place, "model.onnx");
}

const inputs = ["input_ids", "attention_mask", "token_type_ids"];

describe.skipIf(problem !== undefined)(`an ONNX file, run by the real runtime ${problem ?? ""}`, () => {
  embedderContract("that gives a vector a piece", () =>
    openOnnx({ file: write("pieces", { table: tinyTable, inputs }) }),
  );

  it("means the same whether it takes the mean itself or leaves that to us", async () => {
    const text = ["The boat left at noon."];
    const models = [write("own", { table: tinyTable }), write("mean", { table: tinyTable, isPooled: true })];
    const vectors = [];
    for (const file of models) {
      const embedder = await openOnnx({ file });
      vectors.push((await embedder.embed(text))[0] ?? new Float32Array());
      await embedder.close();
    }
    expect(cosine(vectors[0] as Float32Array, vectors[1] as Float32Array)).toBeGreaterThan(0.9999);
  });

  it("lets search find what none of its words would", async () => {
    const store = await openStore({ file: path.join(root, "throughline.db") });
    const embedder = await openOnnx({ file: write("search", { table: tinyTable, inputs }) });
    const said = (text: string, minute: number) => ({
      ...{ session: `s${minute}`, uuid: `${minute}`, role: "user", project: "app", text },
      at: new Date(Date.UTC(2026, 2, 2, 9, minute)).toISOString(),
    });
    try {
      await store.addMessages([
        said("the ferry was in the harbour", 1),
        said("nobody was there, they said", 2),
      ]);
      while ((await embedNext(store, embedder)) > 0);
      const query = "when was it that a boat left";
      const found = async (parts: object) =>
        (await search({ store, ...parts }, { query })).hits.map(({ title }) => title);
      expect(await found({})).toEqual([]);
      expect((await found({ embedder: async () => embedder }))[0]).toBe("the ferry was in the harbour");
    } finally {
      await embedder.close();
      await store.close();
    }
  });
});
