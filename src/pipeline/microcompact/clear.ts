// Level 3, the local path: old tool results become a placeholder, when the time or the price is right.
import {
  type Block,
  blocksOf,
  type History,
  isThinking,
  isUserInput,
  type Message,
  textOf,
} from "../../messages/index.ts";
import { nameOf } from "../../vault/index.ts";
import { isPersisted } from "../budget/persisted.ts";
import { type PlanContext, type PlannedEdit, shareOfTokens } from "../plan.ts";
import { judge, type Verdict } from "../policy/economics.ts";
import { matchesTool } from "../settings.ts";

export const CLEARED = "[Old tool result content cleared]";

/** A result that could be cleared. */
interface OldResult {
  /** Index in the view. */
  readonly at: number;
  readonly toolUseId: string;
  readonly tool: string;
  /** What the window shows of it now. */
  readonly shown: string;
}

export interface ClearingPlan {
  readonly edits: readonly PlannedEdit[];
  /** Set when there was something to clear and it was left for later. */
  readonly waiting?: string;
}

const nothing: ClearingPlan = { edits: [] };

/** Clears what is due. Results that were never sent are not old, whatever their number. */
export function planClearing(context: PlanContext): ClearingPlan {
  const due = isDue(context);
  if (due === "no" || (due === "price" && freesTooLittle(context))) return nothing;
  const { keepRecent } = context.settings.microcompact;
  const old = oldResults(context);
  const results = old
    .slice(0, Math.max(0, old.length - keepRecent))
    .filter(({ shown }) => isWorthIt(shown, context));
  const clearing = results.map((result) => planOne(result, context));
  const thinking = planThinking(context, clearing.length > 0);
  const edits = thinking ? [thinking, ...clearing] : clearing;
  if (edits.length === 0) return nothing;
  if (!context.legality.editOld) return { edits: [], waiting: context.legality.why };
  const verdict = due === "time" ? undefined : verdictOn(edits, results, context);
  if (verdict && !verdict.pays) return { edits: [], waiting: verdict.why };
  const why = verdict?.why ?? `idle for ${Math.round((context.outlook.idle ?? 0) / 60_000)} minutes`;
  return { edits: edits.map((edit) => ({ ...edit, why })) };
}

/** A bound that needs no walk through the window: with less than the least to free, nothing has to be planned. */
function freesTooLittle(context: PlanContext): boolean {
  const { outlook, settings, legality, view } = context;
  if (outlook.predicted === "cold") return false;
  const { leastAtTurn, leastInTurn, dropThinking } = settings.economics;
  const least = legality.turnStart === view.length - 1 ? leastAtTurn : leastInTurn;
  const thinking = dropThinking ? context.thinkingUpTo(Math.max(0, legality.turnStart)) : 0;
  const results = context.clearableTokens((item) => clearableWeight(item, context));
  return results + thinking - recentWeight(context) < least;
}

function clearableWeight(item: History[number], context: PlanContext): number {
  const { content, role } = item.message;
  if (role !== "user" || typeof content === "string") return 0;
  const clearable = content.some(
    (block) => isClearable(block, context) && isWorthIt(textOf(block.content), context),
  );
  return clearable ? context.weigh(item) : 0;
}

/** Messages of nothing but the newest results, which stay in any case. */
function recentWeight(context: PlanContext): number {
  const { view } = context;
  let left = context.settings.microcompact.keepRecent;
  let weight = 0;
  for (let at = lastAssistantIn(view) - 1; at >= 0 && left > 0; at--) {
    const item = view[at];
    if (item?.message.role !== "user") continue;
    left -= blocksOf(item.message).filter((block) => isClearable(block, context)).length;
    if (left >= 0) weight += clearableWeight(item, context);
  }
  return weight;
}

function lastAssistantIn(view: History): number {
  return view.findLastIndex(({ message }) => message.role === "assistant");
}

function isClearable(block: Block, { tools, settings }: PlanContext): boolean {
  if (block.type !== "tool_result") return false;
  const tool = tools.get(String(block.tool_use_id)) ?? "";
  return matchesTool(settings.microcompact.tools, tool) && !matchesTool(settings.microcompact.exempt, tool);
}

/** `time`: the idle limit says so. `price`: only if it pays. */
function isDue({ settings, outlook, view }: PlanContext): "time" | "price" | "no" {
  const { idle } = settings.microcompact;
  const hasAssistant = view.some(({ message }) => message.role === "assistant");
  if (!hasAssistant || outlook.idle === undefined) return "no";
  if (idle !== "ttl") return outlook.idle > idle ? "time" : "no";
  return outlook.predicted === "cold" || settings.economics.warmEdits ? "price" : "no";
}

function oldResults(context: PlanContext): OldResult[] {
  const { view, tools } = context;
  const old: OldResult[] = [];
  const end = lastAssistantIn(view);
  for (let at = 0; at < end; at++) {
    const message = view[at]?.message;
    if (message?.role !== "user" || typeof message.content === "string") continue;
    for (const block of message.content) {
      if (!isClearable(block, context)) continue;
      const toolUseId = String(block.tool_use_id);
      old.push({ at, toolUseId, tool: tools.get(toolUseId) ?? "", shown: textOf(block.content) });
    }
  }
  return old;
}

function isWorthIt(shown: string, { settings }: PlanContext): boolean {
  return !shown.startsWith(CLEARED) && shown.length >= settings.microcompact.smallest;
}

function planOne(result: OldResult, context: PlanContext): PlannedEdit {
  const item = context.view[result.at];
  const whole = originalText(result, context.history);
  const { handle } = nameOf(whole);
  const { handles } = context.settings.microcompact;
  const content = handles ? `${CLEARED} recall ${handle}` : CLEARED;
  const tokens = item ? context.weigh(item) : 0;
  const length = item ? JSON.stringify(item.message.content).length : 0;
  const before = shareOfTokens(tokens, result.shown.length, length);
  return {
    level: "microcompact",
    why: "",
    edit: { kind: "replace-result", toolUseId: result.toolUseId, content },
    removed: [
      { content: whole, tool: result.tool, toolUseId: result.toolUseId, ...(item ? { item: item.id } : {}) },
    ],
    tokens: {
      before,
      after: Math.min(before, shareOfTokens(before, content.length, Math.max(1, result.shown.length))),
    },
  };
}

/** The result as the agent had it: what the window shows may be a preview of it already. */
function originalText(result: OldResult, history: History): string {
  if (!isPersisted(result.shown) && !result.shown.startsWith("[")) return result.shown;
  for (const { message } of history) {
    for (const block of blocksOf(message)) {
      if (block.type === "tool_result" && block.tool_use_id === result.toolUseId)
        return textOf(block.content);
    }
  }
  return result.shown;
}

/** Thinking that goes with an edit of old content: all of it where it is bound, earlier turns' where it is only dear. */
export function planThinking(context: PlanContext, withEdits: boolean): PlannedEdit | undefined {
  const { legality, settings, view } = context;
  const bound = legality.dropAllThinking;
  const wanted = settings.economics.dropThinking && context.model.thinking !== "legacy";
  if (!wanted && !(bound && withEdits)) return undefined;
  const end = bound ? view.length : legality.turnStart;
  const through = view[end - 1]?.id;
  if (through === undefined) return undefined;
  const carriers = view.slice(0, end).filter(({ message }) => hasThinking(message));
  if (carriers.length === 0) return undefined;
  const blocks = carriers.map(({ id, message }) => ({
    item: id,
    blocks: blocksOf(message).filter(isThinking),
  }));
  const before = context.thinkingUpTo(end);
  return {
    level: "microcompact",
    why: "",
    edit: { kind: "drop-thinking", through },
    removed: [{ content: JSON.stringify(blocks), item: through }],
    tokens: { before, after: 0 },
  };
}

function hasThinking(message: Message): boolean {
  return message.role === "assistant" && blocksOf(message).some(isThinking);
}

function verdictOn(
  edits: readonly PlannedEdit[],
  results: readonly OldResult[],
  context: PlanContext,
): Verdict {
  const { view, weigh } = context;
  const freed = edits.reduce((sum, { tokens }) => sum + (tokens ? tokens.before - tokens.after : 0), 0);
  const firstResult = results[0]?.at ?? view.length;
  const firstThinking =
    edits[0]?.edit.kind === "drop-thinking"
      ? view.findIndex(({ message }) => hasThinking(message))
      : view.length;
  const first = Math.min(firstResult, firstThinking);
  const behind = view.slice(first).reduce((sum, item) => sum + weigh(item), 0);
  const before = view.slice(0, first).reduce((sum, item) => sum + weigh(item), 0);
  const last = view.at(-1);
  return judge(
    {
      freed,
      rewritten: Math.max(0, behind - freed),
      prompt: before + behind,
      startsTurn: last !== undefined && isUserInput(last),
    },
    context.model,
    context.outlook,
    context.settings.economics,
  );
}
