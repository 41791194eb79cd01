// What no level may touch: messages that are pinned, and results that somebody brought back.
import type { LedgerEntry } from "../../ledger/index.ts";
import type { History } from "../../messages/index.ts";

export function pinnedItems(active: readonly LedgerEntry[]): ReadonlySet<string> {
  const pinned = new Set<string>();
  for (const { edit } of active) {
    if (edit.kind === "pin") for (const item of edit.items) pinned.add(item);
    else if (edit.kind === "unpin") for (const item of edit.items) pinned.delete(item);
  }
  return pinned;
}

/** Calls whose results were taken out and are back by an undo. Without this the next request would undo the undo. */
export function broughtBack(
  entries: readonly LedgerEntry[],
  active: readonly LedgerEntry[],
): ReadonlySet<string> {
  if (active === entries) return new Set();
  const inForce = new Set(active);
  return new Set(
    entries.flatMap((entry) =>
      entry.edit.kind === "replace-result" && !inForce.has(entry) ? [entry.edit.toolUseId] : [],
    ),
  );
}

/** Messages that were taken out with a span or a turn and are back by an undo. */
export function broughtBackItems(
  entries: readonly LedgerEntry[],
  active: readonly LedgerEntry[],
  history: History,
): ReadonlySet<string> {
  if (active === entries) return new Set();
  const inForce = new Set(active);
  const at = (id: string): number => history.findIndex((item) => item.id === id);
  const undone = entries.filter((entry) => !inForce.has(entry));
  return new Set(
    undone.flatMap(({ edit }) => {
      if (edit.kind === "remove-turn") return edit.items;
      if (edit.kind !== "collapse-commit") return [];
      const [first, last] = [at(edit.firstArchivedUuid), at(edit.lastArchivedUuid)];
      return first < 0 ? [] : history.slice(first, last + 1).map(({ id }) => id);
    }),
  );
}

/** True when an edit of that kind was made and taken back, and none is in force. */
export function wasTakenBack(
  kind: "drop-thinking" | "tag-inputs" | "replace-prefix",
  entries: readonly LedgerEntry[],
  active: readonly LedgerEntry[],
): boolean {
  const has = (list: readonly LedgerEntry[]): boolean => list.some(({ edit }) => edit.kind === kind);
  return active !== entries && has(entries) && !has(active);
}
