// The levels in their order: what each wants to do to this request.
import type { Level } from "../ledger/index.ts";
import { planBudget } from "./budget/plan.ts";
import { planClearing, planThinking } from "./microcompact/clear.ts";
import { planServerClearing } from "./microcompact/server.ts";
import type { PlanContext, PlannedEdit, Removed } from "./plan.ts";
import { settleMarks } from "./snip/settle.ts";

/** What the levels want, before anything is recorded. */
export interface Plan {
  readonly edits: readonly PlannedEdit[];
  /** Content that must be in the vault although no edit of ours takes it out. */
  readonly keep: readonly Removed[];
  readonly held: Readonly<Partial<Record<Level, string>>>;
  readonly waiting: readonly { readonly mark: string; readonly why: string }[];
}

export const emptyPlan: Plan = { edits: [], keep: [], held: {}, waiting: [] };

export function makePlan(context: PlanContext, tagged: boolean): Plan {
  const budget = planBudget(context);
  const tags = tagged ? [] : planTags(context);
  const marks = settleMarks(context);
  const clearing = planClearing(context);
  // The local path first: when it acts, the cache is cold or repaid, and there is nothing for the server to spare.
  const local = clearing.edits.length > 0;
  const server =
    !local && context.settings.microcompact.server ? planServerClearing(context) : { edits: [], keep: [] };
  const oldEdits = withBoundThinking([...marks.edits, ...clearing.edits], context);
  return {
    edits: [...budget, ...tags, ...oldEdits, ...server.edits],
    keep: server.keep,
    held: clearing.waiting === undefined ? {} : { microcompact: clearing.waiting },
    waiting: marks.waiting,
  };
}

/**
 * Where thinking is bound to what precedes it, it goes with every edit of old content, and first: a write that is
 * torn must never leave an edit without it.
 */
function withBoundThinking(edits: readonly PlannedEdit[], context: PlanContext): readonly PlannedEdit[] {
  const isThinking = ({ edit }: PlannedEdit): boolean => edit.kind === "drop-thinking";
  const planned = edits.find(isThinking);
  const needed = edits.length > 0 && context.legality.dropAllThinking;
  const thinking = planned ?? (needed ? planThinking(context, true) : undefined);
  const why = planned?.why || "thinking is bound to what precedes it";
  return thinking ? [{ ...thinking, why }, ...edits.filter((edit) => !isThinking(edit))] : edits;
}

/** From the first request on every user input carries its tag; inputs that were sent without one stay as they are. */
function planTags({ settings, history }: PlanContext): PlannedEdit[] {
  if (!settings.snip.tags) return [];
  const firstUnsent = history.findLastIndex(({ message }) => message.role === "assistant") + 1;
  const from = history[firstUnsent]?.id;
  if (from === undefined) return [];
  return [
    { level: "snip", why: "lets the model name user turns", edit: { kind: "tag-inputs", from }, removed: [] },
  ];
}
