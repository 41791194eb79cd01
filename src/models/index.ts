// One small interface to a language model. Failures are values; providers are loaded only when they are asked.
export { worthRetrying } from "./attempts.ts";
export {
  createModel,
  type ModelDeps,
  type ModelSettings,
  noModel,
  type ProviderName,
  providerNames,
} from "./createModel.ts";
export type {
  CallOptions,
  Dialect,
  LanguageModel,
  ModelError,
  ModelErrorKind,
  ModelOutcome,
  ModelReply,
  ModelRequest,
} from "./model.ts";
export { type DaySpending, openSpending, type Spending, type Spent } from "./spending.ts";
