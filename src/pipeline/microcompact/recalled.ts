// Level 3, recalled texts: what the model recalled leaves again after some steps, while little stands behind it.
import type { LedgerEntry } from "../../ledger/index.ts";
import {
  judgeEdits,
  lastAssistantIn,
  type PlanContext,
  type PlannedEdit,
  resultsIn,
} from "../planContext.ts";
import { matchesTool } from "../settings.ts";
import { clearableResults, type OldResult, planClearingOf } from "./clear.ts";

const recallTools = ["recall", "mcp__*throughline*__recall"];

/** Newest results that are looked through: further back, more stands behind a text than its removal saves. */
const LOOKED_THROUGH = 8;

/**
 * Clears recalled texts near the end of the window; they can be recalled again. Little is written anew for that, and each
 * request that follows reads less. Where thinking is bound to what precedes it, they stay.
 */
export function planRecalled(context: PlanContext): readonly PlannedEdit[] {
  const { view, legality, settings, outlook } = context;
  if (settings.microcompact.keepRecalled === 0 || outlook.predicted !== "warm") return [];
  if (legality.dropAllThinking) return [];
  const candidates = recalledResults(context);
  // What is new is written in any case.
  const sent = view.slice(0, lastAssistantIn(view) + 1);
  const limits = { horizon: settings.budget.stays, leastAtTurn: 0, leastInTurn: 0 };
  const economics = { ...settings.economics, ...limits };
  for (const [at, first] of candidates.entries()) {
    const edits = planClearingOf(candidates.slice(at), context);
    const { pays, why } = judgeEdits({ ...context, view: sent }, edits, first.at, false, economics);
    if (pays) return edits.map((edit) => ({ ...edit, why: `recalled and used; ${why}` }));
  }
  return [];
}

/**
 * The cache holds prefixes up to the end of each request. After an edit of old content the first such end lies behind it, so
 * that a change before that end would write everything anew.
 */
function lastRewritten({ view, active }: PlanContext) {
  const isOld = ({ level, edit }: LedgerEntry) => level !== "budget" && edit.kind !== "tag-inputs";
  const tip = active.findLast(isOld)?.tip;
  return tip === undefined ? -1 : view.findLastIndex(({ id }) => id === tip);
}

function recalledResults(context: PlanContext): readonly OldResult[] {
  const { view, settings, tools } = context;
  const rewritten = lastRewritten(context);
  let [start, found] = [view.length, 0];
  while (start > rewritten + 1 && found < LOOKED_THROUGH) {
    start--;
    const item = view[start];
    found += item ? resultsIn(item.message).length : 0;
  }
  const { keepRecalled } = settings.microcompact;
  return clearableResults(context, start, keepRecalled).filter(({ toolUseId }) =>
    matchesTool(recallTools, tools.get(toolUseId) ?? ""),
  );
}
