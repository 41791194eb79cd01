// Finding a model in the table by any of the names it goes by, and what a request to it costs.
import { nearest, ThroughlineError } from "../lib/index.ts";
import { promptTokens, type Usage } from "../messages/index.ts";
import { type ModelInfo, modelAliases, modelTable, type PriceStep } from "./models.ts";

/** What the configuration may say of a model: changes to a known one, or a new one `like` a known one. */
type ModelOverride = Partial<Omit<ModelInfo, "id">> & { readonly like?: string };
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

/** The model of that name; a name nobody knows is an error that offers the nearest one. */
export function lookupModel(name: string, overrides: ModelOverrides = {}): ModelInfo {
  const model = findModel(name, overrides);
  if (model) return model;
  // With a misspelt `like` it is that name which nobody knows.
  const unknown = overrideFor(name, overrides)?.like ?? name;
  const meant = nearest(
    canonicalModelId(unknown),
    modelTable.map(({ id }) => id),
  );
  const better = meant ?? `a model of the table (or ${Object.keys(modelAliases).join(", ")})`;
  throw new ThroughlineError("unknown-model", `The model "${unknown}" is not in the model table.`, {
    fix: `Name ${better}, or set models.${canonicalModelId(name)}.like to the model it resembles.`,
  });
}

/** The prices that hold for a prompt of that size. */
export function priceFor(model: Pick<ModelInfo, "prices">, prompt: number): PriceStep {
  const step = model.prices.findLast((price) => prompt > price.above) ?? model.prices[0];
  if (!step)
    throw new ThroughlineError("config-invalid", "A model has an empty price list.", {
      fix: "Give models.<id>.prices at least one step.",
    });
  return step;
}

/** US dollars of one request. The whole request pays the price of the step its prompt falls into. */
export function cost(usage: Usage, model: Pick<ModelInfo, "prices">): number {
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
