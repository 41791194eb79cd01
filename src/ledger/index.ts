// Plan, record, apply: edit kinds, the append-only log, and the one function that carries edits out.
export { type Applied, Applier, apply, type RequestParams, type Skip, type SkipReason } from "./apply.ts";
export {
  asEntry,
  type Boundary,
  broughtInId,
  type CarriedOutBy,
  type Edit,
  type EditKind,
  type EditOf,
  entryProblem,
  type LedgerEntry,
  type Level,
  type StagedSpan,
} from "./edits.ts";
export { type Ledger, type LogProblem, memoryLedger, openLedger } from "./log.ts";
export { tagOf } from "./tags.ts";
export { activeEntries, planUndo } from "./undo.ts";
