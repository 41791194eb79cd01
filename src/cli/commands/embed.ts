// `throughline embed`: a model for search by meaning, measured on the user's own store before it is used, and how far its vectors are.
import path from "node:path";
import { setSetting } from "../../config/index.ts";
import { openOnnx, openStatic } from "../../embed/index.ts";
import { ThroughlineError } from "../../lib/index.ts";
import { type EmbedderMeasure, measureEmbedder, pairsOf } from "../../search/index.ts";
import type { Store } from "../../store/index.ts";
import { defineCommand, defineGroup, flag, optional } from "../command.ts";
import { commandContext, currentConfig, withDatabase } from "../context.ts";
import { formatNumber } from "../output.ts";

const HOW = [
  "1. Get a multilingual model: model.safetensors and tokenizer.json of minishlab/potion-multilingual-128M (Hugging Face), into one folder. It is a table; no other program is needed.",
  "2. Measure it on what you have stored: throughline embed setup FOLDER/model.safetensors",
  "3. Switch it on if it is worth it: the same with --on. The worker then embeds everything in the background; `throughline embed status` shows how far it is.",
];

/** With fewer, one title more or less is several percent. */
const FEWEST_PAIRS = 20;
const MOST_PAIRS = 200;
/** A model that finds fewer of the texts than this share of what words find adds nothing but cost. */
const LEAST_SHARE = 0.5;

function kindOf(file: string) {
  if (file.endsWith(".safetensors")) return "model2vec";
  if (file.endsWith(".onnx")) return "onnx";
  throw new ThroughlineError(
    "usage",
    `${path.basename(file)} is no model that can be read`,
    "name a .safetensors file of Model2Vec or an .onnx file, with its tokenizer.json beside it",
  );
}

async function measured(store: Store, file: string, kind: ReturnType<typeof kindOf>) {
  const { items } = await store.observations({ limit: 500 });
  const pairs = pairsOf(items).slice(0, MOST_PAIRS);
  if (pairs.length < FEWEST_PAIRS)
    throw new ThroughlineError(
      "not-found",
      `only ${pairs.length} observations have a title and a text; ${FEWEST_PAIRS} are needed to measure a model`,
      "work on, or `throughline import` the sessions that you had before",
    );
  const embedder = await (kind === "onnx" ? openOnnx({ file }) : openStatic({ file }));
  try {
    const { passages } = await store.vectorState();
    return { ...(await measureEmbedder(embedder, pairs)), passages, dimensions: embedder.dimensions };
  } finally {
    await embedder.close();
  }
}

const isWorthIt = ({ byModel, byWords }: EmbedderMeasure) => byModel > 0 && byModel >= LEAST_SHARE * byWords;

function measureLines(measure: Awaited<ReturnType<typeof measured>>) {
  const { asked, byModel, byWords, textsPerSecond, passages, dimensions } = measure;
  const seconds = Math.ceil(passages / Math.max(1, textsPerSecond));
  return [
    `Of ${asked} titles of yours, the model puts the right text first for ${byModel}, words do for ${byWords}.`,
    `${formatNumber(textsPerSecond)} texts a second: all ${formatNumber(passages)} passages take about ${formatNumber(seconds)} s and ${formatNumber(Math.ceil((passages * dimensions) / 1e6))} MB.`,
  ];
}

const setup = defineCommand({
  summary: "measure a model on your own store, and switch it on",
  args: {
    file: optional("a .safetensors file of Model2Vec, or an .onnx file"),
    on: flag("use it from now on, if it is worth it"),
  },
  examples: {
    "throughline embed setup": "how to get a good multilingual model",
    "throughline embed setup potion-multilingual-128M/model.safetensors": "measure it; nothing is changed",
    "throughline embed setup e5/model.onnx --on": "measure it and use it",
  },
  async run({ args: { file, on } }) {
    if (file === undefined) return { data: { how: HOW }, text: HOW };
    const context = commandContext();
    const place = path.resolve(context.cwd, file);
    const kind = kindOf(place);
    const measure = await withDatabase((store) => measured(store, place, kind), "read");
    const lines = measureLines(measure);
    if (!on) return { data: measure, text: [...lines, "Nothing was changed; --on switches it on."] };
    if (!isWorthIt(measure))
      throw new ThroughlineError(
        "usage",
        `${lines.join(" ")} It would add little; it was not switched on`,
        "choose another model",
      );
    const target = { ...context, scope: "user" } as const;
    setSetting(target, "search.modelFile", place);
    setSetting(target, "search.embedder", kind);
    return {
      data: { ...measure, on: true },
      text: [...lines, "It is on. `throughline embed status` shows how far its vectors are."],
    };
  },
});

const status = defineCommand({
  summary: "how far the vectors of the embedder are",
  args: {},
  examples: { "throughline embed status": "which embedder, and how many passages have been read" },
  async run() {
    const { embedder } = currentConfig().values.search;
    const state = await withDatabase((store) => store.vectorState(), "read");
    const { passages, done, model } = state;
    const share = passages === 0 ? 0 : Math.floor((100 * done) / passages);
    return {
      data: { embedder, ...state },
      text: [
        `search.embedder: ${embedder}`,
        model === undefined
          ? "There are no vectors."
          : `${formatNumber(done)} of ${formatNumber(passages)} passages (${share} %) have been read by ${model}.`,
      ],
    };
  },
});

export default {
  embed: defineGroup(
    { setup, status },
    { "throughline embed setup": "how to get a good multilingual model" },
  ),
};
