// Which changes were taken back, and which one is the next to be.
import type { Change } from "./journal.ts";

export const UNDO = "undo ";

/** An undo can be undone as well. */
export function isUndone(changes: readonly Change[], id: string): boolean {
  const undo = changes.findLast(({ action }) => action === UNDO + id);
  return undo !== undefined && !isUndone(changes, undo.id);
}

/** The newest change that is no undo and was not undone. */
export function lastToUndo(changes: readonly Change[]): Change | undefined {
  return changes.findLast((change) => !change.action.startsWith(UNDO) && !isUndone(changes, change.id));
}
