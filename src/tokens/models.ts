// The model table: windows, prices, cache rules, tokenizer and thinking regime, as data with a date.
import { nearest, ThroughlineError } from "../lib/index.ts";
import { promptTokens, type Usage } from "../messages/index.ts";

/** Month the figures were taken. Prices and limits change; `models.<id>` in the configuration overrides them. */
export const modelTableDate = "2026-11";

/** Same text, two counts: the new family cuts it into about a third more tokens. */
export type TokenizerFamily = "old" | "new";

/**
 * What happens to earlier thinking. `legacy`: dropped by the API at each new user turn.
 * `keep-all-thinking`: kept and billed. `append-only`: kept, and bound to everything before it, so
 * that nothing before it may change.
 */
export type ThinkingRegime = "legacy" | "keep-all-thinking" | "append-only";

/** US dollars per million tokens, valid for prompts larger than `above`. */
export interface PriceStep {
  readonly above: number;
  readonly input: number;
  readonly output: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
}

/** What is known of a model: window, prices, tokenizer, thinking. */
export interface ModelInfo {
  readonly id: string;
  readonly window: number;
  readonly maxOutput: number;
  /** By ascending `above`; the first is 0. */
  readonly prices: readonly PriceStep[];
  /** Prompts below this many tokens are silently not cached. */
  readonly minCacheable: number;
  readonly tokenizer: TokenizerFamily;
  readonly thinking: ThinkingRegime;
  /** May `role: "system"` stand in the middle of the messages? */
  readonly midConversationSystem: boolean;
  /** May the last message be the assistant's, to be continued? */
  readonly prefill: boolean;
  /** Does the API compact a conversation when it is asked to, and sign the result? */
  readonly compactsOnDemand: boolean;
  /** Fields that were not published and are taken from the nearest sibling. */
  readonly assumed?: readonly string[];
}

const K = 1_000;
const M = 1_000_000;

/** Writes cost 1.25 and 2 times the input price on every model; reads differ. */
function step(input: number, output: number, cacheRead: number, above = 0): PriceStep {
  return { above, input, output, cacheWrite5m: input * 1.25, cacheWrite1h: input * 2, cacheRead };
}

const preserved = {
  window: M,
  maxOutput: 128 * K,
  minCacheable: 512,
  tokenizer: "new",
  thinking: "append-only",
  midConversationSystem: true,
  prefill: false,
  compactsOnDemand: true,
} as const;

const fifth = { ...preserved, thinking: "keep-all-thinking", compactsOnDemand: false } as const;

const fourth = {
  window: 200 * K,
  maxOutput: 64 * K,
  minCacheable: 1_024,
  tokenizer: "old",
  thinking: "legacy",
  midConversationSystem: false,
  prefill: true,
  compactsOnDemand: false,
} as const;

const largeFourth = {
  ...fourth,
  window: M,
  maxOutput: 128 * K,
  thinking: "keep-all-thinking",
  prefill: false,
} as const;

const opus = [step(5, 25, 0.5)];
const sonnet = [step(3, 15, 0.3)];
const fable = [step(10, 50, 1)];
const fable51 = [step(10, 50, 0.25)];

export const modelTable: readonly ModelInfo[] = [
  { ...preserved, id: "claude-fable-5-2", prices: fable51, assumed: ["prices", "minCacheable"] },
  { ...preserved, id: "claude-mythos-5-2", prices: fable51, assumed: ["prices", "minCacheable"] },
  { ...preserved, id: "claude-fable-5-1", prices: fable51, assumed: ["minCacheable"] },
  { ...preserved, id: "claude-mythos-5-1", prices: fable51, assumed: ["minCacheable"] },
  { ...preserved, id: "claude-opus-5-5", prices: [step(4, 20, 0.2)], assumed: ["minCacheable"] },
  { ...preserved, id: "claude-sonnet-5-5", prices: [step(2, 10, 0.2)] },
  {
    ...preserved,
    id: "claude-haiku-5-5",
    minCacheable: 4_096,
    prices: [step(0.1, 0.5, 0.01), step(0.5, 2.5, 0.05, 100 * K)],
    assumed: ["minCacheable"],
  },
  { ...fifth, id: "claude-fable-5", prices: fable },
  { ...fifth, id: "claude-mythos-5", prices: fable },
  { ...fifth, id: "claude-opus-5", prices: opus },
  { ...fifth, id: "claude-sonnet-5", prices: [step(2, 10, 0.2)], minCacheable: 1_024 },
  { ...fifth, id: "claude-opus-4-8", prices: opus, minCacheable: 1_024 },
  { ...fifth, id: "claude-opus-4-7", prices: opus, minCacheable: 2_048, midConversationSystem: false },
  { ...largeFourth, id: "claude-opus-4-6", prices: opus, minCacheable: 4_096 },
  { ...largeFourth, id: "claude-sonnet-4-6", prices: sonnet, maxOutput: 64 * K },
  { ...fourth, id: "claude-opus-4-5", prices: opus, minCacheable: 4_096, thinking: "keep-all-thinking" },
  { ...fourth, id: "claude-sonnet-4-5", prices: sonnet },
  { ...fourth, id: "claude-haiku-4-5", prices: [step(1, 5, 0.1)], minCacheable: 4_096 },
  { ...fourth, id: "claude-opus-4-1", prices: [step(15, 75, 1.5)], maxOutput: 32 * K },
  { ...fourth, id: "claude-opus-4", prices: [step(15, 75, 1.5)], maxOutput: 32 * K },
  { ...fourth, id: "claude-sonnet-4", prices: sonnet },
  { ...fourth, id: "claude-3-7-sonnet", prices: sonnet },
  { ...fourth, id: "claude-3-5-haiku", prices: [step(0.8, 4, 0.08)], maxOutput: 8_192, minCacheable: 2_048 },
];

/** The short names agents accept, each for the newest model of its line. */
export const modelAliases: Readonly<Record<string, string>> = {
  fable: "claude-fable-5-2",
  mythos: "claude-mythos-5-2",
  opus: "claude-opus-5-5",
  sonnet: "claude-sonnet-5-5",
  haiku: "claude-haiku-5-5",
};

/** What the configuration may say of a model: changes to a known one, or a new one `like` a known one. */
type ModelOverride = Partial<Omit<ModelInfo, "id">> & { readonly like?: string };
/** Changes to the model table, by model. */
export type ModelOverrides = Readonly<Record<string, ModelOverride>>;

const LARGE_WINDOW = 1_000_000;

/**
 * The table's spelling of a name: no provider (`us.anthropic.…`, `anthropic/…`), no version or date
 * (`-20251101`, `@20251101`, `-v1:0`, `-latest`), no variant (`[1m]`, `:beta`).
 */
function canonicalModelId(name: string) {
  return name
    .trim()
    .toLowerCase()
    .replace(/^.*\//, "")
    .replace(/^.*\banthropic\./, "")
    .replace(/\[.*\]$/, "")
    .replace(/:.*$/, "")
    .replace(/@.*$/, "")
    .replace(/-v\d+$/, "")
    .replace(/-(?:\d{8}|latest)$/, "")
    .replaceAll(".", "-");
}

function findBase(name: string) {
  const id = canonicalModelId(name);
  const wanted = modelAliases[id] ?? id;
  return modelTable.find((model) => model.id === wanted);
}

/** The override for a name: under the name as written, its canonical id, or the id that a short name stands for. */
function overrideFor(name: string, overrides: ModelOverrides) {
  const id = canonicalModelId(name);
  const key = [name, id, modelAliases[id] ?? id].find((spelling) => Object.hasOwn(overrides, spelling));
  return key === undefined ? undefined : overrides[key];
}

/** The model of that name, or undefined. */
export function findModel(name: string, overrides: ModelOverrides = {}): ModelInfo | undefined {
  const { like, ...changes } = overrideFor(name, overrides) ?? {};
  const base = findBase(like ?? name);
  if (!base) return undefined;
  const window = /\[1m\]$/i.test(name.trim()) ? { window: LARGE_WINDOW } : {};
  const id = like === undefined ? base.id : canonicalModelId(name);
  return { ...base, ...window, ...changes, id };
}

/** The model of that name. Throws `unknown-model` with the nearest known name. */
export function lookupModel(name: string, overrides: ModelOverrides = {}): ModelInfo {
  const model = findModel(name, overrides);
  if (model) return model;
  // With a misspelt `like`, that name is the unknown one.
  const unknown = overrideFor(name, overrides)?.like ?? name;
  const meant = nearest(
    canonicalModelId(unknown),
    modelTable.map(({ id }) => id),
  );
  const better = meant ?? `a model of the table (or ${Object.keys(modelAliases).join(", ")})`;
  throw new ThroughlineError(
    "unknown-model",
    `The model "${unknown}" is not in the model table.`,
    `Name ${better}, or set models.${canonicalModelId(name)}.like to the model it resembles.`,
  );
}

/** The prices that hold for a prompt of that size. */
export function priceFor(model: Pick<ModelInfo, "prices">, prompt: number): PriceStep {
  const step = model.prices.findLast((price) => prompt > price.above) ?? model.prices[0];
  if (!step)
    throw new ThroughlineError(
      "config-invalid",
      "A model has an empty price list.",
      "Give models.<id>.prices at least one step.",
    );
  return step;
}

/** US dollars of one request. The whole request pays the price of the step its prompt falls into. */
export function cost(usage: Usage, model: Pick<ModelInfo, "prices">) {
  const price = priceFor(model, promptTokens(usage));
  return (
    (usage.input * price.input +
      usage.cacheRead * price.cacheRead +
      usage.cacheWrite5m * price.cacheWrite5m +
      usage.cacheWrite1h * price.cacheWrite1h +
      usage.output * price.output) /
    1_000_000
  );
}
