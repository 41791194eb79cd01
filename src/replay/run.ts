// The engine: a recorded session, request by request with its gaps, through a policy, and what a compaction in it leaves.

import { isObject, stringsIn } from "../lib/index.ts";
import {
  blocksOf,
  type History,
  type HistoryItem,
  isToolUse,
  type Message,
  promptTokens,
  textOf,
  toolPairs,
  type Usage,
  userWords,
} from "../messages/index.ts";
import { cost, estimateText, priceFor } from "../tokens/index.ts";
import { type PromptCache, promptCache, type Ttl } from "./cache.ts";
import { identifiersIn, lookUp, newestWith, readableText, sliceAround } from "./need.ts";
import { lastGroup } from "./peers.ts";
import type { Compaction, Policy, PolicyRun } from "./policies.ts";
import type { RecordedRequest, RecordedSession } from "./recorded.ts";

/** The median of recorded summaries, in characters. */
const USUAL_LENGTH = 11_664;
/** The user's words take at most this much of it. */
const WORDS_LENGTH = USUAL_LENGTH / 2;
/** The median of long names in recorded summaries. */
const USUAL_NAMES = 30;

export function summaryItem(id: string, text: string): HistoryItem {
  return { id, message: { role: "user", content: text }, meta: true, compactSummary: true };
}

/**
 * A summary where none was recorded: the user's newest words, then as many names as usual, those that calls used last.
 * At recorded compactions it shows as much of what was needed next as the recorded ones did: 38.0 % against 36.7 %.
 */
export function inventedSummary(history: History) {
  const words = history
    .map(userWords)
    .filter((text) => text !== "")
    .join("\n")
    .slice(-WORDS_LENGTH);
  const names = new Set<string>();
  for (const name of namesNewestFirst(history)) {
    if (names.size === USUAL_NAMES) break;
    names.add(name);
  }
  const text = [words, ...names].join("\n").slice(0, USUAL_LENGTH);
  return text + ".".repeat(USUAL_LENGTH - text.length);
}

function* namesNewestFirst(history: History): Generator<string> {
  for (const { message, compactSummary } of history.toReversed())
    yield* identifiersIn(compactSummary ? readableText(message) : callsText(message));
}

function callsText(message: Message) {
  return blocksOf(message)
    .filter(isToolUse)
    .flatMap(({ input }) => stringsIn(input))
    .join("\n");
}

const FILES_ATTACHED = 5;
const FILE_CHARACTERS_PER_TOKEN = 2.8;

/** The files read last, newest first, cut to what the agent had room for. */
function lastReadFiles(history: History, tokens: number) {
  const seen = new Set<string>();
  const texts: string[] = [];
  for (const pair of toolPairs(history).reverse()) {
    const { input } = pair.use;
    const file = pair.name === "Read" && isObject(input) ? input.file_path : undefined;
    if (typeof file !== "string" || !pair.result || seen.has(file) || seen.size >= FILES_ATTACHED) continue;
    seen.add(file);
    texts.push(textOf(pair.result.content));
  }
  const room = Math.floor((Math.max(0, tokens) * FILE_CHARACTERS_PER_TOKEN) / Math.max(1, texts.length));
  const attached = texts.map((text) => text.slice(0, room)).join("\n");
  return attached.trim() === "" ? [] : [summaryItem("attached-files", attached)];
}

interface ReplayOptions {
  readonly ttl: Ttl;
}

export interface ReplayResult {
  readonly session: string;
  readonly policy: string;
  readonly model: string;
  /** Recorded requests. */
  readonly requests: number;
  /** Prompt tokens of all requests, recalls and summaries included. */
  readonly promptTokens: number;
  readonly cacheRead: number;
  readonly cacheWritten: number;
  /** Dollars for all of it, system prompt and tools included. */
  readonly dollars: number;
  /** The part of `dollars` that system prompt and tools of the recorded requests cost: the same under every policy. */
  readonly fixedDollars: number;
  readonly recalls: number;
  readonly compactions: number;
  readonly largestPrompt: number;
  /** Share of needed, formerly known identifiers and lines that the window showed when a call used them. */
  readonly retention: number;
}

/** What a chart shows of a replay, beside its totals. */
export interface Course {
  /** Prompt tokens of each recorded request. */
  readonly prompts: readonly number[];
  /** The requests before which it compacted, by their index. */
  readonly compactedAt: readonly number[];
  /** What the dollars were paid for; the rest is what was written by the model for summaries and recalls. */
  readonly readDollars: number;
  readonly writeDollars: number;
}

export interface Replayed {
  readonly result: ReplayResult;
  readonly course: Course;
}

export const assumptions: readonly string[] = [
  "Prompts are billed as cache reads of the longest unchanged beginning and cache writes of the rest; a breakpoint stands at the end of every request.",
  "The cache lives for its TTL from the start of the last request; gaps are the recorded ones.",
  "Message sizes are scaled to the totals that the API reported; edited messages are estimated with the same scale.",
  "What every policy pays alike is left out of the comparison: recorded responses, and system prompt and tools of the recorded requests. The whole bill counts system prompt and tools too. Summaries and recalls are charged in full.",
  "The baseline compacts at window − 20,000 − 13,000 tokens, other rules where they say. The history is replaced by the session's own recorded summary, or, where it has none left, by one of the usual size with the user's words and the names used last; the baseline adds the files read last, as large as the recorded agent's attachments were, and the newest call with its results. A compaction that does not bring the prompt below the trigger rests until it has grown by a tenth of the window.",
  "A recall is one whole extra request plus the recalled lines, which stay in the window. It is charged for every call that uses an identifier of 14 or more characters, or a line of an Edit's old_string, that was known before and is nowhere in view.",
];

const OUTPUT_RESERVE = 20_000;
const COMPACTION_BUFFER = 13_000;
/** A compaction that was in vain is tried again when the prompt has grown by this share of the window. */
const REST_SHARE = 0.1;
const USUAL_ATTACHED = 8_000;
const SUMMARY_PROMPT_TOKENS = 1_600;
const RECALL_OUTPUT_TOKENS = 90;

const noUsage: Usage = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 };

export function replay(session: RecordedSession, policy: Policy, options: ReplayOptions): ReplayResult {
  return replayWithCourse(session, policy, options).result;
}

export function replayWithCourse(session: RecordedSession, policy: Policy, options: ReplayOptions): Replayed {
  const run = new Replay(session, policy.start(session, options.ttl), options.ttl);
  for (const [index, request] of session.requests.entries()) {
    run.send(request, session.requests[index + 1]);
  }
  const result = {
    session: session.name,
    policy: policy.name,
    model: session.model.id,
    requests: session.requests.length,
    ...run.totals(),
  };
  return { result, course: run.course() };
}

class Replay {
  readonly #session: RecordedSession;
  readonly #policy: PolicyRun;
  readonly #cache: PromptCache;
  /** A second cache that holds system prompt and tools alone, to know their part of the bill. */
  readonly #fixedCache: PromptCache;
  readonly #compaction: Compaction;
  /** What the policy sees: the summary of the last compaction, then everything since, with recalls. */
  #history: History = [];
  /** Messages of the recorded history that were sent. */
  #taken = 0;
  #lastAt: number | undefined;
  /** No compaction until the prompt weighs more than this. */
  #restsBelow = 0;
  #needed = 0;
  #shown = 0;
  readonly #sums = {
    promptTokens: 0,
    cacheRead: 0,
    cacheWritten: 0,
    dollars: 0,
    fixedDollars: 0,
    recalls: 0,
    compactions: 0,
    largestPrompt: 0,
  };
  readonly #prompts: number[] = [];
  readonly #compactedAt: number[] = [];
  #noted = 0;
  #readDollars = 0;
  #writeDollars = 0;

  constructor(session: RecordedSession, policy: PolicyRun, ttl: Ttl) {
    this.#session = session;
    this.#policy = policy;
    this.#cache = promptCache(ttl, session.model);
    this.#fixedCache = promptCache(ttl, session.model);
    this.#compaction = policy.compaction ?? recordedCompaction(session);
  }

  send({ at, end }: RecordedRequest, next: RecordedRequest | undefined): void {
    const { history, fixed, model, window } = this.#session;
    this.#history = [...this.#history, ...history.slice(this.#taken, end)];
    this.#taken = end;
    let view = this.#view(at);
    if (this.#mustCompact(view)) {
      this.#compact(view, at);
      view = this.#view(at);
      // What cannot be brought below the trigger is not summarised again with every request.
      const left = this.#weigh(view);
      this.#restsBelow = this.#compaction.isDue(view, left) ? left + window * REST_SHARE : 0;
    }
    const billed = this.#bill(view, at, 0);
    this.#note(billed);
    this.#policy.observe?.(billed);
    this.#sums.fixedDollars += cost(this.#fixedCache.send([], [], fixed, at), model);
    this.#lastAt = at;
    const response = history.slice(end, next?.end).find(({ message }) => message.role === "assistant");
    if (response) this.#recallWhatIsMissing(response.message, view, at);
  }

  #note(billed: Usage) {
    const compactions = this.#countCompactions();
    if (compactions > this.#noted) this.#compactedAt.push(this.#prompts.length);
    this.#noted = compactions;
    this.#prompts.push(Math.round(promptTokens(billed)));
  }

  #countCompactions() {
    return this.#policy.compactions?.() ?? this.#sums.compactions;
  }

  #mustCompact(view: History) {
    if (this.#policy.compactions) return false;
    const tokens = this.#weigh(view);
    return tokens > this.#restsBelow && this.#compaction.isDue(view, tokens);
  }

  #view(now: number) {
    const idle = this.#lastAt === undefined ? undefined : now - this.#lastAt;
    const weigh = (items: History) => this.#weigh(items);
    return this.#policy.view({ history: this.#history, now, idle, cold: this.#cache.isCold(now), weigh });
  }

  #weigh(items: History) {
    return items.reduce((sum, item) => sum + this.#session.weigh(item), this.#session.fixed);
  }

  #bill(view: History, now: number, output: number): Usage {
    const { weigh, fixed, model } = this.#session;
    const usage = { ...this.#cache.send(view, view.map(weigh), fixed, now), output };
    const prompt = promptTokens(usage);
    const price = priceFor(model, prompt);
    const written = usage.cacheWrite5m * price.cacheWrite5m + usage.cacheWrite1h * price.cacheWrite1h;
    this.#readDollars += (usage.cacheRead * price.cacheRead) / 1e6;
    this.#writeDollars += (usage.input * price.input + written) / 1e6;
    const sums = this.#sums;
    sums.promptTokens += prompt;
    sums.cacheRead += usage.cacheRead;
    sums.cacheWritten += usage.cacheWrite5m + usage.cacheWrite1h;
    sums.largestPrompt = Math.max(sums.largestPrompt, prompt);
    sums.dollars += cost(usage, model);
    return usage;
  }

  /** The summary call reads the whole window; what follows starts from the summary. */
  #compact(view: History, now: number) {
    const { summaries, attached, model } = this.#session;
    const done = this.#sums.compactions++;
    const text = summaries[done] ?? inventedSummary(this.#history);
    const output = estimateText(text, model.tokenizer);
    for (let call = 0; call < (this.#compaction.calls ?? 1); call++) {
      const prompt = summaryItem(`prompt-${done}-${call}`, "x ".repeat(SUMMARY_PROMPT_TOKENS));
      this.#bill([...view, prompt], now, output);
    }
    const files = lastReadFiles(this.#history, attached[done] ?? USUAL_ATTACHED);
    const summary = summaryItem(`summary-${done + 1}`, text);
    this.#history = this.#compaction.after(this.#history, summary, files);
  }

  /** Each call that uses something out of sight makes the model fetch it first. */
  #recallWhatIsMissing(response: Message, view: History, now: number) {
    let shown = view;
    const before = this.#session.history.slice(0, this.#taken);
    for (const call of blocksOf(response).filter(isToolUse)) {
      const { known, missing } = lookUp(call, shown, before);
      this.#needed += known;
      this.#shown += known - missing.length;
      const slices = slicesFor(missing, before);
      if (slices.length === 0) continue;
      const pair = recallPair(`recall-${++this.#sums.recalls}`, slices.join("\n"));
      this.#history = [...this.#history, ...pair];
      shown = [...shown, ...pair];
      this.#bill(shown, now, 0);
      this.#sums.dollars += cost({ ...noUsage, output: RECALL_OUTPUT_TOKENS }, this.#session.model);
    }
  }

  totals(): Omit<ReplayResult, "session" | "policy" | "model" | "requests"> {
    const { promptTokens, cacheRead, cacheWritten, largestPrompt } = this.#sums;
    return {
      ...this.#sums,
      promptTokens: Math.round(promptTokens),
      cacheRead: Math.round(cacheRead),
      cacheWritten: Math.round(cacheWritten),
      compactions: this.#countCompactions(),
      largestPrompt: Math.round(largestPrompt),
      retention: this.#needed === 0 ? 1 : this.#shown / this.#needed,
    };
  }

  course(): Course {
    return {
      prompts: this.#prompts,
      compactedAt: this.#compactedAt,
      readDollars: this.#readDollars,
      writeDollars: this.#writeDollars,
    };
  }
}

function recallPair(id: string, text: string): HistoryItem[] {
  return [
    {
      id: `${id}-call`,
      message: { role: "assistant", content: [{ type: "tool_use", id, name: "recall", input: {} }] },
    },
    {
      id: `${id}-result`,
      message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: text }] },
    },
  ];
}

/** As the recorded agent did it: the summary, the files read last, and the newest group as it was. */
function recordedCompaction({ window }: RecordedSession): Compaction {
  return {
    isDue: (_view, tokens) => tokens > window - OUTPUT_RESERVE - COMPACTION_BUFFER,
    after: (history, summary, files) => [summary, ...files, ...history.slice(lastGroup(history))],
  };
}

/** One slice per missing thing, unless an earlier slice brings it along. */
function slicesFor(missing: readonly string[], before: History) {
  const slices: string[] = [];
  for (const text of missing) {
    if (slices.some((slice) => slice.includes(text))) continue;
    const source = newestWith(text, before);
    if (source) slices.push(sliceAround(text, source.message));
  }
  return slices;
}
