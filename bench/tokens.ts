// Measures the token counter on recorded sessions: every request is predicted before its usage is looked at.

import path from "node:path";
import { type Message, promptTokens } from "../src/messages/index.ts";
import { CLEARED } from "../src/pipeline/index.ts";
import {
  type Basis,
  type Counter,
  createCounter,
  estimateText,
  findModel,
  type Prediction,
} from "../src/tokens/index.ts";
import { type Conversation, readConversation } from "../src/transcript/index.ts";
import type { Bench } from "./bench.ts";
import { option, quantile, rounded, timedNow } from "./measure.ts";
import { transcriptsIn } from "./transcripts.ts";

interface Sample {
  readonly file: string;
  readonly request: number;
  readonly truth: number;
  readonly prediction: Prediction;
}

/** The bar on anchored requests, in percent of the true total. */
const bar = { median: 0.1, p95: 0.6, p99: 2.5, exceeded: 0.5, excess: 3 };

function clearResults(messages: readonly Message[], ids: ReadonlySet<string>): Message[] {
  return messages.map((message) => {
    if (typeof message.content === "string") return message;
    const cleared = message.content.map((block) =>
      typeof block.tool_use_id === "string" && ids.has(block.tool_use_id)
        ? { ...block, content: CLEARED }
        : block,
    );
    return cleared.some((block, at) => block !== message.content[at])
      ? { ...message, content: cleared }
      : message;
  });
}

/** What the agent sent with each request, as far as the transcript tells. */
class Views {
  readonly #conversation: Conversation;
  #messages: Message[] = [];
  #item = 0;
  #boundary = 0;
  #attachment = 0;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  /** The messages before the item at `end`; `end` must not go down from call to call. */
  upTo(end: number): readonly Message[] {
    for (; this.#item <= end; this.#item++) {
      this.#crossBoundaries(this.#item);
      this.#attach(this.#item);
      const item = this.#conversation.items[this.#item];
      if (this.#item === end) break;
      if (item && !item.isApiError) this.#messages.push(item.message);
    }
    return [...this.#messages];
  }

  #crossBoundaries(index: number): void {
    const { boundaries, items } = this.#conversation;
    for (; (boundaries[this.#boundary]?.index ?? Number.POSITIVE_INFINITY) <= index; this.#boundary++) {
      const boundary = boundaries[this.#boundary];
      if (boundary?.kind === "microcompact")
        this.#messages = clearResults(this.#messages, new Set(boundary.compactedToolIds));
      if (boundary?.kind !== "compact") continue;
      const kept = new Set(boundary.preserved);
      this.#messages = items.filter((item) => kept.has(item.id)).map((item) => item.message);
    }
  }

  #attach(index: number): void {
    const { attachments } = this.#conversation;
    for (; (attachments[this.#attachment]?.index ?? Number.POSITIVE_INFINITY) <= index; this.#attachment++) {
      const text = attachments[this.#attachment]?.text;
      if (text) this.#messages.push({ role: "user", content: text });
    }
  }
}

function replay(file: string, conversation: Conversation): Sample[] {
  const samples: Sample[] = [];
  const views = new Views(conversation);
  let counter: Counter | undefined;
  let current: string | undefined;
  conversation.requests.forEach((request, index) => {
    const model = request.model === undefined ? undefined : findModel(request.model);
    const messages = views.upTo(request.itemIndex);
    const { usage } = request;
    const truth = promptTokens(usage);
    if (!model || truth === 0 || messages.length === 0) return;
    if (!counter || model.id !== current) {
      const state = counter?.state();
      counter = createCounter(model, state ? { state } : {});
      current = model.id;
    }
    samples.push({ file, request: index, truth, prediction: counter.predict(messages) });
    // Claude Code's transcripts hold the output count of the stream's start; pi's hold the real one.
    const reply = conversation.dialect === "pi" ? conversation.items[request.itemIndex]?.message : undefined;
    counter.observe(reply ? { messages, usage, reply } : { messages, usage });
  });
  return samples;
}

function measure(samples: readonly Sample[]) {
  const errors = samples.map(({ truth, prediction }) => (Math.abs(prediction.tokens - truth) / truth) * 100);
  const excess = samples.map(({ truth, prediction }) => ((prediction.upperBound - truth) / truth) * 100);
  return {
    requests: samples.length,
    median: quantile(errors, 0.5),
    p95: quantile(errors, 0.95),
    p99: quantile(errors, 0.99),
    exceeded: (excess.filter((value) => value < 0).length / samples.length) * 100,
    excess: excess.reduce((sum, value) => sum + value, 0) / samples.length,
  };
}

function row(what: string, samples: readonly Sample[]) {
  if (samples.length === 0) return { requests: 0, what };
  const { requests, median, p95, p99, exceeded, excess } = measure(samples);
  return {
    what,
    requests,
    "median %": rounded(median, 3),
    "p95 %": rounded(p95, 3),
    "p99 %": rounded(p99, 3),
    "bound exceeded %": rounded(exceeded, 3),
    "mean excess %": rounded(excess, 3),
  };
}

/** The requests that were predicted worst, by the number of their session. */
function worst(samples: readonly Sample[], count: number) {
  const miss = ({ truth, prediction }: Sample): number => (prediction.tokens - truth) / truth;
  return samples
    .filter((sample) => sample.prediction.anchored)
    .sort((a, b) => Math.abs(miss(b)) - Math.abs(miss(a)))
    .slice(0, count)
    .map((sample) => ({
      session: path.basename(sample.file),
      request: sample.request,
      tokens: sample.truth,
      predicted: sample.prediction.tokens,
      "error %": rounded(miss(sample) * 100),
    }));
}

function scanningSpeed(texts: readonly string[]): number {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const scan = (): void => {
    for (const text of texts) estimateText(text, "old");
  };
  scan();
  return Math.round(bytes / 1e3 / timedNow(scan));
}

export const bench: Bench = {
  name: "tokens",
  measures: ["src/tokens", "src/messages"],
  about:
    "Every request of recorded sessions, its prompt's size predicted before its usage is looked at. Errors in % of the true size.",
  usage: "[--worst=N] FILE|DIR…",
  async run(args) {
    const samples: Sample[] = [];
    const texts: string[] = [];
    for (const file of transcriptsIn(args)) {
      const conversation = await readConversation(file);
      samples.push(...replay(file, conversation));
      for (const { message } of conversation.items) texts.push(JSON.stringify(message.content));
    }
    const anchored = samples.filter(({ prediction }) => prediction.anchored);
    const others = (["edited", "overhead", "none"] satisfies Basis[]).map((basis) =>
      row(
        `not anchored: ${basis}`,
        samples.filter(({ prediction }) => prediction.basis === basis),
      ),
    );
    const result = measure(anchored);
    const asked = option(args, "worst");
    return {
      findings: [
        {
          title: "Requests predicted",
          rows: [row("anchored to the response before", anchored), ...others],
          notes: [`Scanning: ${scanningSpeed(texts)} MB/s.`],
        },
        ...(asked === undefined ? [] : [{ title: "Predicted worst", rows: worst(samples, Number(asked)) }]),
      ],
      bars: (Object.keys(bar) as (keyof typeof bar)[]).map((key) => ({
        what: `${key} %`,
        value: result[key],
        atMost: bar[key],
      })),
    };
  },
};
