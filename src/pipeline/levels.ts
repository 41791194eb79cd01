// The levels in their order: what each of them wants of this request, before anything is recorded.
import type { LedgerEntry } from "../ledger/index.ts";
import { planBudget } from "./budget/plan.ts";
import type { Collapsed } from "./collapse/collapse.ts";
import { type ClearingPlan, planClearing, planThinking } from "./microcompact/clear.ts";
import { planServerClearing, type ServerClearing } from "./microcompact/server.ts";
import { lastAssistantIn, type PlanContext, type PlannedEdit, type Removed } from "./planContext.ts";
import { wasTakenBack } from "./policy/legality.ts";
import { settleMarks } from "./snip/snip.ts";

export interface Plan {
  readonly edits: readonly PlannedEdit[];
  /** Results that must be in the vault although no edit of ours takes them out; set where the API may. */
  readonly keep?: readonly Removed[];
  readonly held: Readonly<Partial<Record<LedgerEntry["level"], string>>>;
  readonly waiting: readonly { readonly mark: string; readonly why: string }[];
}

export const emptyPlan: Plan = { edits: [], held: {}, waiting: [] };

/** With a compaction that was asked for nothing is cleared: what it keeps is kept as it is. */
export function makePlan(context: PlanContext, tagged: boolean, compactsNow: boolean): Plan {
  const clearing: ClearingPlan = compactsNow ? { edits: [] } : planClearing(context);
  const marks = settleMarks(context, clearing.edits.length > 0);
  const oldEdits = withBoundThinking([...marks.edits, ...clearing.edits], context);
  const budget = planBudget(context, oldEdits);
  const tags = tagged ? [] : planTags(context);
  // The local path first: when it acts, the cache is cold or repaid, and there is nothing for the server to spare.
  const local = clearing.edits.length > 0;
  const server: ServerClearing =
    !local && context.settings.microcompact.server ? planServerClearing(context, budget) : { edits: [] };
  return {
    edits: [...budget, ...tags, ...oldEdits, ...server.edits],
    ...(server.keep ? { keep: server.keep } : {}),
    held: clearing.waiting === undefined ? {} : { microcompact: clearing.waiting },
    waiting: marks.waiting,
  };
}

/** The plan with what the last two levels hold back, for the receipt. */
export function heldBack(plan: Plan, { waiting: staged }: Collapsed, compaction: string | undefined): Plan {
  const held = {
    ...(staged === undefined ? {} : { collapse: staged.why }),
    ...(compaction === undefined ? {} : { autocompact: compaction }),
  };
  const marks = staged?.bound ? [{ mark: staged.mark, why: staged.why }] : [];
  return { ...plan, held: { ...plan.held, ...held }, waiting: [...plan.waiting, ...marks] };
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
