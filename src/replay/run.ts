// The engine: a recorded session, request by request with its gaps, through a policy, and what a compaction in it leaves.

import {
  blocksOf,
  type History,
  type HistoryItem,
  isToolUse,
  type Message,
  promptTokens,
  type Usage,
} from "../messages/index.ts";
import { cost, estimateText, priceFor } from "../tokens/index.ts";
import { type PromptCache, promptCache, type Ttl } from "./cache.ts";
import { lookUp, newestWith, sliceAround } from "./need.ts";
import { lastGroup, RECALL } from "./peers.ts";
import type { Compaction, Policy, PolicyRun } from "./policies.ts";
import type { RecordedRequest, RecordedSession } from "./recorded.ts";
import { inventedSummary, lastReadFiles, summaryItem } from "./summary.ts";

interface ReplayOptions {
  readonly ttl: Ttl;
}

/** How much of what a rule cuts on arrival the model reads in full, right after it was cut. */
export type LookRate = "never" | "half" | "always";

/** What a session cost and kept under a policy. */
export interface ReplayNumbers {
  /** Prompt tokens of all requests, recalls, looks and summaries included. */
  readonly promptTokens: number;
  readonly cacheRead: number;
  readonly cacheWritten: number;
  /** Dollars for all of it, system prompt and tools included. */
  readonly dollars: number;
  /** The part of `dollars` that system prompt and tools of the recorded requests cost: the same under every policy. */
  readonly fixedDollars: number;
  /** Dollars for the recorded responses and for the session's subagents: the same under every policy. */
  readonly responseDollars: number;
  readonly subagentDollars: number;
  /** Dollars for the definitions of the tools that the policy adds to every request. */
  readonly ownToolDollars: number;
  readonly recalls: number;
  /** Results that were shown cut when they were first sent, and how many of them were looked at. */
  readonly cuts: number;
  readonly looks: number;
  readonly compactions: number;
  readonly largestPrompt: number;
  /** Share of needed, formerly known identifiers and lines that the window showed when a call used them. */
  readonly retention: number;
}

/** The numbers are those of a model that looks at half of what was cut; `lookedAt` has the others too. */
export interface ReplayResult extends ReplayNumbers {
  readonly session: string;
  readonly policy: string;
  readonly model: string;
  /** Recorded requests. */
  readonly requests: number;
  readonly lookedAt: Readonly<Record<LookRate, ReplayNumbers>>;
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
  "What every policy pays alike is left out of the cost: recorded responses, subagents, and system prompt and tools of the recorded requests. The whole bill counts all of these, and the definitions of the tools that Throughline adds. Summaries, recalls and looks are charged in full.",
  "A result that a rule cuts on arrival is looked at never, half of the time (the first cut, the third, and so on) or always. A look recalls the whole text right after it was cut: one more request, 90 tokens of output, and the text is in the window until a rule removes it. Numbers without a rate are those of half.",
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
  const half = runThrough(session, policy, options.ttl, "half");
  const numbers = half.numbers();
  // Without a cut there is nothing to look at.
  const others = (looks: LookRate) =>
    numbers.cuts === 0 ? numbers : runThrough(session, policy, options.ttl, looks).numbers();
  const result = {
    session: session.name,
    policy: policy.name,
    model: session.model.id,
    requests: session.requests.length,
    ...numbers,
    lookedAt: { never: others("never"), half: numbers, always: others("always") },
  };
  return { result, course: half.course() };
}

function runThrough(session: RecordedSession, policy: Policy, ttl: Ttl, looks: LookRate) {
  const run = new Replay(session, policy.start(session, ttl), ttl, looks);
  for (const [index, request] of session.requests.entries()) run.send(request, session.requests[index + 1]);
  return run;
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
    responseDollars: 0,
    ownToolDollars: 0,
    recalls: 0,
    cuts: 0,
    looks: 0,
    compactions: 0,
    largestPrompt: 0,
  };
  readonly #prompts: number[] = [];
  readonly #compactedAt: number[] = [];
  #noted = 0;
  #readDollars = 0;
  #writeDollars = 0;

  readonly #looks: LookRate;

  constructor(session: RecordedSession, policy: PolicyRun, ttl: Ttl, looks: LookRate) {
    this.#looks = looks;
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
    view = this.#lookAtCuts(view, at);
    const response = history.slice(end, next?.end).find(({ message }) => message.role === "assistant");
    if (response) this.#sums.responseDollars += this.#outputDollars(this.#session.weigh(response));
    if (response) this.#recallWhatIsMissing(response.message, view, at);
  }

  /** A text that was cut is recalled as a whole: one more request, and from then on it is in the window. */
  #lookAtCuts(view: History, now: number): History {
    let shown = view;
    for (const { toolUseId, text } of this.#policy.cuts?.() ?? []) {
      if (!this.#isLookedAt(this.#sums.cuts++)) continue;
      const pair = recallPair(`look-${++this.#sums.looks}`, text);
      this.#history = [...this.#history, ...pair];
      shown = [...shown, ...pair];
      this.#bill(shown, now, RECALL_OUTPUT_TOKENS);
      this.#policy.looked?.(toolUseId);
    }
    return shown;
  }

  #isLookedAt(cutsBefore: number) {
    return this.#looks === "always" || (this.#looks === "half" && cutsBefore % 2 === 0);
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
    const isCold = this.#cache.isCold(now);
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
    const perToken = isCold
      ? written / Math.max(1, usage.cacheWrite5m + usage.cacheWrite1h)
      : price.cacheRead;
    sums.ownToolDollars += ((this.#policy.ownToolTokens ?? 0) * perToken) / 1e6;
    return usage;
  }

  #outputDollars(tokens: number) {
    return cost({ ...noUsage, output: tokens }, this.#session.model);
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
      this.#bill(shown, now, RECALL_OUTPUT_TOKENS);
    }
  }

  numbers(): ReplayNumbers {
    const { promptTokens, cacheRead, cacheWritten, largestPrompt } = this.#sums;
    return {
      ...this.#sums,
      subagentDollars: this.#session.subagentDollars,
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
      message: { role: "assistant", content: [{ type: "tool_use", id, name: RECALL, input: {} }] },
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
