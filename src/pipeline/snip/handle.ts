// What the model asks for with snip and unsnip: checked against the conversation and turned into wishes with an answer.
import { type LedgerEntry, tagOf } from "../../ledger/index.ts";
import { type History, isUserInput, userTurns } from "../../messages/index.ts";
import { pinnedItems } from "../policy/untouchable.ts";
import { openMarks } from "./commitMarks.ts";
import { readIds } from "./tool.ts";

/** What goes back to the model as the tool's result. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** One turn that was named, with what is to be recorded for it, if anything. */
export interface Wish {
  readonly edit?: LedgerEntry["edit"];
  /** The answer; `when` says with which request it happens, or why it waits. */
  answer(when: (soon: string, later: string) => string): string;
}

export interface Asked {
  readonly history: History;
  readonly entries: readonly LedgerEntry[];
  /** The entries in force. */
  readonly active: readonly LedgerEntry[];
}

/** Undefined for input that is not of the tool's shape. */
export function wishesToSnip(input: unknown, asked: Asked): readonly Wish[] | undefined {
  const ids = readIds(input);
  return ids && [...new Set(ids)].map((id) => wishToSnip(id, asked));
}

export function wishesToUnsnip(input: unknown, asked: Asked): readonly Wish[] | undefined {
  const ids = readIds(input);
  return ids && [...new Set(ids)].map((id) => wishToUnsnip(id, asked));
}

const refusal = (answer: string): Wish => ({ answer: () => answer });

function wishToSnip(id: string, asked: Asked): Wish {
  const { history, active } = asked;
  const turns = userTurns(history);
  const turn = turns.find((one) => tagOf(one.id) === id);
  if (!turn) return refusal(`${id}: there is no such turn. ${offer(asked)}`);
  if (turn === turns.at(-1))
    return refusal(`${id}: this is the current turn; it cannot be removed while you work on it.`);
  const items = history.slice(turn.start, turn.end).map((item) => item.id);
  const pinned = pinnedItems(active);
  if (items.some((item) => pinned.has(item)))
    return refusal(`${id}: the user pinned something in this turn; it stays. ${offer(asked)}`);
  const earlier = snippedBy(active, id);
  const comingBack = earlier && openUndoOf(asked, earlier);
  if (comingBack)
    return { edit: { kind: "undo", entry: comingBack.id }, answer: () => `${id}: stays removed after all.` };
  if (earlier) return refusal(`${id}: is removed already, or waiting to be. There is nothing left to do.`);
  return {
    edit: { kind: "mark", wanted: { kind: "remove-turn", turn: turn.id, items } },
    answer: (when) =>
      `${id}: ${when("leaves with the next request", "is marked and leaves later")}, ${items.length} messages.`,
  };
}

/** The turns that could be named instead. */
function offer({ history, active }: Asked): string {
  const pinned = pinnedItems(active);
  const tags = userTurns(history)
    .slice(0, -1)
    .filter(({ start, end }) => !history.slice(start, end).some(({ id }) => pinned.has(id)))
    .map((turn) => tagOf(turn.id))
    .filter((tag) => !snippedBy(active, tag));
  return `Turns that can be removed: ${tags.join(", ") || "none"}.`;
}

/** The mark or the removal that the turn of this tag is under. */
function snippedBy(active: readonly LedgerEntry[], tag: string): LedgerEntry | undefined {
  return active.findLast(({ edit }) => {
    if (edit.kind === "mark")
      return edit.wanted.kind === "remove-turn" && tagOf(String(edit.wanted.turn)) === tag;
    return edit.kind === "remove-turn" && tagOf(edit.turn) === tag;
  });
}

/** What an undo of a removal has to name: the mark behind it, so that it cannot be carried out again. */
const targetOf = (removal: LedgerEntry): string => removal.settles ?? removal.id;

/** The mark that will bring a removed turn back. */
function openUndoOf({ entries, active }: Asked, removal: LedgerEntry): LedgerEntry | undefined {
  return openMarks(entries, active).find(
    ({ edit }) =>
      edit.kind === "mark" && edit.wanted.kind === "undo" && edit.wanted.entry === targetOf(removal),
  );
}

function wishToUnsnip(id: string, asked: Asked): Wish {
  const removal = snippedBy(asked.active, id);
  if (!removal) return refusal(`${id}: no removed turn has this tag.`);
  const entry = targetOf(removal);
  if (removal.edit.kind === "mark")
    return { edit: { kind: "undo", entry }, answer: () => `${id}: had not left yet and stays.` };
  if (openUndoOf(asked, removal)) return refusal(`${id}: is on its way back already.`);
  return {
    edit: { kind: "undo", entry },
    answer: (when) => `${id}: ${when("is back with the next request", "comes back later")}.`,
  };
}

/** The tags of a history's turns, newest last, for a person or a model to choose from. */
export function turnTags(history: History): { readonly tag: string; readonly item: string }[] {
  return history.filter(isUserInput).map(({ id }) => ({ tag: tagOf(id), item: id }));
}
