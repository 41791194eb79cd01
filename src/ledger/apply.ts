// The one function that changes what the model sees: history and ledger in, the array to send out.
// It is pure, total and deterministic. A valid history stays valid: an edit that would break it is skipped and reported.
import { commonStart, defined, grow, type JsonObject } from "../lib/index.ts";
import { blocksOf, type History, type HistoryItem, isToolUse, type Message } from "../messages/index.ts";
import { type Edit, type LedgerEntry, referencesOf } from "./edits.ts";
import { newViolation } from "./newViolation.ts";
import { restoredItems, type SavedWindow, savedItems } from "./savedWindow.ts";
import { tagInput } from "./tags.ts";
import { activeEntries } from "./undo.ts";
import {
  changesNothing,
  HistoryIndex,
  planSplice,
  type Splice,
  shownAs,
  type ViewItem,
  WindowView,
} from "./view.ts";

/** Why an entry could not be carried out. */
type SkipReason = "target-missing" | "would-break" | "pinned" | "open-call";

interface SkipCause {
  readonly reason: SkipReason;
  readonly detail: string;
}

/** An entry that could not be carried out. */
export interface Skip extends SkipCause {
  readonly entry: string;
  readonly kind: Edit["kind"];
}

/** What a request carries beside its messages: fields of the body, and betas. */
export interface RequestParams {
  /** Extra fields of the request body. */
  readonly body: JsonObject;
  readonly betas: readonly string[];
}

export interface Applied {
  /** The array to send. */
  readonly messages: readonly Message[];
  /** The same with identities: an item that stands unchanged keeps its id. */
  readonly items: History;
  readonly params: RequestParams;
  /** New user inputs carry their tags. */
  readonly tagged: boolean;
  readonly skipped: readonly Skip[];
}

export function apply(history: History, entries: readonly LedgerEntry[]): Applied {
  return new Applier().apply(history, entries);
}

/** What entries make of a history, and what is known for a history and a ledger that go on from there. */
interface CarriedOut {
  readonly history: History;
  readonly entries: readonly LedgerEntry[];
  readonly applied: Applied;
  readonly items: readonly ViewItem[];
  readonly reached: number;
  readonly pinned: ReadonlySet<string>;
  /** Position in the history from which on user inputs carry tags. */
  readonly tagFrom: number | undefined;
  /** No edit waits for messages that are not there yet: what is added cannot change what was done. */
  readonly isFinal: boolean;
}

const nothingDone: CarriedOut = {
  history: [],
  entries: [],
  applied: { items: [], messages: [], params: { body: {}, betas: [] }, tagged: false, skipped: [] },
  items: [],
  reached: 0,
  pinned: new Set(),
  tagFrom: undefined,
  isFinal: true,
};

/** A request tries a few lists of entries out, each of which goes on from one of the last. */
const STATES_KEPT = 4;

/**
 * `apply` for a history and a ledger that grow: as long as they begin with the same item and entry objects, only what was
 * added is looked at. Gives what `apply` gives.
 */
export class Applier {
  readonly #index = new HistoryIndex();
  #states: readonly CarriedOut[] = [];

  apply(history: History, entries: readonly LedgerEntry[]): Applied {
    this.#index.read(history);
    const base = this.#nearest(history, entries);
    const state =
      base.entries.length === entries.length && base !== nothingDone
        ? extended(base, history, entries)
        : carriedOn(base, this.#index, entries);
    this.#states = [state, ...this.#states.filter((known) => known !== base)].slice(0, STATES_KEPT);
    if (base !== nothingDone && base.entries.length < entries.length && base.history === history)
      this.#states = [...this.#states.slice(0, STATES_KEPT - 1), base];
    return state.applied;
  }

  /** Index of a message; quick for the history that was applied last. */
  positionOf(history: History, id: string): number | undefined {
    if (this.#index.history !== history) this.#index.read(history);
    return this.#index.positionOf(id);
  }

  /** The window that was given out, to be kept on disk; undefined where messages that are to come may change it. */
  save(applied: Applied): SavedWindow | undefined {
    const state = this.#states.find((one) => one.applied === applied);
    if (!state?.isFinal) return undefined;
    const { history, entries, items, reached, pinned, tagFrom } = state;
    return {
      entries: entries.length,
      lastEntry: entries.at(-1)?.id ?? "",
      items: savedItems(items, history),
      reached,
      pinned: [...pinned],
      params: applied.params,
      skipped: applied.skipped,
      ...defined({ tagFrom }),
    };
  }

  /** Goes on from a saved window, if it was made of the beginning of these entries and of all of these messages. */
  restore(saved: SavedWindow, history: History, entries: readonly LedgerEntry[]): Applied | undefined {
    const { reached, params, skipped, tagFrom } = saved;
    const isOfLedger = (entries[saved.entries - 1]?.id ?? "") === saved.lastEntry;
    const items = isOfLedger ? restoredItems(saved.items, history) : undefined;
    if (!items || saved.entries > entries.length || reached > history.length) return undefined;
    // What stands before the window is seldom spoken of again.
    this.#index.startAt(Math.min(history.length, ...firstPositions(items)));
    const shown = shownItems(items, history.slice(reached), tagFrom, reached);
    const messages = shown.map(({ message }) => message);
    const applied = { items: shown, messages, params, tagged: tagFrom !== undefined, skipped };
    const pinned = new Set(saved.pinned);
    const known = entries.slice(0, saved.entries);
    this.#states = [{ history, entries: known, applied, items, reached, pinned, tagFrom, isFinal: true }];
    return applied;
  }

  /** The state with the most entries from which the given ones go on. */
  #nearest(history: History, entries: readonly LedgerEntry[]) {
    let best = nothingDone;
    for (const state of this.#states) {
      const known = state.entries.length;
      const isFarther = best === nothingDone || known > best.entries.length;
      if (isFarther && goesOn(state, history, entries)) best = state;
    }
    return best;
  }
}

function goesOn(state: CarriedOut, history: History, entries: readonly LedgerEntry[]) {
  const known = state.entries.length;
  return (
    state.isFinal &&
    known <= entries.length &&
    commonStart(state.history, history) === state.history.length &&
    commonStart(state.entries, entries) === known &&
    !entries.slice(known).some(({ edit }) => edit.kind === "undo")
  );
}

function extended(base: CarriedOut, history: History, entries: readonly LedgerEntry[]): CarriedOut {
  const added = history.slice(base.history.length);
  if (added.length === 0) return { ...base, history, entries };
  const { applied } = base;
  const shown = base.tagFrom === undefined ? added : added.map(tagged);
  const items = grow(applied.items, applied.items.length, shown);
  const messages = grow(
    applied.messages,
    applied.messages.length,
    shown.map(({ message }) => message),
  );
  return { ...base, history, entries, applied: { ...applied, items, messages } };
}

function firstPositions(items: readonly ViewItem[]) {
  return items
    .filter(({ broughtIn }) => !broughtIn)
    .slice(0, 1)
    .map(({ position }) => position);
}

/** Carries out the entries behind those of `base`. */
function carriedOn(base: CarriedOut, index: HistoryIndex, entries: readonly LedgerEntry[]): CarriedOut {
  const { history } = index;
  const view = new WindowView(index, base.items, base.reached);
  const skipped = [...base.applied.skipped];
  const pinned = new Set(base.pinned);
  let { body, betas } = base.applied.params;
  let { tagFrom, isFinal } = base;
  const added = base.entries.length === 0 ? activeEntries(entries) : entries.slice(base.entries.length);
  for (const entry of added) {
    const { edit } = entry;
    const isHere = entry.by === "here";
    if (isHere && entry.tip !== undefined && index.positionOf(entry.tip) === undefined) isFinal = false;
    if (edit.kind === "directive") {
      body = { ...body, ...edit.params };
      betas = [...new Set([...betas, ...(edit.betas ?? [])])];
    }
    if (!isHere) continue;
    if (edit.kind === "pin") for (const item of edit.items) pinned.add(item);
    else if (edit.kind === "unpin") for (const item of edit.items) pinned.delete(item);
    else if (edit.kind === "tag-inputs") {
      const from = edit.from === undefined ? 0 : index.positionOf(edit.from);
      if (from === undefined) isFinal = false;
      else tagFrom = from;
    } else {
      const skip = carryOutEntry(view, entry, pinned);
      if (skip) skipped.push({ entry: entry.id, kind: edit.kind, ...skip });
      if (skip?.reason === "target-missing") isFinal = false;
    }
  }
  const { items: viewed, reached } = view;
  const items = shownItems(viewed, history.slice(reached), tagFrom, reached);
  const messages = items.map(({ message }) => message);
  const applied = { items, messages, params: { body, betas }, tagged: tagFrom !== undefined, skipped };
  return { history, entries, applied, items: viewed, reached, pinned, tagFrom, isFinal };
}

const taggedItems = new WeakMap<HistoryItem, HistoryItem>();

/** The same object for the same item, so that what is known of it stays known. */
function tagged(item: HistoryItem) {
  let known = taggedItems.get(item);
  if (!known) {
    known = tagInput(item);
    taggedItems.set(item, known);
  }
  return known;
}

/** What the window's items are sent as; behind them the messages that no edit has reached. */
function shownItems(
  viewed: readonly ViewItem[],
  behind: History,
  tagFrom: number | undefined,
  reached: number,
): History {
  const items: HistoryItem[] = viewed.map((item) => {
    const isTagged = tagFrom !== undefined && !item.broughtIn && item.position >= tagFrom;
    const shown = shownAs(item);
    return isTagged ? tagged(shown) : shown;
  });
  behind.forEach((item, at) => {
    items.push(tagFrom !== undefined && reached + at >= tagFrom ? tagged(item) : item);
  });
  return items;
}

/** The last message that the decision or the edit speaks of: what comes behind has no say in it. */
function reachOf({ tip, edit }: LedgerEntry, index: HistoryIndex) {
  if (edit.kind === "replace-result") return index.resultOf(edit.toolUseId) ?? -1;
  const limit = tip === undefined ? undefined : index.positionOf(tip);
  if (limit === undefined) return index.history.length - 1;
  return Math.max(limit, ...referencesOf(edit).map((id) => index.positionOf(id) ?? -1));
}

function carryOutEntry(
  view: WindowView,
  entry: LedgerEntry,
  pinned: ReadonlySet<string>,
): SkipCause | undefined {
  const { edit } = entry;
  if (changesNothing(edit)) return undefined;
  view.reach(reachOf(entry, view.index));
  if (edit.kind === "replace-result") return replaceResult(view, edit, pinned);
  const splice = planSplice(view, entry);
  if (!splice) return undefined;
  if ("missing" in splice)
    return { reason: "target-missing", detail: `${splice.missing} is not in the window` };
  if (pinned.size > 0) {
    const touched = [...splice.remove, ...splice.replace.keys()].find((id) => pinned.has(id));
    if (touched !== undefined) return { reason: "pinned", detail: `${touched} is pinned` };
  }
  const limit = entry.tip === undefined ? undefined : view.index.positionOf(entry.tip);
  return commitSplice(view, splice, limit);
}

/**
 * Carries a splice out unless it would break a rule that held before. Only messages up to `limit` are
 * looked at: what came after the decision must not change its fate, or the prompt cache would be lost.
 */
function commitSplice(view: WindowView, splice: Splice, limit: number | undefined): SkipCause | undefined {
  const upTo = (items: readonly ViewItem[]) =>
    limit === undefined || view.reached <= limit + 1
      ? items
      : items.filter(({ position }) => position <= limit);
  const before = upTo(view.items);
  const open = openCall(before).find(
    ({ id }) =>
      splice.remove.has(id) || splice.bring.some(({ after, items }) => after === id && items.length > 0),
  );
  if (open)
    return { reason: "open-call", detail: `${open.id} belongs to a tool call that is not answered yet` };
  const next = view.spliced(splice);
  const after = upTo(next);
  const broken = newViolation(before, after) ?? endProblem(before, after);
  if (broken) return { reason: "would-break", detail: broken };
  view.carryOut(next);
  return undefined;
}

/** Roles that may follow a message of each role; whatever could follow before must still be able to. */
const followers: { readonly [role: string]: readonly string[] } = {
  user: ["user", "assistant", "system"],
  assistant: ["user", "assistant"],
  system: ["assistant", "system"],
};

function endProblem(before: History, after: History) {
  const needed = followers[before.at(-1)?.message.role ?? "user"] ?? [];
  const possible = followers[after.at(-1)?.message.role ?? "user"] ?? [];
  const lost = needed.find((role) => !possible.includes(role));
  return lost && `a ${lost} message could not follow any more`;
}

/** The items from the last assistant message on, when a tool call in it still waits for its answer. */
function openCall(items: History): History {
  const lastAssistant = items.findLastIndex(({ message }) => message.role === "assistant");
  if (lastAssistant < 0) return [];
  let from = lastAssistant;
  while (items[from - 1]?.message.role === "assistant") from--;
  const run = items.slice(from);
  const blocks = run.flatMap(({ message }) => blocksOf(message));
  const answered = new Set(blocks.map((block) => block.tool_use_id));
  return blocks.some((block) => isToolUse(block) && !answered.has(block.id)) ? run : [];
}

function replaceResult(
  view: WindowView,
  edit: Extract<Edit, { kind: "replace-result" }>,
  pinned: ReadonlySet<string>,
): SkipCause | undefined {
  const at = view.resultIndex(edit.toolUseId);
  const item = at === undefined ? undefined : view.items[at];
  if (at === undefined || !item)
    return { reason: "target-missing", detail: `no result of ${edit.toolUseId} in the window` };
  if (pinned.has(item.id)) return { reason: "pinned", detail: `${item.id} is pinned` };
  const content = blocksOf(item.message).map((block) =>
    block.type === "tool_result" && block.tool_use_id === edit.toolUseId
      ? { ...block, content: edit.content }
      : block,
  );
  view.replaceAt(at, { ...item, message: { ...item.message, content } });
  return undefined;
}
