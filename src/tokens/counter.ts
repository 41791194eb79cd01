// Predicts the size of the next request: the last exact total, plus an estimate of what changed since, with rates that a small
// Kalman filter learns from exact counts, one factor per content class.
import { commonStart, defined, sumOf } from "../lib/index.ts";
import { chainedId, type Message, promptTokens, type Usage } from "../messages/index.ts";
import { familyRates, thinkingScope, weigh } from "./estimate.ts";
import type { ModelInfo, TokenizerFamily } from "./models.ts";
import {
  classIndex,
  contentClasses,
  emptyShape,
  grownShape,
  type Shape,
  type ThinkingScope,
} from "./shape.ts";

/** What is known of the factors: their values, and how sure they are (a covariance, row by row). */
interface Rates {
  readonly factors: readonly number[];
  readonly covariance: readonly (readonly number[])[];
}

/** How far a class may be off before anything was seen. Classes counted by rule are never learned. */
const doubt: Record<(typeof contentClasses)[number], number> = {
  prose: 0.06,
  file: 0.05,
  output: 0.06,
  call: 0.06,
  thinking: 0.06,
  cjk: 0.3,
  rule: 0,
  fineImage: 0,
};

/** Content changes in the course of a session, so old evidence fades by this much an observation. */
const DRIFT = 0.002;
/** A count is off by hidden reminders and by what the classes do not see: a part fixed, a part by size. */
const NOISE_FIXED = 60;
const NOISE_SHARE = 0.035;
/** Surprises beyond this many deviations teach only as much as this many. */
const SURPRISE = 0.7;
const LOWEST_FACTOR = 0.4;
const HIGHEST_FACTOR = 3;

/** `widening` multiplies the doubt, for starting factors that were not fitted on real counts. */
export function startRates(factors: readonly number[], widening: number): Rates {
  const covariance = contentClasses.map((name, row) =>
    contentClasses.map((_, column) => (row === column ? (doubt[name] * widening) ** 2 : 0)),
  );
  return { factors, covariance };
}

/** The rates after seeing that content of the given shape cost `tokens`. */
export function learn(rates: Rates, shape: Shape, tokens: number): Rates {
  const { factors, covariance } = rates;
  const size = factors.length;
  let expected = 0;
  const spread: number[] = [];
  let variance = 0;
  for (let row = 0; row < size; row++) {
    const amount = shape[row] ?? 0;
    expected += amount * (factors[row] ?? 0);
    let sum = 0;
    for (let column = 0; column < size; column++)
      sum += (covariance[row]?.[column] ?? 0) * (shape[column] ?? 0);
    spread.push(sum);
    variance += amount * sum;
  }
  const noise = NOISE_FIXED + NOISE_SHARE * Math.abs(expected);
  const total = variance + noise * noise;
  const miss = tokens - expected;
  const limit = SURPRISE * Math.sqrt(total);
  // A clipped miss must not make the factors look surer than a believable one would.
  const trust = Math.min(1, limit / Math.max(Math.abs(miss), 1e-9));
  return {
    factors: factors.map((factor, row) =>
      Math.min(HIGHEST_FACTOR, Math.max(LOWEST_FACTOR, factor + ((spread[row] ?? 0) / total) * miss * trust)),
    ),
    covariance: covariance.map((line, row) =>
      line.map((value, column) => {
        const learned = value - (trust * (spread[row] ?? 0) * (spread[column] ?? 0)) / total;
        const name = contentClasses[row];
        return row === column && name && doubt[name] > 0 ? learned + DRIFT * DRIFT : learned;
      }),
    ),
  };
}

/**
 * What a prediction is based on. `prefix`: the exact total of the beginning of these very messages.
 * `edited`: the exact total of a request from which these messages differ in the middle. `overhead`: only
 * what system prompt and tools were seen to cost. `none`: nothing was seen yet.
 */
export type Basis = "prefix" | "edited" | "overhead" | "none";

export interface Prediction {
  readonly tokens: number;
  /** A size the request will hardly exceed, for deciding whether it may be sent. */
  readonly upperBound: number;
  readonly anchored: boolean;
  readonly basis: Basis;
  /** How many of the tokens are estimated. */
  readonly estimated: number;
}

interface ObservedUsage {
  readonly messages: readonly Message[];
  readonly usage: Usage;
  /** The response, when `usage.output` is its exact size: it then needs no estimate in the next request. */
  readonly reply?: Message;
}

/** The size of a prompt as the API counted it. */
interface ExactTotal {
  /** How many messages it is of. */
  readonly count: number;
  /** The chained identity of the last message: it names the whole prefix. */
  readonly id: string;
  readonly total: number;
  readonly shape: Shape;
}

/** An array of messages with the identity of each and the shape of all. */
interface CountedMessages {
  readonly messages: readonly Message[];
  readonly ids: string[];
  readonly shape: Shape;
}

const nothingCounted = (): CountedMessages => ({ messages: [], ids: [], shape: emptyShape() });

/** Where a new counter goes on from messages that another one has read: ids of the last of them, and the shape of all. */
interface CountedStart {
  readonly lastIds: readonly string[];
  readonly shape: Shape;
}

/** Further back no exact total is looked for. */
const LAST_IDS = 128;

/** Everything a counter knows, as plain JSON. */
export interface CounterState {
  readonly version: 1;
  readonly family: TokenizerFamily;
  readonly rates: Rates;
  readonly overhead?: number;
  readonly marks: readonly ExactTotal[];
}

export interface Counter {
  predict(messages: readonly Message[]): Prediction;
  /** Call after every response, also of requests that were not predicted. */
  observe(observation: ObservedUsage): void;
  state(): CounterState;
  /** What a new counter of the same model needs to know of these messages. */
  readingOf(messages: readonly Message[]): CountedStart;
}

interface CounterOptions {
  readonly state?: CounterState;
  /** Tokens of system prompt and tools, if the caller has them: used until a total was seen. */
  readonly overhead?: number;
  /** The messages that the last counter has read, and what it knew of them. */
  readonly read?: CountedStart & { readonly messages: readonly Message[] };
}

/** Enough to survive a rewind of some turns. */
const MARKS_KEPT = 32;
/** The coefficients of the new family are published comparisons, not fits: the counter trusts them less. */
const DOUBT: Record<TokenizerFamily, number> = { old: 1, new: 3 };

/** Margins over the prediction: of what is estimated, of the whole, and a fixed part for unseen reminders. */
const margins: Record<Basis, { readonly estimated: number; readonly whole: number; readonly fixed: number }> =
  {
    prefix: { estimated: 0.12, whole: 0.01, fixed: 600 },
    edited: { estimated: 0.12, whole: 0.03, fixed: 1_000 },
    overhead: { estimated: 0.12, whole: 0.25, fixed: 8_000 },
    none: { estimated: 0.2, whole: 0, fixed: 40_000 },
  };

const minus = (a: Shape, b: Shape): Shape => a.map((value, at) => value - (b[at] ?? 0));
const magnitude = (shape: Shape) => sumOf(shape, Math.abs);

/** A known total and what it was the total of. */
interface Footing {
  readonly basis: Basis;
  readonly total: number;
  readonly shape: Shape;
}

class CalibratedCounter implements Counter {
  readonly #family: TokenizerFamily;
  readonly #scope: ThinkingScope;
  readonly #marks: ExactTotal[];
  #rates: Rates;
  #overhead: number | undefined;
  /** The messages read last: a conversation that only grew is read from there. */
  #last: CountedMessages = nothingCounted();

  constructor(model: Pick<ModelInfo, "tokenizer" | "thinking">, options: CounterOptions) {
    this.#family = model.tokenizer;
    this.#scope = thinkingScope(model);
    const resumed = options.state?.family === this.#family ? options.state : undefined;
    this.#marks = resumed ? [...resumed.marks] : [];
    this.#rates = resumed?.rates ?? startRates(familyRates(this.#family), DOUBT[this.#family]);
    this.#overhead = resumed?.overhead ?? options.overhead;
    const { read } = options;
    if (!read || read.lastIds.length > read.messages.length) return;
    const unknown = new Array<string>(read.messages.length - read.lastIds.length).fill("");
    this.#last = { messages: read.messages, ids: [...unknown, ...read.lastIds], shape: read.shape };
  }

  predict(messages: readonly Message[]): Prediction {
    const { shape, ids } = this.#read(messages);
    const footing = this.#footing(shape, ids);
    const { basis } = footing;
    const change = minus(shape, footing.shape);
    const tokens = Math.max(0, Math.round(footing.total + weigh(change, this.#rates.factors)));
    const estimated = Math.round(magnitude(change));
    const margin = margins[basis];
    const upperBound = Math.ceil(tokens * (1 + margin.whole) + estimated * margin.estimated + margin.fixed);
    return { tokens, upperBound, anchored: basis === "prefix", basis, estimated };
  }

  observe({ messages, usage, reply }: ObservedUsage) {
    const total = promptTokens(usage);
    const { shape, ids } = this.#read(messages);
    const id = ids.at(-1);
    if (id === undefined) return;
    const footing = this.#footing(shape, ids);
    if (footing.basis === "prefix") this.#learn(minus(shape, footing.shape), total - footing.total);
    else this.#overhead = Math.max(0, total - weigh(shape, this.#rates.factors));
    this.#remember({ count: ids.length, id, total, shape });
    if (!reply) return;
    this.#remember({
      count: ids.length + 1,
      id: chainedId(id, reply),
      total: total + usage.output,
      shape: grownShape(shape, [reply], this.#scope),
    });
  }

  readingOf(messages: readonly Message[]): CountedStart {
    const { ids, shape } = this.#read(messages);
    return { lastIds: ids.slice(-LAST_IDS), shape };
  }

  state(): CounterState {
    const known = { family: this.#family, rates: this.#rates, marks: [...this.#marks] };
    return { version: 1, ...known, ...defined({ overhead: this.#overhead }) };
  }

  #read(messages: readonly Message[]) {
    const last = this.#last;
    const isGrown = commonStart(last.messages, messages) === last.messages.length;
    const known = isGrown ? last : nothingCounted();
    const added = messages.slice(known.messages.length);
    const { ids } = known;
    let previous = ids.at(-1);
    for (const message of added) {
      previous = chainedId(previous, message);
      ids.push(previous);
    }
    this.#last = { messages, ids, shape: grownShape(known.shape, added, this.#scope) };
    return this.#last;
  }

  /** Content counted by rule has no rate to learn, and would be mistaken for that of its neighbours. */
  #learn(change: Shape, tokens: number) {
    if (change[classIndex.rule] === 0 && change[classIndex.fineImage] === 0)
      this.#rates = learn(this.#rates, change, tokens);
  }

  #remember(mark: ExactTotal) {
    const same = this.#marks.findIndex((known) => known.id === mark.id);
    if (same >= 0) this.#marks.splice(same, 1);
    this.#marks.push(mark);
    if (this.#marks.length > MARKS_KEPT) this.#marks.shift();
  }

  /** The known total that leaves the least to be estimated. */
  #footing(shape: Shape, ids: readonly string[]): Footing {
    const prefix = this.#longestPrefix(ids);
    const newest = this.#marks.at(-1);
    if (prefix && prefix === newest) return { basis: "prefix", ...prefix };
    const empty = emptyShape();
    let best: Footing =
      this.#overhead === undefined
        ? { basis: "none", total: 0, shape: empty }
        : { basis: "overhead", total: this.#overhead, shape: empty };
    let nearest = magnitude(shape);
    for (const [basis, mark] of [
      ["edited", newest],
      ["prefix", prefix],
    ] as const) {
      if (!mark) continue;
      const distance = magnitude(minus(shape, mark.shape));
      if (distance > nearest) continue;
      nearest = distance;
      best = { basis, total: mark.total, shape: mark.shape };
    }
    return best;
  }

  /** The mark of the longest beginning of the messages that was counted exactly. */
  #longestPrefix(ids: readonly string[]) {
    return this.#marks
      .filter(({ count, id }) => ids[count - 1] === id)
      .toSorted((a, b) => a.count - b.count)
      .at(-1);
  }
}

/** A counter for one conversation. State of another tokenizer family is ignored. */
export function createCounter(
  model: Pick<ModelInfo, "tokenizer" | "thinking">,
  options: CounterOptions = {},
): Counter {
  return new CalibratedCounter(model, options);
}
