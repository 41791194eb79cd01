// Level 3, recalled texts: what the model recalled leaves again after some steps, while little stands behind it.
import type { LedgerEntry } from "../../ledger/index.ts";
import { blocksOf, type History, isToolUse, textOf } from "../../messages/index.ts";
import {
  judgeEdits,
  lastAssistantIn,
  type PlanContext,
  type PlannedEdit,
  resultsIn,
} from "../planContext.ts";
import { matchesTool } from "../settings.ts";
import { CLEARED, clearableResults, type OldResult, planClearingOf } from "./clear.ts";

const recallTools = ["recall", "mcp__*throughline*__recall"];

/** Newest results that are looked through: further back, more stands behind a text than its removal saves. */
const LOOKED_THROUGH = 8;

/**
 * Clears recalled texts near the end of the window; they can be recalled again, and then they stay. Little is written anew
 * for that, and each request that follows reads less. Where thinking is bound to what precedes it, they stay.
 */
export function planRecalled(context: PlanContext): readonly PlannedEdit[] {
  const { view, settings, outlook } = context;
  if (!clearsRecalled(context) || outlook.predicted !== "warm") return [];
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

/** Whether a recalled text that is to leave is among the newest results of a window. */
export function holdsRecalled(context: PlanContext, window: History) {
  if (!clearsRecalled(context)) return false;
  const { settings, tools } = context;
  const newest = window.slice(newestResults(window, 0)).flatMap(({ message }) => resultsIn(message));
  const isWhole = (text: string) =>
    !text.startsWith(CLEARED) && text.length >= settings.microcompact.smallest;
  const recalled = newest.flatMap(({ tool_use_id, content }) => {
    const toolUseId = String(tool_use_id);
    const isRecalled = matchesTool(recallTools, tools.get(toolUseId) ?? "");
    return isRecalled && isWhole(textOf(content)) ? [{ toolUseId }] : [];
  });
  return askedOnce(recalled, context).length > 0;
}

const clearsRecalled = ({ settings, legality }: PlanContext) =>
  settings.microcompact.keepRecalled > 0 && !legality.dropAllThinking;

/**
 * The cache holds prefixes up to the end of each request. After an edit of old content the first such end lies behind it, so
 * that a change before that end would write everything anew.
 */
function lastRewritten({ view, active }: PlanContext) {
  const isOld = ({ level, edit }: LedgerEntry) => level !== "budget" && edit.kind !== "tag-inputs";
  const tip = active.findLast(isOld)?.tip;
  return tip === undefined ? -1 : view.findLastIndex(({ id }) => id === tip);
}

/** Index of the message with which the newest results of a window begin, not before `first`. */
function newestResults(window: History, first: number) {
  let [start, found] = [window.length, 0];
  while (start > first && found < LOOKED_THROUGH) {
    start--;
    const item = window[start];
    found += item ? resultsIn(item.message).length : 0;
  }
  return start;
}

function recalledResults(context: PlanContext): readonly OldResult[] {
  const { view, settings, tools } = context;
  const start = newestResults(view, lastRewritten(context) + 1);
  const old = clearableResults(context, start, settings.microcompact.keepRecalled);
  return askedOnce(
    old.filter(({ toolUseId }) => matchesTool(recallTools, tools.get(toolUseId) ?? "")),
    context,
  );
}

/** Those that were not asked for before: what is recalled again after it has left is needed for longer. */
function askedOnce<Recalled extends { readonly toolUseId: string }>(
  recalled: readonly Recalled[],
  { history }: PlanContext,
): readonly Recalled[] {
  if (recalled.length === 0) return [];
  const calls = history.flatMap(({ message }) =>
    message.role === "assistant" ? blocksOf(message).filter(isToolUse) : [],
  );
  const inputs = calls
    .filter(({ name }) => matchesTool(recallTools, name))
    .map(({ id, input }) => ({ id, asked: JSON.stringify(input) }));
  return recalled.filter(({ toolUseId }) => {
    const asked = inputs.find(({ id }) => id === toolUseId)?.asked;
    return inputs.find((one) => one.asked === asked)?.id === toolUseId;
  });
}
