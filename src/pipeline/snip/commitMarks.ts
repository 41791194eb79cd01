// Marks whose time has come: what was asked for is done at the first point at which it is legal and worth it.
import type { LedgerEntry } from "../../ledger/index.ts";
import type { PlanContext, PlannedEdit } from "../plan.ts";
import { judge } from "../policy/economics.ts";

interface SettledMarks {
  readonly edits: readonly PlannedEdit[];
  readonly waiting: readonly { readonly mark: string; readonly why: string }[];
}

/** Marks in force that nothing has carried out yet, oldest first. */
export function openMarks(
  entries: readonly LedgerEntry[],
  active: readonly LedgerEntry[],
): readonly LedgerEntry[] {
  const settled = new Set(entries.map(({ settles }) => settles));
  return active.filter(({ id, edit }) => edit.kind === "mark" && !settled.has(id));
}

/** `free`: old content changes with this request in any case, so that the marks cost nothing more. */
export function settleMarks(context: PlanContext, free: boolean): SettledMarks {
  const open = openMarks(context.entries, context.active);
  if (open.length === 0) return { edits: [], waiting: [] };
  const isHeld = (mark: LedgerEntry): boolean => itemsOf(mark).some((item) => context.pinned.has(item));
  const held = open.filter(isHeld).map(({ id }) => ({ mark: id, why: "something in this turn is pinned" }));
  const ready = open.filter((mark) => !isHeld(mark));
  const edits = ready.flatMap((mark) => planMark(mark, context));
  const why = context.legality.editOld ? tooDear(edits, context, free) : context.legality.why;
  if (why === undefined) return { edits, waiting: held };
  return { edits: [], waiting: [...held, ...ready.map(({ id }) => ({ mark: id, why }))] };
}

function itemsOf({ edit }: LedgerEntry): readonly string[] {
  const items = edit.kind === "mark" ? edit.wanted.items : undefined;
  return Array.isArray(items) ? items.map(String) : [];
}

function planMark(mark: LedgerEntry, context: PlanContext): PlannedEdit[] {
  const wanted = mark.edit.kind === "mark" ? mark.edit.wanted : {};
  const base = { level: mark.level, why: mark.why, settles: mark.id };
  if (wanted.kind === "undo")
    return [{ ...base, edit: { kind: "undo", entry: String(wanted.entry) }, removed: [] }];
  if (wanted.kind !== "remove-turn") return [];
  const turn = String(wanted.turn);
  const wantedItems = new Set(itemsOf(mark));
  const inView = context.view.filter(({ id }) => wantedItems.has(id));
  // A turn that is out of sight already, behind a summary for example, needs no edit.
  if (inView.length === 0) return [];
  const messages = context.history.filter(({ id }) => wantedItems.has(id)).map(({ message }) => message);
  return [
    {
      ...base,
      edit: { kind: "remove-turn", turn, items: inView.map(({ id }) => id) },
      removed: [{ content: JSON.stringify(messages), json: true, item: turn }],
      tokens: { before: inView.reduce((sum, item) => sum + context.weigh(item), 0), after: 0 },
    },
  ];
}

/** Why the edits wait for a better time; undefined when they are made now. Without a price policy they always are. */
function tooDear(edits: readonly PlannedEdit[], context: PlanContext, free: boolean): string | undefined {
  if (free || context.settings.policy === "seed") return undefined;
  const leaving = new Set(edits.flatMap(({ edit }) => (edit.kind === "remove-turn" ? edit.items : [])));
  const first = context.view.findIndex(({ id }) => leaving.has(id));
  if (first < 0) return undefined;
  const freed = edits.reduce((sum, { tokens }) => sum + (tokens ? tokens.before - tokens.after : 0), 0);
  const behind = context.view.slice(first).reduce((sum, item) => sum + context.weigh(item), 0);
  const verdict = judge(
    { freed, rewritten: Math.max(0, behind - freed), prompt: context.viewTokens(), startsTurn: true },
    context.model,
    context.outlook,
    { ...context.settings.economics, leastAtTurn: 0 },
  );
  return verdict.pays ? undefined : verdict.why;
}
