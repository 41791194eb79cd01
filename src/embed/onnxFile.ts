// An embedder from a user's ONNX file: reads the vocabulary beside it and runs it with an installed runtime.
import { createRequire } from "node:module";
import path from "node:path";
import { isObject } from "../lib/index.ts";
import { cannotEmbed, checkVectors, type Embedder } from "./embedder.ts";
import { hashOfFile, type Prefixes, prefixesBeside, prefixName, tokenizerBeside } from "./modelFiles.ts";
import { answering, type ModelProcess, modelProcess } from "./modelProcess.ts";
import type { Tokenizer } from "./wordPiece.ts";

interface OnnxOptions {
  /** The `.onnx` file. */
  readonly file: string;
  readonly idleMs?: number;
}

/** The first is quicker; the second needs nothing but itself. */
const runtimes = ["onnxruntime-node", "onnxruntime-web"];
const FIX_RUNTIME =
  "npm install --ignore-scripts onnxruntime-node (or onnxruntime-web) beside throughline or beside the model, or choose another with search.embedder";
const FIX_FILE =
  "throughline config set search.modelFile FILE.onnx, with its tokenizer.json or vocab.txt in the same folder";
/** Passages have about 120 tokens; the beginning of a longer text is enough. */
const MOST_TOKENS = 256;
const TEXTS_PER_RUN = 16;
const LONGEST_PROBLEM = 200;

/** Gives what the model gives for rows of numbers, all of one length, with what of them is to be read. */
const runtimeProgram = `
const [runtime, file] = process.argv.slice(1);
const { InferenceSession, Tensor } = require(runtime);
const opened = InferenceSession.create(file, { executionProviders: [runtime.includes("onnxruntime-web") ? "wasm" : "cpu"] });
// The caller gets the error.
opened.catch(() => undefined);
const asTensor = (rows) =>
  new Tensor("int64", BigInt64Array.from(rows.flat().map(BigInt)), [rows.length, rows[0].length]);
const preferred = ["sentence_embedding", "last_hidden_state", "token_embeddings"];
${answering(`async ({ ids, mask }) => {
  const session = await opened;
  const known = { input_ids: ids, attention_mask: mask, token_type_ids: ids.map((row) => row.map(() => 0)) };
  const feeds = {};
  for (const name of session.inputNames) {
    if (known[name] === undefined) throw new Error("it asks for " + name + ", which no text has");
    feeds[name] = asTensor(known[name]);
  }
  const results = await session.run(feeds);
  const name = preferred.find((one) => session.outputNames.includes(one)) ?? session.outputNames[0];
  return { dims: results[name].dims.map(Number), data: Float32Array.from(results[name].data, Number) };
}`)}`;

function runtimeFor(file: string) {
  for (const from of [import.meta.url, path.resolve(file)]) {
    const { resolve } = createRequire(from);
    for (const name of runtimes) {
      try {
        return resolve(name);
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "MODULE_NOT_FOUND")) throw error;
      }
    }
  }
  throw cannotEmbed("nothing is installed that runs ONNX files", FIX_RUNTIME);
}

/** All as long as the longest, and which of their numbers are of the text. */
function paddedRows(rows: readonly number[][]): { readonly ids: number[][]; readonly mask: number[][] } {
  const longest = rows.reduce((most, { length }) => Math.max(most, length), 0);
  const fill = (row: readonly number[]) => Array.from({ length: longest - row.length }, () => 0);
  return {
    ids: rows.map((row) => [...row, ...fill(row)]),
    mask: rows.map((row) => [...row.map(() => 1), ...fill(row)]),
  };
}

function asTensor(answer: unknown): Tensor {
  if (isObject(answer) && Array.isArray(answer.dims) && answer.data instanceof Float32Array)
    return { dims: answer.dims.map(Number), data: answer.data };
  throw cannotEmbed("the model did not answer with numbers", FIX_FILE);
}

/** With the marks for beginning and end around its pieces. */
function numbersOf(text: string, { pieces, marks }: Tokenizer) {
  if (marks === undefined)
    throw cannotEmbed("the vocabulary of the model has no marks for beginning and end", FIX_FILE);
  return [marks[0], ...pieces(text, MOST_TOKENS - marks.length), marks[1]];
}

const embedding =
  (model: ModelProcess, tokenizer: Tokenizer, prefixes: Prefixes): Embedder["embed"] =>
  async (texts, as = "passage") => {
    if (texts.length === 0) return [];
    const question = paddedRows(texts.map((text) => numbersOf(prefixes[as] + text, tokenizer)));
    const tensor = asTensor(await model.ask(question));
    return checkVectors(pooled(tensor, question.mask), texts.length);
  };

/** Embeds one text to learn the length of its vectors. */
export async function openOnnx({ file, idleMs }: OnnxOptions): Promise<Embedder> {
  if (file === "") throw cannotEmbed("no file of a model is named", FIX_FILE);
  const [hash, tokenizer] = [await hashOfFile(file, FIX_FILE), tokenizerBeside(file, FIX_FILE)];
  const prefixes = prefixesBeside(file);
  const name = `the model ${path.basename(file).slice(0, LONGEST_PROBLEM)}`;
  const args = () => [runtimeFor(file), path.resolve(file)];
  const model = modelProcess({ name, source: runtimeProgram, args, fix: FIX_FILE }, idleMs);
  const embed = embedding(model, tokenizer, prefixes);
  try {
    const [probe] = await embed(["How long is a vector?"]);
    const dimensions = probe?.length ?? 0;
    const close = () => model.close();
    return {
      id: `onnx:${hash}${prefixName(prefixes)}`,
      dimensions,
      languages: "any",
      batch: TEXTS_PER_RUN,
      embed,
      close,
    };
  } catch (error) {
    await model.close();
    throw error;
  }
}

interface Tensor {
  readonly dims: readonly number[];
  readonly data: Float32Array;
}

function normalised(vector: Float32Array) {
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
