// Level 3, the local path: old tool results become a placeholder, when the time or the price is right.

import { actionOf, callsIn } from "../../activity/index.ts";
import { wasTakenBack } from "../../legality/index.ts";
import { defined, MINUTE } from "../../lib/index.ts";
import {
  type Block,
  blocksOf,
  type History,
  isThinking,
  type Message,
  textOf,
} from "../../messages/index.ts";
import { nameOf } from "../../vault/index.ts";
import {
  judgeEdits,
  lastAssistantIn,
  type PlanContext,
  type PlannedEdit,
  replacedTokens,
  resultsIn,
  wholeResult,
} from "../planContext.ts";
import { matchesTool } from "../settings.ts";

/** What stands in the place of a result that was cleared. */
export const CLEARED = "[Old tool result content cleared]";

/** A result that could be cleared. */
export interface OldResult {
  readonly item: History[number];
  /** Index of the item in the view. */
  readonly at: number;
  readonly toolUseId: string;
  /** What the window shows of it now. */
  readonly shown: string;
}

interface ClearingPlan {
  readonly edits: readonly PlannedEdit[];
  /** Set when there was something to clear and it was left for later. */
  readonly waiting?: string;
}

const nothingToClear: ClearingPlan = { edits: [] };

/** Clears what is due. Results that were never sent are not old, whatever their number. */
export function planClearing(context: PlanContext): ClearingPlan {
  const due = isDue(context);
  const { batch, keepRecent } = context.settings.microcompact;
  const isWanted = due !== "no" && !(due === "price" && freesTooLittle(context));
  if (!isWanted && batch === 0) return nothingToClear;
  const results = clearableResults(context, 0, keepRecent);
  const isBatch = batch > 0 && results.length >= batch;
  if (!isWanted && !isBatch) return nothingToClear;
  const clearing = planClearingOf(results, context);
  const thinking = planThinking(context, clearing.length > 0);
  const edits = thinking ? [thinking, ...clearing] : clearing;
  if (edits.length === 0) return nothingToClear;
  if (!context.legality.editOld) return { edits: [], waiting: context.legality.why };
  const verdict = due === "time" || isBatch ? undefined : verdictOn(edits, results, context);
  if (verdict && !verdict.pays) return { edits: [], waiting: verdict.why };
  const idle = `idle for ${Math.round((context.sinceReply ?? 0) / MINUTE)} minutes`;
  const why = verdict?.why ?? (isBatch ? `${results.length} results beyond the newest ${keepRecent}` : idle);
  return { edits: edits.map((edit) => ({ ...edit, why })) };
}

/** `time`: the idle limit says so. `price`: only if it pays. */
function isDue({ settings, outlook, view, sinceReply }: PlanContext) {
  const { idle } = settings.microcompact;
  if (lastAssistantIn(view) < 0 || sinceReply === undefined) return "no";
  if (idle !== "ttl") return sinceReply > idle ? "time" : "no";
  return outlook.predicted === "cold" || settings.economics.warmEdits ? "price" : "no";
}

/** A bound that needs no walk through the window: with less than the least to free, nothing has to be planned. */
function freesTooLittle(context: PlanContext) {
  const { outlook, settings, legality } = context;
  if (outlook.predicted === "cold") return false;
  const { leastAtTurn, leastInTurn, dropThinking } = settings.economics;
  const least = legality.opensTurn ? leastAtTurn : leastInTurn;
  const thinking = dropThinking ? context.thinkingUpTo(Math.max(0, legality.turnStart)) : 0;
  const results = context.clearableTokens((item) => clearableWeight(item, context));
  return results + thinking - recentWeight(context) < least;
}

/** Called for every message of a long window: looks at the blocks without making a list of them. */
function clearableWeight(item: History[number], context: PlanContext) {
  const { content, role } = item.message;
  if (role !== "user" || typeof content === "string") return 0;
  const clearable = content.some(
    (block) =>
      block.type === "tool_result" &&
      isClearable(block, context) &&
      isWorthIt(textOf(block.content), context),
  );
  return clearable ? context.weigh(item) : 0;
}

/** Messages of nothing but the newest results, which stay in any case. */
function recentWeight(context: PlanContext) {
  const { view } = context;
  let left = context.settings.microcompact.keepRecent;
  let weight = 0;
  for (let at = view.length - 1; at >= 0 && left > 0; at--) {
    const item = view[at];
    if (item?.message.role !== "user") continue;
    left -= resultsIn(item.message).filter((block) => isClearable(block, context)).length;
    if (left >= 0) weight += clearableWeight(item, context);
  }
  return weight;
}

function isClearable(block: Block, { tools, settings }: PlanContext) {
  const tool = tools.get(String(block.tool_use_id)) ?? "";
  return matchesTool(settings.microcompact.tools, tool) && !matchesTool(settings.microcompact.exempt, tool);
}

function isWorthIt(shown: string, { settings }: PlanContext) {
  return !shown.startsWith(CLEARED) && shown.length >= settings.microcompact.smallest;
}

/** What may be cleared from an index of the view on: all but the newest, what is pinned or brought back, and what is not worth it. */
export function clearableResults(context: PlanContext, from: number, keepNewest: number) {
  const { view, pinned, broughtBack } = context;
  const all = view.slice(from).flatMap((item, at): OldResult[] =>
    resultsIn(item.message)
      .filter((block) => isClearable(block, context))
      .map(({ tool_use_id, content }) => ({
        item,
        at: from + at,
        toolUseId: String(tool_use_id),
        shown: textOf(content),
      })),
  );
  const sent = lastAssistantIn(view);
  return all
    .slice(0, Math.max(0, all.length - keepNewest))
    .filter(({ at, item }) => at < sent && !pinned.has(item.id))
    .filter(({ toolUseId, shown }) => !broughtBack.has(toolUseId) && isWorthIt(shown, context));
}

/** The results as the agent had them: what the window shows may be a preview already. Old results stand near the end. */
function contentsOf(history: History, results: readonly OldResult[]) {
  const wanted = new Set(results.map(({ toolUseId }) => toolUseId));
  const found = new Map<string, unknown>();
  for (let at = history.length - 1; at >= 0 && found.size < wanted.size; at--) {
    for (const { tool_use_id, content } of resultsIn((history[at] as History[number]).message).toReversed()) {
      const id = String(tool_use_id);
      if (wanted.has(id) && !found.has(id)) found.set(id, content);
    }
  }
  return found;
}

/** What each call did and how it came out, by its id. */
function linesOfCalls(history: History) {
  return new Map(callsIn(history).map((call) => [call.id, actionOf(call).line]));
}

/** The edits that put a placeholder in the place of each of these results. */
export function planClearingOf(results: readonly OldResult[], context: PlanContext): readonly PlannedEdit[] {
  const originals = contentsOf(context.history, results);
  const lines = context.settings.microcompact.observations ? linesOfCalls(context.history) : undefined;
  return results.map((result) =>
    planOne(result, originals.get(result.toolUseId), context, lines?.get(result.toolUseId)),
  );
}

function planOne(
  { item, toolUseId, shown }: OldResult,
  whole: unknown,
  context: PlanContext,
  line: string | undefined,
): PlannedEdit {
  const tool = context.tools.get(toolUseId);
  const origin = { toolUseId, item: item.id, ...defined({ tool }) };
  const removed = wholeResult(whole, origin);
  const handles = removed.map(({ content }) => nameOf(content).handle);
  const recall = context.settings.microcompact.handles ? [`recall ${handles.join(" or ")}`] : [];
  const content = [CLEARED, ...(line === undefined ? [] : [`${line};`]), ...recall].join(" ");
  return {
    level: "microcompact",
    why: "",
    edit: { kind: "replace-result", toolUseId, content },
    removed,
    tokens: replacedTokens(context, item, shown, content),
  };
}

/** Thinking that goes with an edit of old content: all of it where it is bound, earlier turns' where it is only dear. */
export function planThinking(context: PlanContext, withEdits: boolean): PlannedEdit | undefined {
  const { legality, view } = context;
  const bound = legality.dropAllThinking;
  if (!(bound && withEdits) && !mayDropThinking(context)) return undefined;
  const end = bound ? view.length : legality.turnStart;
  const through = view[end - 1]?.id;
  if (through === undefined) return undefined;
  const carriers = view.slice(0, end).filter(({ message }) => hasThinking(message));
  if (carriers.length === 0) return undefined;
  // The edit takes the thinking of all of them or of none.
  if (!bound && carriers.some(({ id }) => context.pinned.has(id))) return undefined;
  const blocks = carriers.map(({ id, message }) => ({
    item: id,
    blocks: blocksOf(message).filter(isThinking),
  }));
  return {
    level: "microcompact",
    why: "",
    edit: { kind: "drop-thinking", through },
    removed: [{ content: JSON.stringify(blocks), json: true, item: through }],
    tokens: { before: context.thinkingUpTo(end), after: 0 },
  };
}

function mayDropThinking({ settings, model, entries, active }: PlanContext) {
  if (!settings.economics.dropThinking || model.thinking === "legacy") return false;
  return !wasTakenBack("drop-thinking", entries, active);
}

function hasThinking(message: Message) {
  return message.role === "assistant" && blocksOf(message).some(isThinking);
}

function verdictOn(edits: readonly PlannedEdit[], results: readonly OldResult[], context: PlanContext) {
  const { view, legality, settings } = context;
  const dropsThinking = edits[0]?.edit.kind === "drop-thinking";
  const firstThinking = dropsThinking ? view.findIndex(({ message }) => hasThinking(message)) : view.length;
  const first = Math.min(results[0]?.at ?? view.length, firstThinking);
  return judgeEdits(context, edits, first, legality.opensTurn, settings.economics);
}
