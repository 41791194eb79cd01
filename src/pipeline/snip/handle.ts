// Carrying out what the model asked for with snip and unsnip: checked, recorded as a mark, answered in its words.
import { activeEntries, type LedgerEntry, tagOf } from "../../ledger/index.ts";
import { timeOrderedId } from "../../lib/index.ts";
import { type History, isUserInput, userTurns } from "../../messages/index.ts";
import type { Session } from "../session.ts";
import { readIds } from "./tool.ts";

/** What goes back to the model as the tool's result. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

interface Wish {
  readonly id: string;
  readonly mark?: LedgerEntry["edit"];
  readonly undo?: string;
  readonly answer: string;
}

/** `history` is the conversation as the client holds it; `willWait` says why edits cannot be made now, if so. */
export function handleSnip(
  session: Session,
  history: History,
  input: unknown,
  now: number,
  willWait: string,
): ToolAnswer {
  const ids = readIds(input);
  const reason =
    typeof (input as { reason?: unknown } | null)?.reason === "string"
      ? (input as { reason: string }).reason
      : "";
  if (!ids)
    return {
      isError: true,
      text: 'snip takes {"ids": ["abc123"], "reason": "…"} with the tags of user turns.',
    };
  const wishes = [...new Set(ids)].map((id) => wishToSnip(session, history, id, willWait));
  return record(session, wishes, reason || "asked for by the model", now, history);
}

export function handleUnsnip(
  session: Session,
  history: History,
  input: unknown,
  now: number,
  willWait: string,
): ToolAnswer {
  const ids = readIds(input);
  if (!ids)
    return { isError: true, text: 'unsnip takes {"ids": ["abc123"]} with the tags of removed turns.' };
  const wishes = [...new Set(ids)].map((id) => wishToUnsnip(session, id, willWait));
  return record(session, wishes, "brought back by the model", now, history);
}

function wishToSnip(session: Session, history: History, id: string, willWait: string): Wish {
  const turns = userTurns(history);
  const turn = turns.find((one) => tagOf(one.id) === id);
  const entries = activeEntries(session.ledger.entries());
  if (!turn)
    return {
      id,
      answer: `${id}: there is no such turn. Turns that can be removed: ${removable(history, entries) || "none"}.`,
    };
  if (turn === turns.at(-1))
    return { id, answer: `${id}: this is the current turn; it cannot be removed while you work on it.` };
  const items = history.slice(turn.start, turn.end).map((item) => item.id);
  if (items.some((item) => isPinned(entries, item)))
    return { id, answer: `${id}: the user pinned something in this turn; it stays.` };
  if (snippedBy(entries, turn.id)) return { id, answer: `${id}: already removed, or waiting to be.` };
  const wanted = { kind: "remove-turn", turn: turn.id, items };
  const when = willWait === "" ? "leaves with the next request" : `is marked and leaves later (${willWait})`;
  return { id, mark: { kind: "mark", wanted }, answer: `${id}: ${when}, ${items.length} messages.` };
}

function removable(history: History, entries: readonly LedgerEntry[]): string {
  return userTurns(history)
    .slice(0, -1)
    .filter((turn) => !snippedBy(entries, turn.id))
    .map((turn) => tagOf(turn.id))
    .join(", ");
}

function isPinned(entries: readonly LedgerEntry[], item: string): boolean {
  const last = entries.findLast(
    ({ edit }) => (edit.kind === "pin" || edit.kind === "unpin") && edit.items.includes(item),
  );
  return last?.edit.kind === "pin";
}

/** The mark or the removal that a turn is under. */
function snippedBy(entries: readonly LedgerEntry[], turn: string): LedgerEntry | undefined {
  return entries.findLast(({ edit }) => {
    if (edit.kind === "mark") return edit.wanted.kind === "remove-turn" && edit.wanted.turn === turn;
    return edit.kind === "remove-turn" && edit.turn === turn;
  });
}

function wishToUnsnip(session: Session, id: string, willWait: string): Wish {
  const entries = activeEntries(session.ledger.entries());
  const removal = entries.findLast(({ edit }) => edit.kind === "remove-turn" && tagOf(edit.turn) === id);
  const mark = entries.findLast(
    ({ edit }) =>
      edit.kind === "mark" && edit.wanted.kind === "remove-turn" && tagOf(String(edit.wanted.turn)) === id,
  );
  if (!removal && !mark) return { id, answer: `${id}: no removed turn has this tag.` };
  if (!removal && mark) return { id, undo: mark.id, answer: `${id}: had not left yet and stays.` };
  const target = removal?.settles ?? removal?.id ?? "";
  if (willWait === "") return { id, undo: target, answer: `${id}: is back with the next request.` };
  return {
    id,
    mark: { kind: "mark", wanted: { kind: "undo", entry: target } },
    answer: `${id}: comes back later (${willWait}).`,
  };
}

function record(
  session: Session,
  wishes: readonly Wish[],
  why: string,
  now: number,
  history: History,
): ToolAnswer {
  const tip = history.at(-1)?.id;
  const entries = wishes.flatMap(({ mark, undo }): LedgerEntry[] => {
    const edit = mark ?? (undo === undefined ? undefined : { kind: "undo" as const, entry: undo });
    if (!edit) return [];
    const at = new Date(now).toISOString();
    return [
      {
        v: 1,
        id: timeOrderedId("e", now),
        at,
        by: "here",
        level: "snip",
        why,
        edit,
        ...(tip === undefined ? {} : { tip }),
      },
    ];
  });
  session.ledger.append(entries);
  return { isError: entries.length === 0, text: wishes.map(({ answer }) => answer).join("\n") };
}

/** The tags of a history's turns, newest last, for a person or a model to choose from. */
export function turnTags(history: History): { readonly tag: string; readonly item: string }[] {
  return history.filter(isUserInput).map(({ id }) => ({ tag: tagOf(id), item: id }));
}
