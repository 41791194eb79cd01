// Plans the levels in their order: the edits that each wants with this request, before anything is recorded.

import type { Level } from "../ledger/index.ts";
import { STANDS_BACK, wasTakenBack } from "../legality/index.ts";
import { defined } from "../lib/index.ts";
import { planBudget } from "./budget/plan.ts";
import type { Collapsed } from "./collapse/collapse.ts";
import { planClearing, planThinking } from "./microcompact/clear.ts";
import { planRecalled } from "./microcompact/recalled.ts";
import { planServerClearing, type ServerClearing } from "./microcompact/server.ts";
import { lastAssistantIn, type PlanContext, type PlannedEdit, type Removed } from "./planContext.ts";
import { planMarks, type WaitingMark } from "./snip/snip.ts";

export interface LevelPlan {
  readonly edits: readonly PlannedEdit[];
  /** Results that must be in the vault although no edit of ours takes them out; set where the API may. */
  readonly keep?: readonly Removed[];
  /** Why a level withholds something, by level. */
  readonly withheld: Readonly<Partial<Record<Level, string>>>;
  readonly waiting: readonly WaitingMark[];
}

export const emptyPlan: LevelPlan = { edits: [], withheld: {}, waiting: [] };

/** A requested compaction clears nothing: the messages it keeps stay as they are. */
export function planLevels(context: PlanContext, compactsNow: boolean): LevelPlan {
  const clearing = clearingIn(context, compactsNow);
  const marks = planMarks(context, clearing.edits.length > 0);
  // Near the end of the window: what precedes them stays as it was sent.
  const recalled =
    isManaged(context) || compactsNow || clearing.edits.length > 0 ? [] : planRecalled(context);
  const oldEdits = withBoundThinking([...marks.edits, ...clearing.edits, ...recalled], context);
  const budget = planBudget(context, oldEdits);
  const tags = context.applied.tagged ? [] : planTags(context);
  // The local path first: when it acts, the cache is cold or repaid, and there is nothing for the server to spare.
  const local = clearing.edits.length + recalled.length > 0;
  const server: ServerClearing =
    !local && !isManaged(context) && context.settings.microcompact.server
      ? planServerClearing(context, budget)
      : { edits: [] };
  return {
    edits: [...budget, ...tags, ...oldEdits, ...server.edits],
    ...defined({ keep: server.keep }),
    withheld: defined({ microcompact: clearing.waiting }),
    waiting: marks.waiting,
  };
}

const isManaged = ({ management: { clears, compacts } }: PlanContext) => clears || compacts;

function clearingIn(context: PlanContext, compactsNow: boolean) {
  if (isManaged(context)) return { edits: [], waiting: STANDS_BACK };
  if (compactsNow) return { edits: [] };
  return planClearing(context);
}

/** The plan with what the last two levels withhold, for the receipt. */
export function withWithheld(
  plan: LevelPlan,
  { waiting: staged }: Collapsed,
  autocompact: string | undefined,
): LevelPlan {
  const withheld = { ...plan.withheld, ...defined({ collapse: staged?.why, autocompact }) };
  const marks = staged?.bound ? [{ mark: staged.mark, why: staged.why }] : [];
  return { ...plan, withheld, waiting: [...plan.waiting, ...marks] };
}

/**
 * Where thinking is bound to what precedes it, it goes with every edit of old content, and first: a write that is
 * torn must never leave an edit without it.
 */
function withBoundThinking(edits: readonly PlannedEdit[], context: PlanContext) {
  const isThinking = ({ edit }: PlannedEdit) => edit.kind === "drop-thinking";
  const planned = edits.find(isThinking);
  const needed = edits.length > 0 && context.legality.dropAllThinking;
  const thinking = planned ?? (needed ? planThinking(context, true) : undefined);
  const why = planned?.why || "thinking is bound to what precedes it";
  return thinking ? [{ ...thinking, why }, ...edits.filter((edit) => !isThinking(edit))] : edits;
}

/** From the first request on every user input carries its tag; inputs that were sent without one stay as they are. */
function planTags({ settings, history, entries, active }: PlanContext): PlannedEdit[] {
  if (!settings.snip.tags || wasTakenBack("tag-inputs", entries, active)) return [];
  const from = history[lastAssistantIn(history) + 1]?.id;
  if (from === undefined) return [];
  return [
    { level: "snip", why: "lets the model name user turns", edit: { kind: "tag-inputs", from }, removed: [] },
  ];
}
