// Level 2, snip: the model names user turns it no longer needs, and they leave whole.

import { activeEntries, type LedgerEntry, marksAndPins, tagOf } from "../../ledger/index.ts";
import { pinnedItems } from "../../legality/index.ts";
import { isObject, sumOf } from "../../lib/index.ts";
import { type History, isUserInput, userTurns } from "../../messages/index.ts";
import type { LevelPlan } from "../levels.ts";
import { judgeEdits, type PlanContext, type PlannedEdit } from "../planContext.ts";

const tagsSchema = (description: string) =>
  ({ type: "array", items: { type: "string" }, minItems: 1, description }) as const;

/** The tool as the API takes it. */
export const snipTool = {
  name: "snip",
  description:
    "Remove user turns that are no longer needed from the conversation. Each user message ends with a tag like [id:abc123]; a turn is that message and everything up to the next user message, tool calls and results included. Removed turns stay on disk and can be brought back with unsnip.",
  input_schema: {
    type: "object",
    properties: {
      ids: tagsSchema("tags of the turns to remove, as in [id:abc123]"),
      reason: { type: "string", description: "why they are no longer needed" },
    },
    required: ["ids", "reason"],
    additionalProperties: false,
  },
} as const;

/** The definition of the tool that brings snipped turns back. */
export const unsnipTool = {
  name: "unsnip",
  description: "Bring back user turns that snip removed.",
  input_schema: {
    type: "object",
    properties: { ids: tagsSchema("tags of the removed turns") },
    required: ["ids"],
    additionalProperties: false,
  },
} as const;

/** The ids a model gave, each once, with or without `[id:…]`; undefined for input that is not of the tool's shape. */
export function readIds(input: unknown): readonly string[] | undefined {
  const { ids } = isObject(input) ? input : {};
  if (!Array.isArray(ids) || ids.length === 0 || !ids.every((id) => typeof id === "string")) return undefined;
  const bare = ids.map((id) =>
    id
      .trim()
      .replace(/^\[?(?:id:)?/, "")
      .replace(/\]$/, ""),
  );
  return [...new Set(bare)];
}

/** A mark that waits for a point at which it is legal and worth its price. */
export interface WaitingMark {
  readonly mark: string;
  readonly why: string;
}

/** Marks in force that nothing has carried out yet, oldest first. */
export function openMarks(
  entries: readonly LedgerEntry[],
  active = activeEntries(entries),
): readonly LedgerEntry[] {
  const done = new Set(marksAndPins(entries).map(({ settles }) => settles));
  return marksAndPins(active).filter(({ id, edit }) => edit.kind === "mark" && !done.has(id));
}

/** `free`: old content changes with this request in any case, so that the marks cost nothing more. */
export function planMarks(context: PlanContext, free: boolean): Pick<LevelPlan, "edits" | "waiting"> {
  const open = openMarks(context.entries, context.active);
  if (open.length === 0) return { edits: [], waiting: [] };
  const isPinned = (mark: LedgerEntry) => markedItems(mark).some((item) => context.pinned.has(item));
  const pinned = open
    .filter(isPinned)
    .map(({ id }) => ({ mark: id, why: "something in this turn is pinned" }));
  const ready = open.filter((mark) => !isPinned(mark));
  const edits = ready.flatMap((mark) => planMark(mark, context));
  const why = context.legality.editOld ? reasonToWait(edits, context, free) : context.legality.why;
  if (why === undefined) return { edits, waiting: pinned };
  return { edits: [], waiting: [...pinned, ...ready.map(({ id }) => ({ mark: id, why }))] };
}

function markedItems({ edit }: LedgerEntry) {
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
  const wantedItems = new Set(markedItems(mark));
  const inView = context.view.filter(({ id }) => wantedItems.has(id));
  // A turn that is out of sight already, behind a summary for example, needs no edit.
  if (inView.length === 0) return [];
  const messages = context.history.filter(({ id }) => wantedItems.has(id)).map(({ message }) => message);
  return [
    {
      ...base,
      edit: { kind: "remove-turn", turn, items: inView.map(({ id }) => id) },
      removed: [{ content: JSON.stringify(messages), json: true, item: turn }],
      tokens: { before: sumOf(inView, context.weigh), after: 0 },
    },
  ];
}

/** Why the edits wait for a better time; undefined when they are made now. Without a price policy they always are. */
function reasonToWait(edits: readonly PlannedEdit[], context: PlanContext, free: boolean) {
  if (free || context.settings.policy === "seed") return undefined;
  const leaving = new Set(edits.flatMap(({ edit }) => (edit.kind === "remove-turn" ? edit.items : [])));
  const first = context.view.findIndex(({ id }) => leaving.has(id));
  if (first < 0) return undefined;
  const economics = { ...context.settings.economics, leastAtTurn: 0 };
  const verdict = judgeEdits(context, edits, first, true, economics);
  return verdict.pays ? undefined : verdict.why;
}

/** What goes back to the model as the tool's result. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** One turn that was named, with what is to be recorded for it, if anything. */
interface TurnRequest {
  readonly edit?: LedgerEntry["edit"];
  /** The answer; `when` says with which request it happens, or why it waits. */
  answer(when: (soon: string, later: string) => string): string;
}

interface SnipContext {
  readonly history: History;
  readonly entries: readonly LedgerEntry[];
  /** The entries in force. */
  readonly active: readonly LedgerEntry[];
}

const refusedRequest = (answer: string): TurnRequest => ({ answer: () => answer });

export function requestToSnip(id: string, asked: SnipContext): TurnRequest {
  const { history, active } = asked;
  const turns = userTurns(history);
  const turn = turns.find((one) => tagOf(one.id) === id);
  if (!turn) return refusedRequest(`${id}: there is no such turn. ${offer(asked)}`);
  if (turn === turns.at(-1))
    return refusedRequest(`${id}: this is the current turn; it cannot be removed while you work on it.`);
  const items = history.slice(turn.start, turn.end).map((item) => item.id);
  const pinned = pinnedItems(active);
  if (items.some((item) => pinned.has(item)))
    return refusedRequest(`${id}: the user pinned something in this turn; it stays. ${offer(asked)}`);
  const earlier = snippedBy(active, id);
  const comingBack = earlier && openUndoOf(asked, earlier);
  if (comingBack)
    return { edit: { kind: "undo", entry: comingBack.id }, answer: () => `${id}: stays removed after all.` };
  if (earlier)
    return refusedRequest(`${id}: is removed already, or waiting to be. There is nothing left to do.`);
  return {
    edit: { kind: "mark", wanted: { kind: "remove-turn", turn: turn.id, items } },
    answer: (when) =>
      `${id}: ${when("leaves with the next request", "is marked and leaves later")}, ${items.length} messages.`,
  };
}

/** The turns that could be named instead. */
function offer({ history, active }: SnipContext) {
  const pinned = pinnedItems(active);
  const tags = userTurns(history)
    .slice(0, -1)
    .filter(({ start, end }) => !history.slice(start, end).some(({ id }) => pinned.has(id)))
    .map((turn) => tagOf(turn.id))
    .filter((tag) => !snippedBy(active, tag));
  return `Turns that can be removed: ${tags.join(", ") || "none"}.`;
}

/** The mark or the removal that the turn of this tag is under. */
function snippedBy(active: readonly LedgerEntry[], tag: string) {
  return active.findLast(({ edit }) => {
    if (edit.kind === "mark")
      return edit.wanted.kind === "remove-turn" && tagOf(String(edit.wanted.turn)) === tag;
    return edit.kind === "remove-turn" && tagOf(edit.turn) === tag;
  });
}

/** What an undo of a removal has to name: the mark behind it, so that it cannot be carried out again. */
const targetOf = (removal: LedgerEntry) => removal.settles ?? removal.id;

/** The mark that will bring a removed turn back. */
function openUndoOf({ entries, active }: SnipContext, removal: LedgerEntry) {
  return openMarks(entries, active).find(
    ({ edit }) =>
      edit.kind === "mark" && edit.wanted.kind === "undo" && edit.wanted.entry === targetOf(removal),
  );
}

export function requestToUnsnip(id: string, asked: SnipContext): TurnRequest {
  const removal = snippedBy(asked.active, id);
  if (!removal) return refusedRequest(`${id}: no removed turn has this tag.`);
  const entry = targetOf(removal);
  if (removal.edit.kind === "mark")
    return { edit: { kind: "undo", entry }, answer: () => `${id}: had not left yet and stays.` };
  if (openUndoOf(asked, removal)) return refusedRequest(`${id}: is on its way back already.`);
  return {
    edit: { kind: "undo", entry },
    answer: (when) => `${id}: ${when("is back with the next request", "comes back later")}.`,
  };
}

/** The tags of a history's turns, newest last, for a person or a model to choose from. */
export function turnTags(history: History): { readonly tag: string; readonly item: string }[] {
  return history.filter(isUserInput).map(({ id }) => ({ tag: tagOf(id), item: id }));
}
