// The window while edits are carried out on it: items that know where in the history they stand.
import { commonStart } from "../lib/index.ts";
import { blocksOf, type History, type HistoryItem, isThinking, type Message } from "../messages/index.ts";
import { broughtInId, type Edit, type EditOf, type LedgerEntry } from "./edits.ts";

export interface ViewItem extends HistoryItem {
  /** Index in the history; for a message that an edit brought in, that of the item it stands behind. */
  readonly position: number;
  readonly broughtIn?: true;
}

const shown = new WeakMap<ViewItem, HistoryItem>();

/** An item as it is sent: the message of the history itself while it is unchanged. */
export function shownAs(item: ViewItem) {
  let known = shown.get(item);
  if (!known) {
    const { position: _position, broughtIn: _broughtIn, ...rest } = item;
    known = rest;
    shown.set(item, known);
  }
  return known;
}

/** A message of the history as it stands in the window while no edit has changed it. */
export function unchangedItem(original: HistoryItem, position: number): ViewItem {
  const item = { ...original, position };
  shown.set(item, original);
  return item;
}

/** Where the messages of a history stand, for a history that grows: only what was added is looked at. */
export class HistoryIndex {
  history: History = [];
  #positions = new Map<string, number>();
  #results = new Map<string, number>();
  /** Messages before this one were not looked at yet. */
  #from = 0;

  read(history: History) {
    const known = this.history;
    if (commonStart(known, history) < known.length) this.startAt(0);
    for (let at = Math.max(this.#from, this.history.length); at < history.length; at++)
      this.#note(history, at);
    this.history = history;
  }

  /** Forgets everything; what is before `from` is looked at when something is not found behind it. */
  startAt(from: number) {
    this.#positions = new Map();
    this.#results = new Map();
    this.history = [];
    this.#from = from;
  }

  positionOf(id: string) {
    return this.#positions.get(id) ?? (this.#readBeginning() ? this.#positions.get(id) : undefined);
  }

  /** Position of the last message that answers a tool call. */
  resultOf(toolUseId: string) {
    return this.#results.get(toolUseId) ?? (this.#readBeginning() ? this.#results.get(toolUseId) : undefined);
  }

  /** False when nothing was left out. */
  #readBeginning() {
    if (this.#from === 0) return false;
    const { history } = this;
    this.startAt(0);
    this.read(history);
    return true;
  }

  #note(history: History, at: number) {
    const item = history[at] as HistoryItem;
    this.#positions.set(item.id, at);
    for (const id of answeredBy(item)) this.#results.set(id, at);
  }
}

/**
 * Holds the messages up to the last one that an edit has spoken of so far: what comes behind stands as it is, and
 * costs nothing until an edit reaches it.
 */
export class WindowView {
  items: ViewItem[];
  /** How many messages of the history were taken in. */
  reached: number;
  readonly index: HistoryIndex;
  #results: Map<string, number> | undefined;

  constructor(index: HistoryIndex, items: readonly ViewItem[] = [], reached = 0) {
    this.index = index;
    this.items = [...items];
    this.reached = reached;
  }

  /** Takes in the history up to a position. */
  reach(position: number) {
    const { history } = this.index;
    for (; this.reached <= position && this.reached < history.length; this.reached++) {
      const item = unchangedItem(history[this.reached] as HistoryItem, this.reached);
      if (this.#results) noteResults(this.#results, item, this.items.length);
      this.items.push(item);
    }
  }

  indexOf(id: string) {
    return this.items.findIndex((item) => item.id === id);
  }

  /** Index of the item that answers a tool call. */
  resultIndex(toolUseId: string) {
    if (!this.#results) {
      const results = new Map<string, number>();
      for (const [at, item] of this.items.entries()) noteResults(results, item, at);
      this.#results = results;
    }
    return this.#results.get(toolUseId);
  }

  /** Swaps one item for another that answers the same calls. */
  replaceAt(index: number, item: ViewItem) {
    this.items[index] = item;
  }

  carryOut(items: ViewItem[]) {
    this.items = items;
    this.#results = undefined;
  }

  /** The items as they would be after a splice; the view itself is not changed. */
  spliced(splice: Splice) {
    const out: ViewItem[] = [];
    const bring = (after: string | undefined) => {
      for (const group of splice.bring) if (group.after === after) out.push(...group.items);
    };
    const places = new Set(splice.bring.map(({ after }) => after));
    bring(undefined);
    for (const item of this.items) {
      if (!splice.remove.has(item.id)) {
        const message: Message | undefined = splice.replace.get(item.id);
        out.push(message ? { ...item, message } : item);
      }
      if (places.has(item.id)) bring(item.id);
    }
    return out;
  }
}

function answeredBy({ message }: HistoryItem) {
  if (message.role !== "user" || typeof message.content === "string") return [];
  return message.content.flatMap(({ type, tool_use_id }) =>
    type === "tool_result" && typeof tool_use_id === "string" ? [tool_use_id] : [],
  );
}

function noteResults(results: Map<string, number>, item: HistoryItem, at: number) {
  for (const id of answeredBy(item)) results.set(id, at);
}

export interface Splice {
  readonly remove: ReadonlySet<string>;
  /** Messages that take the place of an item's own. */
  readonly replace: ReadonlyMap<string, Message>;
  /** New items; `after` undefined puts them at the front. */
  readonly bring: readonly { readonly after: string | undefined; readonly items: readonly ViewItem[] }[];
}

const emptySplice: Splice = { remove: new Set(), replace: new Map(), bring: [] };

/** Kinds that leave every message as it is. */
export function changesNothing({ kind }: Edit) {
  return ["mark", "pin", "unpin", "undo", "directive", "tag-inputs", "collapse-snapshot"].includes(kind);
}

type Planned = Splice | { readonly missing: string } | undefined;

/** The splice of a structural edit, what it misses, or undefined for an edit that changes no message. */
export function planSplice(view: WindowView, entry: LedgerEntry): Planned {
  const { edit } = entry;
  switch (edit.kind) {
    case "remove-turn":
      return planRemoval(view, edit);
    case "replace-span":
      return planSpan(view, entry, edit);
    case "collapse-commit":
      return planCollapse(view, edit);
    case "replace-prefix":
      return planPrefix(view, entry, edit);
    case "drop-thinking": {
      const end = view.indexOf(edit.through);
      if (end < 0) return { missing: edit.through };
      return { ...emptySplice, ...withoutThinking(view.items.slice(0, end + 1)) };
    }
    case "insert": {
      const at = view.items[view.indexOf(edit.after)];
      if (!at) return { missing: edit.after };
      const items = bringIn(entry, edit.messages, 0, at.position);
      return { ...emptySplice, bring: [{ after: at.id, items }] };
    }
    default:
      return undefined;
  }
}

function bringIn(
  entry: LedgerEntry,
  messages: readonly Message[],
  firstIndex: number,
  position: number,
): ViewItem[] {
  return messages.map((message, index) => ({
    id: broughtInId(entry.id, firstIndex + index),
    message,
    meta: true,
    position,
    broughtIn: true,
  }));
}

function planRemoval(view: WindowView, edit: EditOf<"remove-turn">): Planned {
  const present = new Set(view.items.map(({ id }) => id));
  const missing = edit.items.find((id) => !present.has(id));
  if (missing !== undefined) return { missing };
  return { ...emptySplice, remove: new Set(edit.items) };
}

function planSpan(view: WindowView, entry: LedgerEntry, edit: EditOf<"replace-span">): Planned {
  return spanTo(view, edit.first, edit.last, (position) => bringIn(entry, edit.messages, 0, position));
}

/** The placeholder goes by the name that its record gives it. */
function planCollapse(view: WindowView, edit: EditOf<"collapse-commit">): Planned {
  const message: Message = { role: "user", content: edit.summaryContent };
  return spanTo(view, edit.firstArchivedUuid, edit.lastArchivedUuid, (position) => [
    { id: edit.summaryUuid, message, meta: true, position, broughtIn: true },
  ]);
}

function spanTo(
  view: WindowView,
  firstId: string,
  lastId: string,
  comes: (position: number) => ViewItem[],
): Planned {
  const first = view.indexOf(firstId);
  const last = view.indexOf(lastId);
  if (first < 0 || last < first) return { missing: first < 0 ? firstId : lastId };
  const span = view.items.slice(first, last + 1);
  return {
    ...emptySplice,
    remove: new Set(span.map(({ id }) => id)),
    bring: [{ after: lastId, items: comes(span.at(-1)?.position ?? 0) }],
  };
}

function planPrefix(view: WindowView, entry: LedgerEntry, edit: EditOf<"replace-prefix">): Planned {
  const end = view.indexOf(edit.through);
  if (end < 0) return { missing: edit.through };
  const keep = new Set(edit.keep ?? []);
  const prefix = view.items.slice(0, end + 1);
  const remove = new Set(prefix.filter(({ id }) => !keep.has(id)).map(({ id }) => id));
  const tip = lastKnown(view, entry) ?? view.items.at(-1);
  const kept = view.items.filter(({ id, position }) => !remove.has(id) && position <= (tip?.position ?? 0));
  const thinking = edit.dropThinking ? withoutThinking(kept) : emptySplice;
  const attachments = bringIn(entry, edit.attachments ?? [], edit.messages.length, tip?.position ?? 0);
  return {
    remove: new Set([...remove, ...thinking.remove]),
    replace: thinking.replace,
    // The front stands at the first position: whatever the limit of a later decision, it is in sight.
    bring: [
      { after: undefined, items: bringIn(entry, edit.messages, 0, 0) },
      { after: tip?.id, items: attachments },
    ],
  };
}

/** The last item in the window that was there when the entry was decided. */
function lastKnown(view: WindowView, entry: LedgerEntry) {
  const limit = entry.tip === undefined ? undefined : view.index.positionOf(entry.tip);
  if (limit === undefined) return undefined;
  return view.items.findLast(({ position }) => position <= limit);
}

function withoutThinking(items: readonly ViewItem[]) {
  const remove = new Set<string>();
  const replace = new Map<string, Message>();
  for (const { id, message } of items) {
    if (message.role !== "assistant") continue;
    const blocks = blocksOf(message);
    if (!blocks.some(isThinking)) continue;
    const rest = blocks.filter((block) => !isThinking(block));
    if (rest.length === 0) remove.add(id);
    else replace.set(id, { ...message, content: rest });
  }
  return { remove, replace };
}
