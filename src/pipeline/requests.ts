// What a model or a person may ask of a session: snip, unsnip, pin, undo. Each answers in words that can be acted on.
import { activeEntries, type Edit, type LedgerEntry, planUndo, tagOf } from "../ledger/index.ts";
import { systemClock, ThroughlineError, timeOrderedId } from "../lib/index.ts";
import { type History, userTurns } from "../messages/index.ts";
import { lookupModel } from "../tokens/index.ts";
import { planContext } from "./context.ts";
import { bindsThinking, boundUntil, LEGAL_POINT } from "./policy/regime.ts";
import { runtimeOf } from "./runtime.ts";
import type { Session } from "./session.ts";
import { openMarks, settleMarks } from "./snip/commitMarks.ts";
import { type Asked, type ToolAnswer, type Wish, wishesToSnip, wishesToUnsnip } from "./snip/handle.ts";

export interface DoorOptions {
  /** The model the conversation runs on: it decides whether an edit can be made at once. */
  readonly model: string;
  readonly now?: number;
}

/** Takes a conversation for the session's own that another process sends: marks are made, and that process carries them out. */
export function adopt(session: Session, history: History): void {
  runtimeOf(session).lastHistory = history;
}

/** The conversation as it was last prepared by this process. */
function currentHistory(session: Session): History {
  const { lastHistory } = runtimeOf(session);
  if (lastHistory.length > 0) return lastHistory;
  throw new ThroughlineError("not-found", `session ${session.id} has no conversation yet`, {
    fix: "call prepare with its messages first",
  });
}

/** The handler of the `snip` tool. */
export function snip(session: Session, input: unknown, options: DoorOptions): ToolAnswer {
  const wishes = wishesToSnip(input, askedOf(session));
  const { reason } = (input ?? {}) as { reason?: unknown };
  const why = typeof reason === "string" && reason !== "" ? reason : "asked for by the model";
  return wishes
    ? grant(session, wishes, why, options)
    : misunderstood('snip takes {"ids": ["abc123"], "reason": "…"} with the tags of user turns.');
}

/** The handler of the `unsnip` tool. */
export function unsnip(session: Session, input: unknown, options: DoorOptions): ToolAnswer {
  const wishes = wishesToUnsnip(input, askedOf(session));
  return wishes
    ? grant(session, wishes, "brought back by the model", options)
    : misunderstood('unsnip takes {"ids": ["abc123"]} with the tags of removed turns.');
}

const misunderstood = (text: string): ToolAnswer => ({ isError: true, text });

function askedOf(session: Session): Asked {
  const entries = session.ledger.entries();
  return { history: currentHistory(session), entries, active: activeEntries(entries) };
}

/** Records what was wished for and tells when it happens: the next request decides, and the answer foresees it. */
function grant(
  session: Session,
  wishes: readonly Wish[],
  why: string,
  { model, now = systemClock.now() }: DoorOptions,
): ToolAnswer {
  const bound = boundBy(session, model);
  const texts: ((late: ReadonlyMap<string, string>) => string)[] = [];
  const entries = wishes.flatMap(({ edit, answer }): LedgerEntry[] => {
    const waits = edit !== undefined && bound !== "" && !isOfMark(session, edit);
    const entry = edit && entryOf(session, "snip", waits ? asMark(edit) : edit, why, now);
    texts.push((late) =>
      answer((soon, later) => {
        const delay = late.get(entry?.id ?? "");
        return delay === undefined ? soon : `${later} (${delay})`;
      }),
    );
    return entry ? [entry] : [];
  });
  session.ledger.append(entries);
  const late = entries.length === 0 ? new Map<string, string>() : delays(session, model, now, bound);
  return { isError: entries.length === 0, text: texts.map((text) => text(late)).join("\n") };
}

/** A removal is a mark already; an undo becomes one where old content cannot change at any time. */
function asMark(edit: Edit): Edit {
  return edit.kind === "undo" ? { kind: "mark", wanted: { ...edit } } : edit;
}

/** Taking back a mark that was not carried out changes nothing that was sent. */
function isOfMark(session: Session, edit: Edit): boolean {
  if (edit.kind !== "undo") return false;
  return changesNothingSent(planUndo(session.ledger.entries(), edit.entry));
}

/** Why nothing old can change with the next request whatever it is; empty where that is not so. */
function boundBy(session: Session, name: string): string {
  const model = lookupModel(name, session.models);
  return bindsThinking(model) ? boundUntil(model, LEGAL_POINT) : "";
}

/** Marks that would not be carried out with a request made now, with the reason. */
function delays(session: Session, model: string, now: number, bound: string): ReadonlyMap<string, string> {
  const entries = session.ledger.entries();
  if (bound !== "") return new Map(openMarks(entries, activeEntries(entries)).map(({ id }) => [id, bound]));
  const runtime = runtimeOf(session);
  const history = runtime.lastHistory;
  const applied = runtime.applier.apply(history, entries);
  const context = planContext({
    session,
    runtime,
    model: lookupModel(model, session.models),
    history,
    applied,
    entries,
    now,
  });
  return new Map(settleMarks(context, false).waiting.map(({ mark, why }) => [mark, why]));
}

function entryOf(
  session: Session,
  level: LedgerEntry["level"],
  edit: Edit,
  why: string,
  now: number,
): LedgerEntry {
  const tip = runtimeOf(session).lastHistory.at(-1)?.id;
  return {
    v: 1,
    id: timeOrderedId("e", now),
    at: new Date(now).toISOString(),
    by: "here",
    level,
    why,
    edit,
    ...(tip === undefined ? {} : { tip }),
  };
}

function record(session: Session, edit: Edit, why: string, now = systemClock.now()): LedgerEntry {
  const entry = entryOf(session, "user", edit, why, now);
  session.ledger.append([entry]);
  return entry;
}

/** Later edits leave these alone: messages by their ids, whole turns by their tags. Throws `not-found`. */
export function pin(session: Session, names: readonly string[], options: { now?: number } = {}): LedgerEntry {
  return record(session, { kind: "pin", items: itemsNamed(session, names) }, "pinned", options.now);
}

export function unpin(
  session: Session,
  names: readonly string[],
  options: { now?: number } = {},
): LedgerEntry {
  return record(session, { kind: "unpin", items: itemsNamed(session, names) }, "unpinned", options.now);
}

function itemsNamed(session: Session, names: readonly string[]): readonly string[] {
  const history = currentHistory(session);
  const ids = new Set(history.map(({ id }) => id));
  const turns = new Map(userTurns(history).map((turn) => [tagOf(turn.id), turn]));
  return names.flatMap((name) => {
    if (ids.has(name)) return [name];
    const turn = turns.get(name);
    if (turn) return history.slice(turn.start, turn.end).map(({ id }) => id);
    throw new ThroughlineError("not-found", `session ${session.id} has no message or turn ${name}`, {
      fix: "name a message by its id or a turn by its tag",
    });
  });
}

export interface Undone {
  /** The entries that are taken back, the named one first. */
  readonly entries: readonly LedgerEntry[];
  /** Why it waits, when old content cannot change now. */
  readonly waiting?: string;
}

/** Takes an edit back, at once or at the next point at which that is legal. Throws `undo-refused` with the reason. */
export function undo(session: Session, id: string, options: DoorOptions): Undone {
  const known = session.ledger.entries();
  const entries = planUndo(known, id);
  const waiting = boundBy(session, options.model);
  if (waiting === "" || changesNothingSent(entries)) {
    record(session, { kind: "undo", entry: id }, "taken back", options.now);
    return { entries };
  }
  if (entries.some(({ edit }) => edit.kind === "drop-thinking")) {
    throw new ThroughlineError(
      "undo-refused",
      `${id} cannot be undone: ${options.model} takes no thinking back`,
      {
        fix: "recall its handle to read what was thought",
      },
    );
  }
  const wanted = { kind: "undo", entry: id };
  const isWanted = openMarks(known, activeEntries(known)).some(
    ({ edit }) => edit.kind === "mark" && edit.wanted.kind === "undo" && edit.wanted.entry === id,
  );
  if (!isWanted) record(session, { kind: "mark", wanted }, "to be taken back", options.now);
  return { entries, waiting };
}

/** Marks, pins and staged spans have no effect on what was sent. */
function changesNothingSent(entries: readonly LedgerEntry[]): boolean {
  return entries.every(({ edit }) => ["mark", "pin", "unpin", "collapse-snapshot"].includes(edit.kind));
}

/** What waits for a legal point, oldest first. */
export function waitingMarks(session: Session): readonly LedgerEntry[] {
  const entries = session.ledger.entries();
  return openMarks(entries, activeEntries(entries));
}
