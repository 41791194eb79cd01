// One small interface to a language model. Failures are values; providers are loaded only when they are asked.

export { createModel, type ModelDeps, type ModelSettings, noModel, providerNames } from "./createModel.ts";
export { failureOf } from "./failures.ts";
export { MessageAssembler, messageBody } from "./messageStream.ts";
export type {
  LanguageModel,
  ModelError,
  ModelOutcome,
  ModelReply,
  ModelRequest,
  ModelSession,
} from "./model.ts";
export { SESSION_TOKENS } from "./model.ts";
export { probeProvider } from "./probe.ts";
export { removeSessionTranscripts, sessionTranscripts } from "./sessionTranscripts.ts";
