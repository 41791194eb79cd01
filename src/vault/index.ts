// Keeps the exact bytes that left the model's window, under short handles, and gives back any part of them.

export { GrowingContent, type GrowingState, type GrownContent } from "./growingContent.ts";
export { parseHandle } from "./handle.ts";
export type {
  Deposit,
  ForgetReport,
  FoundBlob,
  Origin,
  OriginEntry,
  ResolveOptions,
  SessionSummary,
  StoredBlob,
  SweepOptions,
  SweepReason,
  SweepReport,
  SweptBlob,
  Vault,
  VaultReport,
  VaultStats,
} from "./model.ts";
export { jsonPieces, type Piece } from "./pieces.ts";
export {
  type Match,
  type Range,
  type Recalled,
  recall,
  recallSession,
  type Selection,
  type SessionMatch,
  type SessionRecall,
  type SessionSearch,
} from "./recall.ts";
export { memoryVault, nameOf, openVault, type VaultOptions } from "./vault.ts";
