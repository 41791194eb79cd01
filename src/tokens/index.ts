// Counting tokens: the model table, estimates by content, and counters that learn from reported usage.
export { type Basis, type Counter, type CounterState, createCounter, type Prediction } from "./counter.ts";
export { estimateMessage, estimateText, estimateTokens } from "./estimate.ts";
export {
  cost,
  findModel,
  lookupModel,
  type ModelInfo,
  type ModelOverrides,
  modelTable,
  modelTableDate,
  type PriceStep,
  priceFor,
  type ThinkingRegime,
  type TokenizerFamily,
} from "./models.ts";
