// Compaction: what stands for a history that left the window, with or without a model.
export {
  type DeterministicInput,
  type DeterministicSummary,
  type Referred,
  summariseDeterministically,
} from "./deterministic.ts";
export {
  defaultKeepLimits,
  type KeepFrom,
  type KeepInput,
  type KeepLimits,
  type KeepReason,
  keepFrom,
  tailStart,
  withWholePairs,
} from "./keep.ts";
export { renderTranscript } from "./transcriptText.ts";
