// Requests of a model or a person to a session: snip, unsnip, pin, undo, expand. Each returns an answer to act on.

import { activeEntries, type Edit, type LedgerEntry, planUndo, tagOf } from "../ledger/index.ts";
import { bindsThinking, boundUntil, holdsThinking, LEGAL_POINT } from "../legality/index.ts";
import { defined, givenText, isObject, notFoundError, systemClock, ThroughlineError } from "../lib/index.ts";
import { type History, isUserInput, textOf, userTurns } from "../messages/index.ts";
import { lookupModel } from "../tokens/index.ts";
import { currentSnapshot } from "./collapse/collapse.ts";
import { planContext } from "./planContext.ts";
import { newEntry } from "./record.ts";
import type { Session } from "./session.ts";
import {
  openMarks,
  planMarks,
  readIds,
  requestToSnip,
  requestToUnsnip,
  type ToolAnswer,
} from "./snip/snip.ts";

/** Options of `snip`, `pin` and `undo`. */
export interface RequestOptions {
  /** The model the conversation runs on: it decides whether an edit can be made at once. */
  readonly model: string;
  readonly now?: number;
}

/** Makes a conversation of another process the session's own: this process records marks, that one carries them out. */
export function adopt(session: Session, history: History): void {
  session.runtime.lastHistory = history;
}

/** The conversation as it was last prepared by this process. */
function currentHistory(session: Session) {
  const { lastHistory } = session.runtime;
  if (lastHistory.length > 0) return lastHistory;
  throw notFoundError(
    `session ${session.id} has no conversation yet`,
    "call prepare with its messages first",
  );
}

/** The handler of the `snip` tool. */
export function snip(session: Session, input: unknown, options: RequestOptions): ToolAnswer {
  const reason = isObject(input) ? givenText(input.reason) : undefined;
  return recordRequests(session, input, options, {
    requestFor: requestToSnip,
    why: reason ?? "asked for by the model",
    usage: 'snip takes {"ids": ["abc123"], "reason": "…"} with the tags of user turns.',
  });
}

/** The handler of the `unsnip` tool. */
export function unsnip(session: Session, input: unknown, options: RequestOptions): ToolAnswer {
  return recordRequests(session, input, options, {
    requestFor: requestToUnsnip,
    why: "brought back by the model",
    usage: 'unsnip takes {"ids": ["abc123"]} with the tags of removed turns.',
  });
}

/** A turn that can be named to snip: its tag, and the user's words. */
export interface ListedTurn {
  readonly tag: string;
  readonly text: string;
}

/** Turns of the conversation, newest last, without those that are removed or marked. */
export function listTurns(session: Session): ListedTurn[] {
  const history = currentHistory(session);
  const gone = new Set(
    activeEntries(session.ledger.entries()).flatMap(({ edit }) =>
      edit.kind === "remove-turn" ? edit.turn : edit.kind === "mark" ? String(edit.wanted.turn) : [],
    ),
  );
  return history
    .filter((item) => isUserInput(item) && !gone.has(item.id))
    .map(({ id, message }) => ({ tag: tagOf(id), text: textOf(message.content) }));
}

interface RequestKind {
  readonly requestFor: typeof requestToSnip;
  readonly why: string;
  /** The answer to input that is not of the tool's shape. */
  readonly usage: string;
}

/** Records the requested edits. The next request decides when they happen; the answer predicts it. */
function recordRequests(
  session: Session,
  input: unknown,
  { model, now = systemClock.now() }: RequestOptions,
  { requestFor, why, usage }: RequestKind,
): ToolAnswer {
  const known = session.ledger.entries();
  const asked = { history: currentHistory(session), entries: known, active: activeEntries(known) };
  const ids = readIds(input);
  if (!ids) return { isError: true, text: usage };
  const bound = boundBy(session, model);
  const texts: ((late: ReadonlyMap<string, string>) => string)[] = [];
  const entries = ids.flatMap((id) => {
    const { edit, answer } = requestFor(id, asked);
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
function isOfMark(session: Session, edit: Edit) {
  if (edit.kind !== "undo") return false;
  return changesNothingSent(planUndo(session.ledger.entries(), edit.entry));
}

/** Why no request can change old content now; empty where one can. */
function boundBy({ runtime, models }: Session, name: string) {
  const model = lookupModel(name, models);
  // A process that has not seen the conversation cannot know that it holds no thinking.
  const isUnknown = runtime.lastHistory.length === 0;
  return bindsThinking(model) && (isUnknown || runtime.lastHistory.some(holdsThinking))
    ? boundUntil(model, LEGAL_POINT)
    : "";
}

/** Marks that would not be carried out with a request made now, with the reason. */
function delays(session: Session, model: string, now: number, bound: string) {
  const entries = session.ledger.entries();
  if (bound !== "") return new Map(openMarks(entries).map(({ id }) => [id, bound]));
  const context = planContext({
    session,
    model: lookupModel(model, session.models),
    history: session.runtime.lastHistory,
    entries,
    now,
    fixed: {},
  });
  return new Map(planMarks(context, false).waiting.map(({ mark, why }) => [mark, why]));
}

function entryOf({ runtime }: Session, level: LedgerEntry["level"], edit: Edit, why: string, now: number) {
  return newEntry(now, { level, why, edit, ...defined({ tip: runtime.lastHistory.at(-1)?.id }) });
}

function record(session: Session, edit: Edit, why: string, now = systemClock.now()) {
  const entry = entryOf(session, "user", edit, why, now);
  session.ledger.append([entry]);
  return entry;
}

const recorder =
  (kind: "pin" | "unpin") =>
  (session: Session, names: readonly string[], options: { readonly now?: number } = {}) =>
    record(session, { kind, items: itemsNamed(session, names) }, `${kind}ned`, options.now);

/** Later edits leave these alone: messages by their ids, whole turns by their tags. Throws `not-found`. */
export const pin = recorder("pin");
/** Lets levels edit these messages again. */
export const unpin = recorder("unpin");

function itemsNamed(session: Session, names: readonly string[]) {
  const history = currentHistory(session);
  const ids = new Set(history.map(({ id }) => id));
  const turns = new Map(userTurns(history).map((turn) => [tagOf(turn.id), turn]));
  return names.flatMap((name) => {
    if (ids.has(name)) return [name];
    const turn = turns.get(name);
    if (turn) return history.slice(turn.start, turn.end).map(({ id }) => id);
    throw notFoundError(
      `session ${session.id} has no message or turn ${name}`,
      "name a message by its id or a turn by its tag",
    );
  });
}

/** What an undo takes back. */
export interface Undone {
  /** The entries that are taken back, the named one first. */
  readonly entries: readonly LedgerEntry[];
  /** Why it waits, when old content cannot change now. */
  readonly waiting?: string;
}

/** Takes an edit back, at once or at the next point at which that is legal. Throws `undo-refused` with the reason. */
export function undo(session: Session, id: string, options: RequestOptions): Undone {
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
      "recall its handle to read what was thought",
    );
  }
  const wanted = { kind: "undo", entry: id };
  const isWanted = openMarks(known).some(
    ({ edit }) => edit.kind === "mark" && edit.wanted.kind === "undo" && edit.wanted.entry === id,
  );
  if (!isWanted) record(session, { kind: "mark", wanted }, "to be taken back", options.now);
  return { entries, waiting };
}

/** Marks, pins and staged spans have no effect on what was sent. */
function changesNothingSent(entries: readonly LedgerEntry[]) {
  return entries.every(({ edit }) => ["mark", "pin", "unpin", "collapse-snapshot"].includes(edit.kind));
}

/** What waits for a legal point, oldest first. */
export function waitingMarks(session: Session): readonly LedgerEntry[] {
  return openMarks(session.ledger.entries());
}

/** Words for a span's placeholder; undefined leaves it to what code can tell. */
export type WordSpan = (span: History) => Promise<string | undefined>;

/** Wording that is longer than this share of what it stands for is no gain. */
const LONGEST_SHARE = 0.5;

/**
 * Has `word` (a model, for example) write placeholders for staged spans and records them. Returns the number
 * of spans that have words now. Rejects with whatever `word` rejects with; then nothing was noted.
 */
export async function wordStagedSpans(
  session: Session,
  word: WordSpan,
  options: { readonly now?: number } = {},
): Promise<number> {
  const { lastHistory } = session.runtime;
  const staged = currentSnapshot(activeEntries(session.ledger.entries()));
  if (!staged?.edit.armed) return 0;
  const at = (id: string) => lastHistory.findIndex((item) => item.id === id);
  const spans = [...staged.edit.spans];
  for (const [index, span] of spans.entries()) {
    if (span.wording !== undefined) continue;
    const part = lastHistory.slice(at(span.firstArchivedUuid), at(span.lastArchivedUuid) + 1);
    const words = part.length === 0 ? undefined : (await word(part))?.trim();
    if (words && words.length <= JSON.stringify(part).length * LONGEST_SHARE)
      spans[index] = { ...span, wording: words };
  }
  const worded = spans.filter(({ wording }) => wording !== undefined).length;
  // While the words were written a request may have gone out that collapsed the spans or staged others.
  const isCurrent = currentSnapshot(activeEntries(session.ledger.entries()))?.id === staged.id;
  if (!isCurrent || spans.every((span, index) => span === staged.edit.spans[index])) return 0;
  const now = options.now ?? systemClock.now();
  const why = `${worded} staged spans have words of their own`;
  session.ledger.append([newEntry(now, { level: "collapse", why, edit: { ...staged.edit, spans } })]);
  return worded;
}

/**
 * Brings a collapsed span back, by its `collapseId` or by the handle in its placeholder: at once, or at the next point
 * at which that is legal. Throws `not-found` when no span in force goes by that name.
 */
export function expand(session: Session, name: string, options: RequestOptions): Undone {
  const entry = activeEntries(session.ledger.entries()).find(
    ({ edit, handles }) =>
      edit.kind === "collapse-commit" && (edit.collapseId === name || handles?.includes(name)),
  );
  if (entry) return undo(session, entry.id, options);
  throw notFoundError(
    `session ${session.id} has no collapsed span ${name}`,
    "name a span by the handle in its placeholder",
  );
}
