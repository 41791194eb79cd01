// What this process remembers of a session between two requests, so that only new messages cost time.

import { ConversationReading, type ReadingStore } from "../compact/index.ts";
import {
  type Applied,
  Applier,
  type CountedWindow,
  type ExtractStore,
  HistoryExtracts,
  type Ledger,
  type LedgerEntry,
} from "../ledger/index.ts";
import { commonStart, defined, grow, type JsonObject, RunningLast, RunningSum } from "../lib/index.ts";
import {
  blocksOf,
  chainedId,
  type History,
  type HistoryItem,
  isBlock,
  isThinking,
  type Message,
  MessageReader,
  type Provenance,
  type Received,
  sameMessage,
} from "../messages/index.ts";
import {
  type Counter,
  createCounter,
  estimateMessage,
  estimateTokens,
  type ModelInfo,
} from "../tokens/index.ts";
import type { StateStore, WindowState } from "./session.ts";

/** A receipt asks for the tokens of what was sent before the last answer. */
const SUMS_KEPT = 64;

/** Lives on the session object. `prepare` alone changes it; other code reads it. */
export class SessionRuntime {
  readonly applier = new Applier();
  readonly rawSum = new RunningSum<HistoryItem>();
  readonly viewSum = new RunningSum<HistoryItem>();
  readonly thinkingSum = new RunningSum<HistoryItem>();
  readonly clearableSum = new RunningSum<HistoryItem>();
  readonly lastInput = new RunningLast<HistoryItem>();
  readonly lastThinking = new RunningLast<HistoryItem>();
  readonly #bytes = new RunningSum<HistoryItem>();
  readonly #images = new RunningSum<HistoryItem>();
  /** What the last `prepare` gave back: the prefix of the next request, if nothing is edited. */
  lastSent: Pick<Applied, "items" | "messages"> = { items: [], messages: [] };
  /** A window that was found valid. */
  lastChecked: History = [];
  /** The conversation behind it, repaired where it had to be. */
  lastHistory: History = [];
  /** A history that was found valid. */
  lastValid: History = [];
  /** Names of the tools that were called, by tool_use_id. */
  readonly tools = new Map<string, string>();
  /** What the API did with the last request before it answered. */
  appliedEdits: readonly JsonObject[] = [];
  /** Calls whose cut results were recalled. */
  readonly recalled = new Set<string>();
  /** A history of which every result is in the vault. */
  keptHistory: History = [];
  readonly reading: ConversationReading;
  readonly #reading = new MessageReader();
  #items: History = [];
  #entries: readonly LedgerEntry[] = [];
  #counter: { readonly model: string; readonly overhead: number; readonly counter: Counter } | undefined;
  readonly #weights = new WeakMap<Message, { readonly tokenizer: string; readonly weight: number }>();
  readonly #extracts: HistoryExtracts;
  /** What the counter of the process before knew of the window. */
  #counted: (CountedWindow & { readonly messages: readonly Message[] }) | undefined;

  readonly #store: StateStore;
  #state: WindowState | undefined;
  #fixed:
    | { readonly key: readonly unknown[]; readonly tokenizer: string; readonly count: number }
    | undefined;

  constructor(store: StateStore, extracts?: ExtractStore, readings?: ReadingStore) {
    this.#store = store;
    this.#extracts = new HistoryExtracts(extracts);
    this.reading = new ConversationReading(readings, () => this.#extracts.isVerified());
  }

  /** Read from disk at the first request, not when the session is opened. */
  get state(): WindowState {
    this.#state ??= this.#store.load();
    return this.#state;
  }

  set state(state: WindowState) {
    this.#state = state;
  }

  /** The ledger's entries: the array that was worked with last, as long as nothing was added to it since. */
  entriesOf(ledger: Ledger): readonly LedgerEntry[] {
    const entries = ledger.entries();
    const known = this.#entries;
    if (entries.length !== known.length || entries.at(-1)?.id !== known.at(-1)?.id) this.#entries = entries;
    return this.#entries;
  }

  receive(messages: readonly Message[]): Received {
    return this.#reading.receive(messages);
  }

  /** Makes a conversation the one that the next request goes on from. */
  remember(received: Received, items: History, entries: readonly LedgerEntry[]): void {
    this.#reading.goOn(received);
    this.#items = items;
    this.#entries = entries;
  }

  /** Identities for what was received; items that are sent as before are the same objects as before. */
  identify(
    received: Received,
    ids: readonly string[] | undefined,
    provenance: readonly (Provenance | undefined)[] | undefined,
  ): History {
    const { bare } = received;
    const isFirst = this.#items.length === 0;
    const same = isFirst
      ? this.#recognised(bare, ids, provenance)
      : Math.min(this.#unchanged(received, ids), this.#extracts.verifyOn(bare));
    if (same === bare.length && same === this.#items.length) return this.#items;
    const added: HistoryItem[] = [];
    let previous = this.#items[same - 1]?.id;
    for (let at = same; at < bare.length; at++) {
      const message = bare[at] as Message;
      const id: string = ids?.[at] ?? chainedId(previous, message);
      added.push({ ...provenance?.[at], id, message });
      this.#noteTools(message);
      previous = id;
    }
    return grow(this.#items, same, added);
  }

  /** At the first request of a process: how many messages the extract on disk knows, which are items from then on. */
  #recognised(
    bare: readonly Message[],
    ids: readonly string[] | undefined,
    provenance: readonly (Provenance | undefined)[] | undefined,
  ) {
    const known = this.#extracts.recognise(bare, ids);
    if (known.length === 0) return 0;
    const items = known.map((id, at): HistoryItem => {
      const message = bare[at] as Message;
      this.#noteTools(message);
      const more = provenance?.[at];
      return more ? { ...more, id, message } : { id, message };
    });
    this.#items = items;
    this.lastValid = items;
    this.#extracts.startWith(items);
    return items.length;
  }

  /** Goes on from the window on disk, where all the messages are there that it was made of. */
  restoreWindow(entries: readonly LedgerEntry[], { id, tokenizer }: ModelInfo): void {
    const restored = this.#extracts.takeRestored();
    if (!restored) return;
    const { extract, items } = restored;
    this.keptHistory = items.slice(0, extract.kept);
    if (extract.tokenizer === tokenizer) this.rawSum.start(items, extract.tokens);
    const { window } = extract;
    const applied = window && this.applier.restore(window, items, entries);
    if (!applied) return;
    this.lastChecked = applied.items;
    const { tokens, extent, counted } = window;
    if (extract.tokenizer === tokenizer && tokens) this.viewSum.start(applied.items, tokens);
    if (extent) {
      this.#bytes.start(applied.items, [extent.bytes]);
      this.#images.start(applied.items, [extent.images]);
    }
    if (counted?.model === id) this.#counted = { ...counted, messages: applied.messages };
  }

  /** Keeps on disk what was read of a conversation, whenever enough was added. */
  saveExtract(items: History, after: Applied, model: ModelInfo): void {
    if (!this.#extracts.isDue(items)) return;
    const window = this.applier.save(after);
    this.#extracts.save(items, {
      tokenizer: model.tokenizer,
      tokens: this.rawSum.last(items, (item) => this.weigh(item, model), SUMS_KEPT),
      kept: commonStart(this.keptHistory, items),
      ...(window && {
        window: {
          ...window,
          tokens: this.viewSum.last(after.items, (item) => this.weigh(item, model), SUMS_KEPT),
          extent: this.extentOf(after.items),
          counted: { model: model.id, ...this.counter(model).readingOf(after.messages) },
        },
      }),
    });
  }

  /** How many messages are sent as they were last time: the same objects, or equal ones. */
  #unchanged({ raw, bare, recognised }: Received, ids: readonly string[] | undefined) {
    const items = this.#items;
    const limit = Math.min(bare.length, items.length);
    for (let at = ids ? 0 : recognised; at < limit; at++) {
      const message = bare[at] as Message;
      const known = items[at] as HistoryItem;
      if (ids && ids[at] !== known.id) return at;
      if (at < recognised) continue;
      const same =
        message === known.message ? this.#reading.isAsRead(at, raw[at]) : sameMessage(message, known.message);
      if (!same) return at;
    }
    return limit;
  }

  #noteTools(message: Message) {
    if (message.role !== "assistant") return;
    for (const block of blocksOf(message)) {
      // What is no block is refused later, by its name.
      if (isBlock(block) && block.type === "tool_use") this.tools.set(String(block.id), String(block.name));
    }
  }

  /** Tokens of a message; the same object is scanned once. */
  weigh({ message }: HistoryItem, { tokenizer }: ModelInfo): number {
    const known = this.#weights.get(message);
    if (known?.tokenizer === tokenizer) return known.weight;
    const weight = estimateMessage(message, tokenizer);
    this.#weights.set(message, { tokenizer, weight });
    return weight;
  }

  /** What a request takes of the API's limits for a whole request, which no message reaches by itself. */
  extentOf(items: History): { readonly bytes: number; readonly images: number } {
    return {
      bytes: this.#bytes.upTo(items, ({ message }) => Buffer.byteLength(JSON.stringify(message)) + 1),
      images: this.#images.upTo(items, imagesIn),
    };
  }

  /** The counter of a model. Until a response was seen, `overhead` stands for system prompt and tools. */
  counter(model: ModelInfo, overhead = this.#counter?.overhead ?? 0): Counter {
    const { counter: state } = this.state;
    const known = this.#counter;
    if (known?.model === model.id && (state || known.overhead === overhead)) return known.counter;
    const read = this.#counted?.model === model.id ? this.#counted : undefined;
    const counter = createCounter(model, { ...(state ? { state } : { overhead }), ...defined({ read }) });
    this.#counted = undefined;
    this.#counter = { model: model.id, overhead, counter };
    return counter;
  }

  /** Where the API may clear before it counts, totals that it gave may be too small: the estimate is the least then. */
  requestSize(
    parts: FixedParts,
    {
      model,
      weigh,
      isCleared,
    }: { readonly model: ModelInfo; readonly isCleared: boolean; weigh(item: HistoryItem): number },
    { messages, items }: Applied,
  ): RequestSize {
    const fixed = parts.overhead ?? this.#fixedTokens(parts, model);
    const { upperBound, anchored, basis, tokens } = this.counter(model, fixed).predict(messages);
    const isEstimated = basis === "none" || isCleared;
    const estimate = isEstimated ? fixed + this.viewSum.upTo(items, weigh) : 0;
    return {
      tokens: basis === "none" ? estimate : Math.max(tokens, estimate),
      upperBound: Math.max(upperBound, estimate),
      anchored,
      fixed,
    };
  }

  /** Tokens of system prompt and tools; counted again only for other objects or another tokenizer. */
  #fixedTokens({ system, tools }: FixedParts, model: ModelInfo) {
    const key = [system, tools];
    const known = this.#fixed;
    if (known?.tokenizer === model.tokenizer && key.every((part, at) => part === known.key[at]))
      return known.count;
    const count = estimateTokens([], { model, ...defined({ system, tools }) });
    this.#fixed = { key, tokenizer: model.tokenizer, count };
    return count;
  }
}

/** Size of a request: the exact total where one is known, an estimate of the rest. */
export interface RequestSize {
  readonly tokens: number;
  /** A size that the request will hardly exceed. */
  readonly upperBound: number;
  /** The bound starts from an exact total of the same leading messages. */
  readonly anchored: boolean;
  /** Tokens of system prompt and tools. */
  readonly fixed: number;
}

/** What a request carries beside its messages; `overhead` is its size, for a caller that knows it. */
export interface FixedParts {
  readonly system?: string | readonly unknown[];
  readonly tools?: readonly unknown[];
  readonly overhead?: number;
}

const imagesIn = ({ message }: HistoryItem) =>
  typeof message.content === "string" ? 0 : message.content.filter(({ type }) => type === "image").length;

/** Tokens of the thinking in a message. */
export function thinkingWeight(item: HistoryItem, weigh: (item: HistoryItem) => number) {
  const { message } = item;
  if (message.role !== "assistant") return 0;
  const blocks = blocksOf(message);
  const rest = blocks.filter((block) => !isThinking(block));
  if (rest.length === blocks.length) return 0;
  const without = rest.length === 0 ? 0 : weigh({ ...item, message: { ...message, content: rest } });
  return Math.max(0, weigh(item) - without);
}
