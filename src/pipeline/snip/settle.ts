// Marks whose time has come: what was asked for is done at the first point at which it is legal and worth it.
import { activeEntries, type LedgerEntry } from "../../ledger/index.ts";
import type { JsonObject } from "../../lib/index.ts";
import type { PlanContext, PlannedEdit } from "../plan.ts";
import { judge } from "../policy/economics.ts";

export interface SettledMarks {
  readonly edits: readonly PlannedEdit[];
  readonly waiting: readonly { readonly mark: string; readonly why: string }[];
}

export function settleMarks(context: PlanContext): SettledMarks {
  const active = activeEntries(context.entries);
  const settled = new Set(context.entries.map(({ settles }) => settles));
  const open = active.filter(({ id, edit }) => edit.kind === "mark" && !settled.has(id));
  if (open.length === 0) return { edits: [], waiting: [] };
  const edits = open.flatMap((mark) => planMark(mark, context));
  const obstacle = context.legality.editOld ? tooDear(edits, context) : context.legality.why;
  if (obstacle !== undefined)
    return { edits: [], waiting: open.map(({ id }) => ({ mark: id, why: obstacle })) };
  return { edits, waiting: [] };
}

function planMark(mark: LedgerEntry, context: PlanContext): PlannedEdit[] {
  const wanted = mark.edit.kind === "mark" ? mark.edit.wanted : {};
  const base = { level: mark.level, why: mark.why, settles: mark.id };
  if (wanted.kind === "undo")
    return [{ ...base, edit: { kind: "undo", entry: String(wanted.entry) }, removed: [] }];
  if (wanted.kind !== "remove-turn") return [];
  return [planRemoval(base, wanted, context)];
}

function planRemoval(
  base: Pick<PlannedEdit, "level" | "why" | "settles">,
  wanted: JsonObject,
  context: PlanContext,
): PlannedEdit {
  const turn = String(wanted.turn);
  const wantedItems = new Set((wanted.items as readonly unknown[]).map(String));
  const inView = context.view.filter(({ id }) => wantedItems.has(id));
  const before = inView.reduce((sum, item) => sum + context.weigh(item), 0);
  const messages = context.history.filter(({ id }) => wantedItems.has(id)).map(({ message }) => message);
  const items = inView.map(({ id }) => id);
  return {
    ...base,
    edit: { kind: "remove-turn", turn, items: items.length === 0 ? [...wantedItems] : items },
    removed: [{ content: JSON.stringify(messages), item: turn }],
    tokens: { before, after: 0 },
  };
}

/** Why the edits wait for a better time; undefined when they are made now. Without a price policy they always are. */
function tooDear(edits: readonly PlannedEdit[], context: PlanContext): string | undefined {
  if (context.settings.policy === "seed") return undefined;
  const freed = edits.reduce((sum, { tokens }) => sum + (tokens ? tokens.before - tokens.after : 0), 0);
  const first = context.view.findIndex(({ id }) =>
    edits.some(({ edit }) => edit.kind === "remove-turn" && edit.items.includes(id)),
  );
  if (first < 0) return undefined;
  const behind = context.view.slice(first).reduce((sum, item) => sum + context.weigh(item), 0);
  const verdict = judge(
    { freed, rewritten: Math.max(0, behind - freed), prompt: behind, startsTurn: true },
    context.model,
    context.outlook,
    { ...context.settings.economics, leastAtTurn: 0 },
  );
  return verdict.pays ? undefined : verdict.why;
}
