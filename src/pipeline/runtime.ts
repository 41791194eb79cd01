// What a process remembers of a session between two requests, so that only what is new costs time.
import { Applier, type Ledger, type LedgerEntry } from "../ledger/index.ts";
import {
  blocksOf,
  chainedId,
  type History,
  type HistoryItem,
  isBlock,
  isThinking,
  type Message,
  messageDigest,
  type Provenance,
  sameMessage,
} from "../messages/index.ts";
import { type Counter, createCounter, estimateMessage, type ModelInfo } from "../tokens/index.ts";
import type { Session, WindowState } from "./session.ts";

/** A sum over items that grows with them: only items behind the common beginning are weighed again. */
export class RunningSum {
  #items: History = [];
  readonly #sums: number[] = [0];

  /** The sum over the first `count` items, all of them by default. */
  upTo(items: History, weigh: (item: HistoryItem) => number, count = items.length): number {
    if (items !== this.#items) {
      let same = 0;
      const limit = Math.min(items.length, this.#items.length);
      while (same < limit && items[same] === this.#items[same]) same++;
      this.#sums.length = same + 1;
      for (let at = same; at < items.length; at++) {
        this.#sums.push((this.#sums[at] ?? 0) + weigh(items[at] as HistoryItem));
      }
      this.#items = items;
    }
    return this.#sums[count] ?? 0;
  }
}

/** How many items two histories share at their beginning. A message that was changed in place is another item. */
export function sameItems(a: History, b: History): number {
  const limit = Math.min(a.length, b.length);
  let same = 0;
  while (same < limit && a[same] === b[same]) same++;
  return same;
}

/** What of a message is looked at again although it is the same object. */
export interface Stamp {
  readonly content: Message["content"];
  readonly length: number;
  readonly last: unknown;
}

function stampOf({ content }: Message): Stamp {
  return { content, length: content.length, last: content[content.length - 1] };
}

function isStamped({ content }: Message, stamp: Stamp | undefined): boolean {
  if (content !== stamp?.content) return false;
  return (
    typeof content === "string" ||
    (content.length === stamp.length && content[content.length - 1] === stamp.last)
  );
}

/** A history with what it takes to recognise it in the next request. */
export interface Identified {
  readonly items: History;
  readonly stamps: readonly Stamp[];
}

export class Runtime {
  readonly applier = new Applier();
  readonly rawSum = new RunningSum();
  readonly viewSum = new RunningSum();
  readonly thinkingSum = new RunningSum();
  readonly clearableSum = new RunningSum();
  state: WindowState;
  /** What the last `prepare` gave back: the prefix of the next request, if nothing is edited. */
  lastSent: History = [];
  /** The conversation behind it, repaired where it had to be. */
  lastHistory: History = [];
  /** A history that was found valid. */
  lastValid: History = [];
  /** Names of the tools that were called, by tool_use_id. */
  readonly tools = new Map<string, string>();
  /** A history of which every result is in the vault. */
  keptHistory: History = [];
  #last: Identified = { items: [], stamps: [] };
  #entries: readonly LedgerEntry[] = [];
  #counter: { readonly model: string; readonly overhead: number; readonly counter: Counter } | undefined;
  readonly #weights = new Map<string, number>();

  constructor(session: Session) {
    this.state = session.state.load();
  }

  /** The ledger's entries: the array that was worked with last, as long as nothing was added to it since. */
  entriesOf(ledger: Ledger): readonly LedgerEntry[] {
    const entries = ledger.entries();
    const known = this.#entries;
    if (entries.length !== known.length || entries.at(-1)?.id !== known.at(-1)?.id) this.#entries = entries;
    return this.#entries;
  }

  /** Makes a conversation the one that the next request goes on from. */
  remember(identified: Identified, entries: readonly LedgerEntry[]): void {
    this.#last = identified;
    this.#entries = entries;
  }

  /** Identities for an array; items that are sent as before are the same objects as before. */
  identify(
    messages: readonly Message[],
    ids: readonly string[] | undefined,
    provenance: readonly (Provenance | undefined)[] | undefined,
  ): Identified {
    const same = this.#unchanged(messages, ids);
    if (same === messages.length && same === this.#last.items.length) return this.#last;
    const items = this.#last.items.slice(0, same);
    const stamps = this.#last.stamps.slice(0, same);
    let previous = items.at(-1)?.id;
    for (let at = same; at < messages.length; at++) {
      const message = messages[at] as Message;
      const id: string = ids?.[at] ?? chainedId(previous, message);
      items.push({ ...provenance?.[at], id, message });
      stamps.push(stampOf(message));
      this.#noteTools(message);
      previous = id;
    }
    return { items, stamps };
  }

  /**
   * How many messages are sent as they were last time. An object whose content was changed in place is found by
   * its stamp; an equal message in another object is taken for the one it equals.
   */
  #unchanged(messages: readonly Message[], ids: readonly string[] | undefined): number {
    const { items, stamps } = this.#last;
    const limit = Math.min(messages.length, items.length);
    let at = 0;
    for (; at < limit; at++) {
      const message = messages[at] as Message;
      const known = items[at] as HistoryItem;
      if (ids !== undefined && ids[at] !== known.id) break;
      const same =
        message === known.message ? isStamped(message, stamps[at]) : sameMessage(message, known.message);
      if (!same) break;
    }
    return at;
  }

  #noteTools(message: Message): void {
    if (message.role !== "assistant") return;
    for (const block of blocksOf(message)) {
      // What is no block is refused later, by its name.
      if (isBlock(block) && block.type === "tool_use") this.tools.set(String(block.id), String(block.name));
    }
  }

  /** Tokens of a message; equal messages are scanned once. */
  weigh(item: HistoryItem, model: ModelInfo): number {
    const key = `${model.tokenizer}${messageDigest(item.message)}`;
    let weight = this.#weights.get(key);
    if (weight === undefined) {
      weight = estimateMessage(item.message, model.tokenizer);
      this.#weights.set(key, weight);
    }
    return weight;
  }

  /** The counter of a model. Until a response was seen, `overhead` stands for system prompt and tools. */
  counter(model: ModelInfo, overhead = this.#counter?.overhead ?? 0): Counter {
    const { counter: state } = this.state;
    const known = this.#counter;
    if (known?.model === model.id && (state || known.overhead === overhead)) return known.counter;
    const counter = createCounter(model, state ? { state } : { overhead });
    this.#counter = { model: model.id, overhead, counter };
    return counter;
  }
}

/** Tokens of the thinking in a message. */
export function thinkingWeight(item: HistoryItem, weigh: (item: HistoryItem) => number): number {
  const { message } = item;
  if (message.role !== "assistant") return 0;
  const blocks = blocksOf(message);
  const rest = blocks.filter((block) => !isThinking(block));
  if (rest.length === blocks.length) return 0;
  const without = rest.length === 0 ? 0 : weigh({ ...item, message: { ...message, content: rest } });
  return Math.max(0, weigh(item) - without);
}

const runtimes = new WeakMap<Session, Runtime>();

export function runtimeOf(session: Session): Runtime {
  let runtime = runtimes.get(session);
  if (!runtime) {
    runtime = new Runtime(session);
    runtimes.set(session, runtime);
  }
  return runtime;
}
