// What somebody asked of a session and could not be done in a window that Claude Code keeps: done with a compaction.
import { activeEntries, type LedgerEntry, memoryLedger } from "../ledger/index.ts";
import { systemClock, timeOrderedId } from "../lib/index.ts";
import type { HistoryItem } from "../messages/index.ts";
import { type Session, waitingMarks } from "../pipeline/index.ts";
import { jsonPieces, nameOf } from "../vault/index.ts";

interface AppliedMarks {
  /** The conversation without the turns that were snipped. */
  readonly history: readonly HistoryItem[];
  /** What is to be recorded once the compaction is made. */
  readonly entries: readonly LedgerEntry[];
}

/** Pins hold in a compaction as anywhere: the ledger that it is planned with knows them. */
export function pinsOf(session: Session): Session["ledger"] {
  const pins = activeEntries(session.ledger.entries()).filter(({ edit }) => /^(un)?pin$/.test(edit.kind));
  return memoryLedger(pins);
}

function wantedItems({ edit }: LedgerEntry): ReadonlySet<string> {
  const wanted = edit.kind === "mark" && edit.wanted.kind === "remove-turn" ? edit.wanted.items : [];
  return new Set(Array.isArray(wanted) ? wanted.map(String) : []);
}

/** Takes marked turns out, into the vault first. A mark whose turn is not here any more is left as it is. */
export function applyPendingMarks(session: Session, history: readonly HistoryItem[]): AppliedMarks {
  const now = systemClock.now();
  let left = history;
  const entries = waitingMarks(session).flatMap((mark): LedgerEntry[] => {
    const wanted = wantedItems(mark);
    const leaving = left.filter(({ id }) => wanted.has(id));
    const [first] = leaving;
    if (first === undefined) return [];
    left = left.filter(({ id }) => !wanted.has(id));
    const content = JSON.stringify(leaving.map(({ message }) => message));
    const origin = { session: session.id, level: "snip", item: first.id };
    session.vault.put(content, origin, jsonPieces(content));
    return [
      {
        v: 1,
        id: timeOrderedId("e", now),
        at: new Date(now).toISOString(),
        by: "host",
        level: "snip",
        why: mark.why,
        edit: { kind: "remove-turn", turn: first.id, items: leaving.map(({ id }) => id) },
        handles: [nameOf(content).handle],
        settles: mark.id,
      },
    ];
  });
  return { history: left, entries };
}
