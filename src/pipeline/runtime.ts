// What a process remembers of a session between two requests, so that only what is new costs time.
import { Applier } from "../ledger/index.ts";
import {
  chainedId,
  type History,
  type HistoryItem,
  type Message,
  messageDigest,
  type Provenance,
} from "../messages/index.ts";
import { type Counter, createCounter, estimateMessage, type ModelInfo } from "../tokens/index.ts";
import type { Session, WindowState } from "./session.ts";

/** A sum over items that grows with them: only items behind the common beginning are weighed again. */
export class RunningSum {
  #items: History = [];
  #sums: number[] = [0];

  total(items: History, weigh: (item: HistoryItem) => number): number {
    let same = 0;
    const limit = Math.min(items.length, this.#items.length);
    while (same < limit && items[same] === this.#items[same]) same++;
    this.#sums.length = same + 1;
    for (let at = same; at < items.length; at++) {
      this.#sums.push((this.#sums[at] ?? 0) + weigh(items[at] as HistoryItem));
    }
    this.#items = items;
    return this.#sums[items.length] ?? 0;
  }
}

export class Runtime {
  readonly applier = new Applier();
  readonly rawSum = new RunningSum();
  readonly viewSum = new RunningSum();
  state: WindowState;
  /** What the last `prepare` gave back: the prefix of the next request, if nothing is edited. */
  lastSent: readonly Message[] = [];
  lastHistory: History = [];
  /** Messages up to here were found valid in the last request. */
  checked: readonly Message[] = [];
  #sources: readonly Message[] = [];
  readonly #digests: string[] = [];
  #counter: { readonly model: string; readonly counter: Counter } | undefined;
  readonly #weights = new Map<string, number>();

  constructor(session: Session) {
    this.state = session.state.load();
  }

  /** Identities for an array; the items of an unchanged beginning are the same objects as before. */
  identify(
    messages: readonly Message[],
    ids: readonly string[] | undefined,
    provenance: readonly (Provenance | undefined)[] | undefined,
  ): History {
    const same = this.#unchanged(messages, ids);
    const items = this.lastHistory.slice(0, same);
    this.#digests.length = same;
    let previous = items.at(-1)?.id;
    for (let at = same; at < messages.length; at++) {
      const message = messages[at] as Message;
      const id: string = ids?.[at] ?? chainedId(previous, message);
      const digest = messageDigest(message);
      const known = this.lastHistory[at];
      const equal = known?.id === id && messageDigest(known.message) === digest;
      items.push(equal ? known : { ...provenance?.[at], id, message });
      this.#digests.push(digest);
      previous = id;
    }
    this.#sources = messages;
    this.lastHistory = items;
    return items;
  }

  /** How many messages are the same objects with the content they had: one changed in place is read again. */
  #unchanged(messages: readonly Message[], ids: readonly string[] | undefined): number {
    const limit = Math.min(messages.length, this.#sources.length);
    let at = 0;
    for (; at < limit; at++) {
      const message = messages[at] as Message;
      if (message !== this.#sources[at] || messageDigest(message) !== this.#digests[at]) break;
      if (ids !== undefined && ids[at] !== this.lastHistory[at]?.id) break;
    }
    return at;
  }

  /** Tokens of a message; equal messages are scanned once, also when they are parsed anew. */
  weigh(item: HistoryItem, model: ModelInfo): number {
    const key = `${model.tokenizer}${messageDigest(item.message)}`;
    let weight = this.#weights.get(key);
    if (weight === undefined) {
      weight = estimateMessage(item.message, model.tokenizer);
      this.#weights.set(key, weight);
    }
    return weight;
  }

  counter(model: ModelInfo, overhead: number): Counter {
    if (this.#counter?.model !== model.id) {
      const state = this.state.counter;
      this.#counter = { model: model.id, counter: createCounter(model, state ? { state } : { overhead }) };
    }
    return this.#counter.counter;
  }
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
