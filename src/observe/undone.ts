// What was taken back: changes that git restored or reverted, and those that the user had taken back in so many words.
import { type Action, oneLine, takesBack } from "../activity/index.ts";
import { isSameFile, UNDONE } from "../lib/index.ts";
import type { ObservationDraft, Undoing } from "./model.ts";
import type { Phrases } from "./phrases.ts";
import type { Turn } from "./turn.ts";

const TITLE = 100;

const isAmong = (files: readonly string[], path: string) =>
  files.some((file) => file === "." || isSameFile(file, path));

/** Whether a later action restored the file, and none has changed it since. */
function isUndone({ path = "" }: Action, at: number, actions: readonly Action[]) {
  const restored = actions.findLastIndex(({ undoes }) => undoes !== undefined && isAmong(undoes.files, path));
  if (restored < at) return false;
  return !actions.slice(restored).some((later) => later.kind === "change" && later.path === path);
}

/** Changes of these actions that are still there. */
export const lasting = (actions: readonly Action[]): Action[] =>
  actions.filter((action, at) => action.kind !== "change" || !isUndone(action, at, actions));

/** The verb with its object: nothing else can be meant. */
const plainly =
  /\b(?:revert|undo|roll back)\s+(?:that|this|those|these|it|them|the|your|all|everything|my|last)\b|\b(?:revert|undo)\s*(?:[.,!]|$)|(?:撤销|回退|还原|改回|退回)(?:去|来|吧|掉|这|刚|$)/i;
const saysSo =
  /\b(?:revert(?:ed|s)?|restored?|undid|undone|rolled back|back to)\b|撤销|还原|改回|恢复|回退|退回/i;

/** What a turn takes back of what was done before it; undefined where it takes nothing back. */
export function undoingIn({ fresh, request, words }: Turn): Undoing | undefined {
  const undone = fresh.flatMap(({ undoes }) => undoes ?? []);
  const isAsked = takesBack(request) && (plainly.test(request) || saysSo.test(words));
  const changed = fresh.flatMap(({ kind, path, outcome }) =>
    isAsked && kind === "change" && outcome === "ok" && path !== undefined ? [path] : [],
  );
  const files = [...undone.flatMap((one) => one.files), ...changed];
  const commits = undone.flatMap((one) => one.commits);
  return files.length + commits.length === 0 ? undefined : { files, commits, isAsked };
}

type Row = Pick<ObservationDraft, "title"> & Partial<ObservationDraft>;

/**
 * Whether all that an observation of an earlier turn changed was taken back. Restoring files does not take back what was
 * committed.
 */
export function isUndoneBy({ filesModified = [], text = "", concepts = [] }: Row, undoing: Undoing): boolean {
  if (isMarkedUndone({ concepts })) return false;
  const commits = text.split("\n").filter((line) => /^\$ .*(?:\bcommit\b|→ [0-9a-f]{7}$)/.test(line));
  if (commits.length > 0 && !undoing.isAsked)
    return undoing.commits.some(
      (commit) => commit === "HEAD" || commits.some((line) => line.includes(commit.slice(0, 7))),
    );
  return filesModified.length > 0 && filesModified.every((file) => isAmong(undoing.files, file));
}

/** The same, marked as undone in its title and by a concept, once. */
export function markUndone<T extends Row>(row: T, phrases: Phrases): T {
  const isTitled = row.title.startsWith(phrases.undone("").trimEnd());
  const title = isTitled ? row.title : oneLine(phrases.undone(row.title), TITLE);
  const others = (row.concepts ?? []).filter((concept) => concept !== UNDONE);
  return { ...row, title, concepts: [UNDONE, ...others] };
}

export const isMarkedUndone = ({ concepts = [] }: Pick<Row, "concepts">): boolean =>
  concepts.includes(UNDONE);
