// Which entries are in force, and what an undo would take with it. Undo entries are appended by pipeline/requests.ts and by `throughline ledger --undo`.
import { GrowingReaders, notFoundError, ThroughlineError } from "../lib/index.ts";
import { type LedgerEntry, referencesOf } from "./edits.ts";

/** True when `later` references messages that `earlier` inserted, or carries out its mark. */
function builtOn(later: LedgerEntry, earlier: LedgerEntry) {
  if (later.settles === earlier.id) return true;
  const prefix = `${earlier.id}:`;
  const placeholder = earlier.edit.kind === "collapse-commit" ? earlier.edit.summaryUuid : undefined;
  return referencesOf(later.edit).some(
    (reference) => reference.startsWith(prefix) || reference === placeholder,
  );
}

/** The target and everything built on it, directly or not, in log order. */
function withDependents(entries: readonly LedgerEntry[], target: LedgerEntry) {
  const taken = [target];
  for (const entry of entries.slice(entries.indexOf(target) + 1)) {
    if (entry.edit.kind !== "undo" && taken.some((earlier) => builtOn(entry, earlier))) taken.push(entry);
  }
  return taken;
}

/** Reads of a ledger that grows what every request asks for: most entries have nothing to do with it. */
class LedgerReader {
  items: readonly LedgerEntry[] = [];
  hasUndo = false;
  /** Marks, pins, and what settles marks. */
  readonly notable: LedgerEntry[] = [];

  read(entries: readonly LedgerEntry[]) {
    for (const entry of entries.slice(this.items.length)) {
      const { kind } = entry.edit;
      if (kind === "undo") this.hasUndo = true;
      if (kind === "mark" || kind === "pin" || kind === "unpin" || entry.settles !== undefined)
        this.notable.push(entry);
    }
    this.items = entries;
  }
}

const ledgerReaders = new GrowingReaders<LedgerEntry, LedgerReader>(() => new LedgerReader());

/** The marks, pins and unpins among the entries, and what settles marks, in log order. */
export const marksAndPins = (entries: readonly LedgerEntry[]): readonly LedgerEntry[] =>
  ledgerReaders.of(entries).notable;

/** Entries in force, in log order. An undo that was itself undone has no effect. */
export function activeEntries(entries: readonly LedgerEntry[]): readonly LedgerEntry[] {
  if (!ledgerReaders.of(entries).hasUndo) return entries;
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const undone = new Set<string>();
  // Backwards: an undo comes after what it undoes, so it is known whether an entry was undone before it is applied.
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at];
    if (entry?.edit.kind !== "undo" || undone.has(entry.id)) continue;
    const target = byId.get(entry.edit.entry);
    if (!target || entries.indexOf(target) >= at) continue;
    const taken = target.edit.kind === "undo" ? [target] : withDependents(entries.slice(0, at), target);
    for (const { id } of taken) undone.add(id);
  }
  return entries.filter(({ id, edit }) => edit.kind !== "undo" && !undone.has(id));
}

/**
 * The entries an undo of `id` would take back, the named one first.
 * Throws `not-found` for an unknown id and `undo-refused`, with the reason, where it cannot be done.
 */
export function planUndo(entries: readonly LedgerEntry[], id: string): readonly LedgerEntry[] {
  const target = entries.find((entry) => entry.id === id);
  if (!target) throw notFoundError(`no ledger entry ${id}`, "throughline ledger SESSION lists them");
  if (target.edit.kind === "undo") return [target];
  if (!activeEntries(entries).includes(target))
    throw new ThroughlineError("undo-refused", `${id} is already undone`, "undo the undo to bring it back");
  const taken = withDependents(entries, target).filter((entry) => activeEntries(entries).includes(entry));
  for (const entry of taken) {
    if (entry.by === "here") continue;
    const reason =
      entry.by === "host"
        ? `${entry.id} was carried out by the agent, whose own history holds the result`
        : `${entry.id} is carried out by the API on its side`;
    throw new ThroughlineError(
      "undo-refused",
      `${id} cannot be undone: ${reason}`,
      "recall its handle to see what was taken out",
    );
  }
  return taken;
}
