// A model in a file, run by a stand-in for the runtime that does what the tiny models do; the real one is in the end-to-end suite.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { tinyModel, tinyPieces, tinyTable } from "../../test/fixtures/onnx/tinyModel.ts";
import { cosine, embedderContract } from "./contract.ts";
import { openOnnx, pooled } from "./onnxFile.ts";

let root = "";
beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), "throughline-onnx-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Reads its table from the end of the file, where the weights of a stand-in are. */
const standIn = `
const { readFileSync } = require("node:fs");
class Tensor { constructor(type, data, dims) { Object.assign(this, { type, data, dims }); } }
const InferenceSession = {
  async create(file) {
    const { table, inputs } = JSON.parse(readFileSync(file, "utf8"));
    return {
      inputNames: inputs,
      outputNames: ["something_else", "last_hidden_state"],
      async run(feeds) {
        for (const name of inputs) if (feeds[name].type !== "int64") throw new Error("no numbers for " + name);
        const { dims, data } = feeds.input_ids;
        const values = [...data].flatMap((id) => table[Number(id)]);
        return { last_hidden_state: { dims: [...dims, table[0].length], data: values } };
      },
    };
  },
};
module.exports = { InferenceSession, Tensor };`;

function write(folder: string, files: Readonly<Record<string, string | Buffer>>): string {
  const place = path.join(root, folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(place, name)), { recursive: true });
    writeFileSync(path.join(place, name), content);
  }
  return path.join(place, "model.onnx");
}

const runtime = { "node_modules/onnxruntime-web/index.js": standIn };
const model = (inputs: readonly string[] = ["input_ids", "attention_mask", "token_type_ids"]): string =>
  JSON.stringify({ table: tinyTable, inputs });
const vocabulary = { "vocab.txt": tinyPieces.join("\n") };

embedderContract("in an ONNX file", () =>
  openOnnx({ file: write("contract", { ...runtime, ...vocabulary, "model.onnx": model() }) }),
);

it("takes the mean over the text alone, whatever it is padded with, and knows what its model knows", async () => {
  const embedder = await openOnnx({
    file: write("meaning", { ...runtime, ...vocabulary, "model.onnx": model() }),
  });
  const [boats, ferries, pier] = (await embedder.embed([
    "The boat left!",
    "The ferries left!",
    "Nobody was at the pier. ".repeat(9),
  ])) as [Float32Array, Float32Array, Float32Array];
  await embedder.close();
  expect(embedder).toMatchObject({
    dimensions: 12,
    languages: "any",
    id: expect.stringMatching(/^onnx:[0-9a-f]{12}$/),
  });
  expect(cosine(boats, ferries)).toBeGreaterThan(cosine(boats, pier) + 0.2);
  expect(boats.reduce((sum, value) => sum + value * value, 0)).toBeCloseTo(1, 5);
});

it("pools what comes as pieces, and leaves alone what is a vector already", () => {
  const pieces = { dims: [1, 3, 2], data: Float32Array.from([3, 0, 0, 3, 9, 9]) };
  const half = Math.SQRT1_2;
  expect([...(pooled(pieces, [[1, 1, 0]])[0] ?? [])]).toEqual([expect.closeTo(half), expect.closeTo(half)]);
  const whole = { dims: [2, 2], data: Float32Array.from([0, 2, 5, 0]) };
  expect(pooled(whole, [[1], [1]]).map((one) => [...one])).toEqual([
    [0, 1],
    [1, 0],
  ]);
});

it("has another name for another model, so that vectors of two are never compared", async () => {
  const ids = [];
  for (const inputs of [["input_ids"], ["input_ids", "attention_mask"]]) {
    const embedder = await openOnnx({
      file: write("names", { ...runtime, ...vocabulary, "model.onnx": model(inputs) }),
    });
    ids.push(embedder.id);
    await embedder.close();
  }
  expect(new Set(ids).size).toBe(2);
});

const bpe = JSON.stringify({ model: { type: "BPE", vocab: {} } });

it.each<[string, Readonly<Record<string, string | Buffer>>, RegExp, RegExp]>([
  ["no file", { ...runtime, ...vocabulary }, /cannot be read/, /search\.modelFile/],
  ["no vocabulary", { ...runtime, "model.onnx": "x" }, /no tokenizer\.json/, /same folder/],
  ["a vocabulary of another kind", { ...runtime, "model.onnx": "x", "tokenizer.json": bpe }, /BPE/, /server/],
  [
    "no runtime",
    { ...vocabulary, "model.onnx": tinyModel({ table: tinyTable }) },
    /nothing is installed/,
    /npm install/,
  ],
  [
    "a broken model",
    { ...runtime, ...vocabulary, "model.onnx": "x" },
    /model\.onnx failed/,
    /search\.modelFile/,
  ],
  [
    "a model for pictures",
    { ...runtime, ...vocabulary, "model.onnx": model(["pixels"]) },
    /asks for pixels/,
    /modelFile/,
  ],
])("says what is wrong and what to do where there is %s", async (name, files, message, fix) => {
  const file = write(name.replaceAll(" ", "-"), files);
  await expect(openOnnx({ file })).rejects.toMatchObject({
    code: "embedder-failed",
    message: expect.stringMatching(message),
    fix: expect.stringMatching(fix),
  });
});

it("needs to be told which file", async () => {
  await expect(openOnnx({ file: "" })).rejects.toMatchObject({ code: "embedder-failed" });
});
