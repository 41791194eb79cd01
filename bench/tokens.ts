// Measures the token counter on recorded sessions: every request is predicted before its usage is looked at.
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { errorText } from "../src/lib/index.ts";
import { type Message, promptTokens } from "../src/messages/index.ts";
import {
  type Basis,
  type Counter,
  createCounter,
  estimateText,
  findModel,
  type Prediction,
} from "../src/tokens/index.ts";
import { type Conversation, readConversation } from "../src/transcript/index.ts";

interface Sample {
  readonly file: string;
  readonly request: number;
  readonly truth: number;
  readonly prediction: Prediction;
}

const CLEARED = "[Old tool result content cleared]";

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

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;

function measure(samples: readonly Sample[]) {
  const errors = samples
    .map(({ truth, prediction }) => (Math.abs(prediction.tokens - truth) / truth) * 100)
    .sort((a, b) => a - b);
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

const columns = [22, 10, 10, 10, 10, 12, 12];
const line = (cells: readonly string[]): string =>
  cells
    .map((cell, at) => (at === 0 ? cell.padEnd(columns[at] ?? 0) : cell.padStart(columns[at] ?? 0)))
    .join("");

function row(name: string, samples: readonly Sample[]): string {
  if (samples.length === 0) return line([name, "0"]);
  const { requests, median, p95, p99, exceeded, excess } = measure(samples);
  const shown = [median, p95, p99, exceeded, excess].map((value) => value.toFixed(3));
  return line([name, String(requests), ...shown]);
}

function report(samples: readonly Sample[]): boolean {
  const anchored = samples.filter((sample) => sample.prediction.anchored);
  console.log("Errors and bounds in % of the true prompt size.\n");
  console.log(line(["session", "requests", "median", "p95", "p99", "exceeded", "mean excess"]));
  for (const file of new Set(samples.map((sample) => sample.file)))
    console.log(
      row(
        path.basename(file, ".jsonl"),
        anchored.filter((sample) => sample.file === file),
      ),
    );
  console.log(row("anchored, all", anchored));
  for (const basis of ["edited", "overhead", "none"] satisfies Basis[])
    console.log(
      row(
        `not anchored: ${basis}`,
        samples.filter((sample) => sample.prediction.basis === basis),
      ),
    );
  const result = measure(anchored);
  const missed = (Object.keys(bar) as (keyof typeof bar)[]).filter((key) => !(result[key] <= bar[key]));
  console.log(
    `\nThe bar: ${Object.entries(bar)
      .map(([key, value]) => `${key} ≤ ${value} %`)
      .join(", ")}`,
  );
  console.log(missed.length === 0 ? "met" : `missed: ${missed.join(", ")}`);
  return missed.length === 0;
}

function worst(samples: readonly Sample[], count: number): void {
  const miss = ({ truth, prediction }: Sample): number => (prediction.tokens - truth) / truth;
  const anchored = samples.filter((sample) => sample.prediction.anchored);
  for (const sample of anchored.sort((a, b) => Math.abs(miss(b)) - Math.abs(miss(a))).slice(0, count)) {
    const { file, request, truth, prediction } = sample;
    console.log(
      `${path.basename(file)} request ${request}: ${truth} predicted ${prediction.tokens}, ${(miss(sample) * 100).toFixed(2)} %`,
    );
  }
}

function speed(texts: readonly string[]): void {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  for (const text of texts) estimateText(text, "old");
  const start = performance.now();
  for (const text of texts) estimateText(text, "old");
  const seconds = (performance.now() - start) / 1_000;
  console.log(
    `Scanning: ${(bytes / 1e6 / seconds).toFixed(0)} MB/s over ${(bytes / 1e6).toFixed(1)} MB of content`,
  );
}

function sessionFiles(args: readonly string[]): string[] {
  return args.flatMap((arg) =>
    statSync(arg).isDirectory()
      ? readdirSync(arg)
          .filter((name) => name.endsWith(".jsonl"))
          .sort()
          .map((name) => path.join(arg, name))
      : [arg],
  );
}

async function main(args: readonly string[]): Promise<number> {
  const worstAt = args.indexOf("--worst");
  const named = args.filter((_, at) => worstAt < 0 || (at !== worstAt && at !== worstAt + 1));
  if (named.length === 0) {
    console.error("usage: npm run bench:tokens -- [--worst N] FILE.jsonl|FOLDER…");
    return 2;
  }
  const samples: Sample[] = [];
  const texts: string[] = [];
  for (const file of sessionFiles(named)) {
    const conversation = await readConversation(file);
    samples.push(...replay(file, conversation));
    for (const { message } of conversation.items) texts.push(JSON.stringify(message.content));
  }
  const met = report(samples);
  speed(texts);
  if (worstAt >= 0) worst(samples, Number(args[worstAt + 1] ?? 10));
  return met ? 0 : 1;
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(errorText(error));
    process.exitCode = 1;
  },
);
