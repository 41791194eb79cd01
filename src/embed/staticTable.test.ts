// A Model2Vec folder with an invented table: the mean of its rows, in every type that such files have.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { safetensors, type Tensor, typed } from "../../test/fixtures/safetensors.ts";
import { cosine, embedderContract } from "./contract.ts";
import { prefixesBeside } from "./modelFiles.ts";
import { openStatic } from "./staticTable.ts";

let root = "";
beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), "throughline-static-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const pieces = ["[UNK]", "boat", "ferry", "left", "pier", "buoy", "the", "query", ":", "数", "据", "a", "x"];
/** A boat is nearly a ferry. */
const vectors = pieces.map((_, id) =>
  id === 2 ? [0.1, 1, 0.3, 0] : [Math.sin(id * 3), Math.cos(id * 5), id === 1 ? 0.3 : Math.sin(id * 7), 0.2],
);
vectors[1] = [0, 1, 0.3, 0.1];

const table = (type: string): Tensor => ({
  type,
  shape: [pieces.length, 4],
  bytes: typed(type, vectors.flat()),
});
const list = (type: string, values: readonly number[]): Tensor => ({
  ...{ type, shape: [values.length], bytes: typed(type, values) },
});

const vocab = Object.fromEntries(pieces.map((piece, id) => [piece, id]));
const tokenizer = JSON.stringify({ model: { type: "WordPiece", vocab, unk_token: "[UNK]" } });

function write(folder: string, files: Readonly<Record<string, string | Buffer>>): string {
  mkdirSync(path.join(root, folder), { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(root, folder, name), content);
  return path.join(root, folder, "model.safetensors");
}

const model = (tensors: Readonly<Record<string, Tensor>>) => ({
  "model.safetensors": safetensors(tensors),
  "tokenizer.json": tokenizer,
});

embedderContract("in a table", () =>
  openStatic({ file: write("contract", model({ embeddings: table("F32") })) }),
);

const vectorsOf = async (file: string, texts: readonly string[]): Promise<Float32Array[]> => {
  const embedder = await openStatic({ file });
  const made = await embedder.embed(texts);
  await embedder.close();
  return made;
};

const texts = ["the boat left", "the ferry left", "buoy: 数据"];

describe("a table", () => {
  it.each(["F32", "BF16", "I8"])("in %s gives the mean of the rows of known pieces", async (type) => {
    const [boat, ferry, other] = (await vectorsOf(
      write(type, model({ embeddings: table(type) })),
      texts,
    )) as [Float32Array, Float32Array, Float32Array];
    const sum = [0, 1, 2, 3].map((column) =>
      [6, 1, 3].reduce((total, id) => total + (vectors[id]?.[column] ?? 0), 0),
    );
    expect(cosine(boat, Float32Array.from(sum))).toBeGreaterThan(0.999);
    expect(cosine(boat, ferry)).toBeGreaterThan(cosine(boat, other));
    const [unknown] = await vectorsOf(write(type, model({ embeddings: table(type) })), [
      "zeppelin the boat left",
    ]);
    expect(cosine(unknown ?? boat, boat)).toBeGreaterThan(0.999);
  });

  it("weighs pieces and shares rows where the file says so", async () => {
    const weights = pieces.map((piece) => (piece === "boat" ? 1 : 0));
    const mapping = pieces.map((_, id) => (id === 1 ? 4 : id));
    const file = write(
      "weights",
      model({ embeddings: table("F32"), weights: list("F32", weights), mapping: list("I64", mapping) }),
    );
    const [boat] = await vectorsOf(file, ["the boat left"]);
    expect(cosine(boat ?? new Float32Array(4), Float32Array.from(vectors[4] ?? []))).toBeGreaterThan(0.9999);
  });

  it.each([
    [
      "no safetensors",
      { "model.safetensors": "nonsense, long enough", "tokenizer.json": tokenizer },
      /cannot be used/,
    ],
    ["no embeddings", model({ other: table("F32") }), /no embeddings/],
    [
      "no tokenizer",
      { "model.safetensors": safetensors({ embeddings: table("F32") }) },
      /no tokenizer\.json/,
    ],
  ])("with %s is refused with what to do", async (name, files, message) => {
    await expect(openStatic({ file: write(name.replace(" ", "-"), files) })).rejects.toMatchObject({
      code: "embedder-failed",
      message: expect.stringMatching(message),
      fix: expect.stringMatching(/modelFile/),
    });
  });
});

describe("words before a text", () => {
  it("are those of the model's settings, or of its family, or none", () => {
    const settings = JSON.stringify({ prompts: { query: "Ask: ", document: "" } });
    expect(prefixesBeside(write("said", { "config_sentence_transformers.json": settings }))).toEqual({
      question: "Ask: ",
      passage: "",
    });
    expect(prefixesBeside(write("multilingual-e5-small", {}))).toEqual({
      question: "query: ",
      passage: "passage: ",
    });
    expect(prefixesBeside(write("minilm", {}))).toEqual({ question: "", passage: "" });
  });

  it("make other vectors of a question, and another name", async () => {
    const plain = await openStatic({ file: write("plain", model({ embeddings: table("F32") })) });
    const e5 = await openStatic({ file: write("tiny-e5", model({ embeddings: table("F32") })) });
    const [question] = await e5.embed(["the boat left"], "question");
    const [expected] = await plain.embed(["query: the boat left"]);
    expect(cosine(question ?? new Float32Array(4), expected ?? new Float32Array(4))).toBeGreaterThan(0.9999);
    expect(e5.id).not.toBe(plain.id);
    await Promise.all([plain.close(), e5.close()]);
  });
});
