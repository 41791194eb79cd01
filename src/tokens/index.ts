// Counting tokens: the model table, estimates by content, and counters that learn from reported usage.
export {
  type Basis,
  type Counter,
  type CounterOptions,
  type CounterState,
  createCounter,
  type Observation,
  type Prediction,
} from "./counter.ts";
export { estimateMessage, estimateText, estimateTokens, type RequestParts } from "./estimate.ts";
export {
  canonicalModelId,
  cost,
  findModel,
  lookupModel,
  type ModelOverride,
  type ModelOverrides,
  priceFor,
} from "./lookup.ts";
export {
  type ModelInfo,
  modelAliases,
  modelTable,
  modelTableDate,
  type PriceStep,
  type ThinkingRegime,
  type TokenizerFamily,
} from "./models.ts";
