// Which changes were taken back, and which one is the next to be.
import type { MemoryChange } from "./journal.ts";

export const UNDO_ACTION = "undo ";

/** An undo can be undone as well. */
export function isUndone(changes: readonly MemoryChange[], id: string): boolean {
  const undo = changes.findLast(({ action }) => action === UNDO_ACTION + id);
  return undo !== undefined && !isUndone(changes, undo.id);
}

/** The newest change that is no undo and was not undone. */
export function lastUndoable(changes: readonly MemoryChange[]): MemoryChange | undefined {
  return changes.findLast(
    (change) => !change.action.startsWith(UNDO_ACTION) && !isUndone(changes, change.id),
  );
}
