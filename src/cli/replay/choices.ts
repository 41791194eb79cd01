// What the flags of `throughline replay` choose: policies, prices and numbers, each refused with its reason.
import { readFileSync } from "node:fs";
import { readModelOverrides } from "../../config/index.ts";
import { errorText, ThroughlineError } from "../../lib/index.ts";
import { baselineName, type Policy, policies } from "../../replay/index.ts";
import { lookupModel, type ModelOverrides, modelTable } from "../../tokens/index.ts";

export function choosePolicies(list: string | undefined): readonly Policy[] {
  if (!list) return policies;
  const names = list.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !policies.some((policy) => policy.name === name));
  if (unknown !== undefined) {
    throw new ThroughlineError("usage", `no policy ${unknown}`, {
      fix: `choose from ${policies.map(({ name }) => name).join(", ")}`,
    });
  }
  return policies.filter(({ name }) => name === baselineName || names.includes(name));
}

/** Prices from a file of model overrides, and a cache-read price as a share of the input price. */
export function priceOverrides(
  base: ModelOverrides,
  file: string | undefined,
  share: string | undefined,
): ModelOverrides {
  const fromFile = file ? readPrices(file) : {};
  const overrides = { ...base, ...fromFile };
  if (!share) return overrides;
  const factor = numberFlag("--cache-read", share, 0, 1, 0.1);
  const priced = modelTable.map(({ id }) => {
    const { prices } = lookupModel(id, overrides);
    return [
      id,
      { ...overrides[id], prices: prices.map((step) => ({ ...step, cacheRead: step.input * factor })) },
    ];
  });
  return { ...overrides, ...Object.fromEntries(priced) };
}

function readPrices(file: string): ModelOverrides {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new ThroughlineError("not-found", `cannot read the prices: ${errorText(error)}`, {
      fix: "give a JSON file of model overrides; docs/config.md shows one under `models`",
      cause: error,
    });
  }
  return readModelOverrides(text, file);
}

export function numberFlag(flag: string, text: string, from: number, to: number, example: number): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (value >= from && value <= to) return value;
  throw new ThroughlineError("usage", `${flag} must be a number from ${from} to ${to}, not ${text}`, {
    fix: `for example ${flag} ${example}`,
  });
}
