// What a model or a person may ask of a session: snip, unsnip, pin, undo. Each answers in words that can be acted on.
import { activeEntries, type Edit, type LedgerEntry, planUndo } from "../ledger/index.ts";
import { systemClock, ThroughlineError, timeOrderedId } from "../lib/index.ts";
import type { History } from "../messages/index.ts";
import { lookupModel } from "../tokens/index.ts";
import { cacheOutlook } from "./policy/outlook.ts";
import { legalityOf } from "./policy/regime.ts";
import { runtimeOf } from "./runtime.ts";
import type { Session } from "./session.ts";
import { handleSnip, handleUnsnip, type ToolAnswer } from "./snip/handle.ts";

export interface DoorOptions {
  /** The model the conversation runs on: it decides whether an edit can be made at once. */
  readonly model: string;
  readonly now?: number;
}

/** The conversation as it was last prepared by this process. */
function currentHistory(session: Session): History {
  const { lastHistory } = runtimeOf(session);
  if (lastHistory.length > 0) return lastHistory;
  throw new ThroughlineError("not-found", `session ${session.id} has no conversation yet`, {
    fix: "call prepare with its messages first",
  });
}

/** Why old content cannot change with the next request; empty when it can. */
function obstacle(session: Session, { model, now = systemClock.now() }: DoorOptions): string {
  const runtime = runtimeOf(session);
  const view = runtime.applier.apply(runtime.lastHistory, session.ledger.entries()).items;
  const outlook = cacheOutlook(runtime.state, now, undefined);
  return legalityOf(lookupModel(model, session.models), view, outlook).why;
}

/** The handler of the `snip` tool. */
export function snip(session: Session, input: unknown, options: DoorOptions): ToolAnswer {
  return handleSnip(
    session,
    currentHistory(session),
    input,
    options.now ?? systemClock.now(),
    obstacle(session, options),
  );
}

/** The handler of the `unsnip` tool. */
export function unsnip(session: Session, input: unknown, options: DoorOptions): ToolAnswer {
  return handleUnsnip(
    session,
    currentHistory(session),
    input,
    options.now ?? systemClock.now(),
    obstacle(session, options),
  );
}

function record(session: Session, edit: Edit, why: string, now: number): LedgerEntry {
  const tip = runtimeOf(session).lastHistory.at(-1)?.id;
  const entry: LedgerEntry = {
    v: 1,
    id: timeOrderedId("e", now),
    at: new Date(now).toISOString(),
    by: "here",
    level: "user",
    why,
    edit,
    ...(tip === undefined ? {} : { tip }),
  };
  session.ledger.append([entry]);
  return entry;
}

/** Later edits leave these messages alone. */
export function pin(session: Session, items: readonly string[], options: { now?: number } = {}): LedgerEntry {
  return record(session, { kind: "pin", items }, "pinned", options.now ?? systemClock.now());
}

export function unpin(
  session: Session,
  items: readonly string[],
  options: { now?: number } = {},
): LedgerEntry {
  return record(session, { kind: "unpin", items }, "unpinned", options.now ?? systemClock.now());
}

export interface Undone {
  /** The entries that are taken back, the named one first. */
  readonly entries: readonly LedgerEntry[];
  /** Why it waits, when old content cannot change now. */
  readonly waiting?: string;
}

/** Takes an edit back, at once or at the next point at which that is legal. Throws `undo-refused` with the reason. */
export function undo(session: Session, id: string, options: DoorOptions): Undone {
  const now = options.now ?? systemClock.now();
  const entries = planUndo(session.ledger.entries(), id);
  const waiting = obstacle(session, { ...options, now });
  if (waiting === "" || changesNothingSent(entries)) {
    record(session, { kind: "undo", entry: id }, "taken back", now);
    return { entries };
  }
  record(session, { kind: "mark", wanted: { kind: "undo", entry: id } }, "to be taken back", now);
  return { entries, waiting };
}

/** Marks and pins have no effect on what was sent. */
function changesNothingSent(entries: readonly LedgerEntry[]): boolean {
  return entries.every(({ edit }) => edit.kind === "mark" || edit.kind === "pin" || edit.kind === "unpin");
}

/** What waits for a legal point, oldest first. */
export function waitingMarks(session: Session): readonly LedgerEntry[] {
  const entries = session.ledger.entries();
  const settled = new Set(entries.map(({ settles }) => settles));
  return activeEntries(entries).filter(({ id, edit }) => edit.kind === "mark" && !settled.has(id));
}
