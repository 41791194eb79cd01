// Plan, record, apply: edit kinds, the append-only log, and the one function that carries edits out.
export { type Applied, Applier, apply, type RequestParams, type Skip } from "./apply.ts";
export {
  broughtInId,
  type Edit,
  type EditOf,
  type LedgerEntry,
  type Level,
  levels,
  type StagedSpan,
} from "./edits.ts";
export { type ExtractStore, extractFile, HistoryExtracts } from "./historyExtract.ts";
export { type Ledger, memoryLedger, openLedger } from "./log.ts";
export type { CountedWindow } from "./savedWindow.ts";
export { tagOf } from "./tags.ts";
export { type TranscriptRow, type TranscriptRowOptions, transcriptRows } from "./transcriptRows.ts";
export { activeEntries, marksAndPins, planUndo } from "./undo.ts";
