// The counter against a synthetic tokenizer whose exact counts are known.
import { describe, expect, it } from "vitest";
import type { Message, Usage } from "../messages/index.ts";
import { type Counter, type CounterState, createCounter } from "./counter.ts";
import { estimateMessage } from "./estimate.ts";
import { lookupModel } from "./models.ts";

const opus = lookupModel("claude-opus-4-5");
const OVERHEAD = 18_000;

/** A small generator, so that a failing case can be repeated. */
function randomSource(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const words =
  "the counter keeps exact totals of each request and learns rates from what was added since then".split(" ");

function prose(random: () => number, count: number): string {
  return Array.from({ length: count }, () => words[Math.floor(random() * words.length)] ?? "").join(" ");
}

/** Tool calls and their results, some long; a file listing is cut denser by the tokenizer below. */
function exchange(random: () => number, index: number): [Message, Message] {
  const listing = Array.from(
    { length: 20 + Math.floor(random() * 200) },
    (_, at) => `${at + 1}→  const ${words[at % 16]} = ${at};`,
  );
  const id = `call-${index}`;
  return [
    {
      role: "assistant",
      content: [
        { type: "text", text: prose(random, 20) },
        { type: "tool_use", id, name: "Read", input: { file_path: `/src/${prose(random, 2)}.ts` } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: listing.join("\n") }] },
  ];
}

/** A tokenizer that differs from the estimate by a rate per kind of message. */
const trueSize = (message: Message): number =>
  Math.round(estimateMessage(message, "old") * (message.role === "assistant" ? 0.95 : 1.25));

const trueTotal = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + trueSize(message), OVERHEAD);

const usageOf = (total: number, output = 0): Usage => ({
  input: 10,
  cacheRead: total - 10,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output,
});

function run(
  counter: Counter,
  requests: number,
  seed: number,
  noise = 0,
): { errors: number[]; exceeded: number; messages: Message[] } {
  const random = randomSource(seed);
  const messages: Message[] = [{ role: "user", content: prose(random, 40) }];
  const errors: number[] = [];
  let exceeded = 0;
  let hidden = 0;
  for (let index = 0; index < requests; index++) {
    hidden += random() < 0.15 ? noise : 0;
    const total = trueTotal(messages) + hidden;
    const { tokens, upperBound, estimated } = counter.predict(messages);
    errors.push(Math.abs(tokens - total) / Math.max(1, estimated));
    if (index > 0 && upperBound < total) exceeded++;
    counter.observe({ messages: [...messages], usage: usageOf(total) });
    messages.push(...exchange(random, index));
  }
  return { errors, exceeded, messages };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe("calibration", () => {
  it("converges to the rates of a tokenizer it was not made for", () => {
    const { errors } = run(createCounter(opus), 60, 1);
    expect(mean(errors.slice(1, 4))).toBeGreaterThan(0.05);
    expect(mean(errors.slice(-20))).toBeLessThan(0.02);
  });

  it("is not thrown off by reminders it cannot see", () => {
    const { errors } = run(createCounter(opus), 120, 2, 80);
    expect(mean(errors.slice(-40))).toBeLessThan(0.04);
  });

  it("does not learn from images", () => {
    const counter = createCounter(opus);
    const messages: Message[] = [{ role: "user", content: "look" }];
    counter.observe({ messages, usage: usageOf(20_000) });
    const before = counter.state().rates;
    const seen: Message[] = [
      ...messages,
      { role: "user", content: [{ type: "image", source: { type: "url" } }] },
    ];
    counter.observe({ messages: seen, usage: usageOf(29_000) });
    expect(counter.state().rates).toEqual(before);
  });

  it("the upper bound holds, and stays near", () => {
    for (let seed = 10; seed < 20; seed++) expect(run(createCounter(opus), 60, seed, 80).exceeded).toBe(0);
    const counter = createCounter(opus);
    const { messages } = run(counter, 60, 3);
    const { tokens, upperBound } = counter.predict(messages);
    expect(upperBound).toBeGreaterThan(tokens);
    expect(upperBound).toBeLessThan(tokens * 1.04);
  });
});

describe("footing", () => {
  const random = randomSource(7);
  const start: Message[] = [
    { role: "user", content: prose(random, 40) },
    ...exchange(random, 0),
    ...exchange(random, 1),
  ];
  const next = exchange(random, 2);

  it("is nothing before the first response, unless the overhead is given", () => {
    expect(createCounter(opus).predict(start)).toMatchObject({ anchored: false, basis: "none" });
    const told = createCounter(opus, { overhead: OVERHEAD }).predict(start);
    expect(told.basis).toBe("overhead");
    expect(told.tokens).toBeGreaterThan(OVERHEAD);
  });

  it("is the exact total when nothing was added", () => {
    const counter = createCounter(opus);
    counter.observe({ messages: start, usage: usageOf(31_234) });
    expect(counter.predict(start)).toMatchObject({ tokens: 31_234, anchored: true, estimated: 0 });
  });

  it("does not need the same objects, and ignores cache breakpoints", () => {
    const counter = createCounter(opus);
    counter.observe({ messages: start, usage: usageOf(31_234) });
    const copy = structuredClone(start).map((message) => ({
      ...message,
      content:
        typeof message.content === "string"
          ? [{ type: "text", text: message.content, cache_control: { type: "ephemeral" } }]
          : message.content,
    }));
    expect(counter.predict(copy)).toMatchObject({ tokens: 31_234, anchored: true });
  });

  it("adds the exact output when the response is given", () => {
    const counter = createCounter(opus);
    counter.observe({ messages: start, usage: usageOf(31_000, 456), reply: next[0] });
    expect(counter.predict([...start, next[0]])).toMatchObject({ tokens: 31_456, anchored: true });
  });

  it("returns to an earlier total after a rewind", () => {
    const counter = createCounter(opus);
    counter.observe({ messages: start, usage: usageOf(31_000) });
    counter.observe({ messages: [...start, ...next], usage: usageOf(35_000) });
    expect(counter.predict(start)).toMatchObject({ tokens: 31_000, anchored: true });
    const fork: Message[] = [...start, { role: "user", content: "another way" }];
    expect(counter.predict(fork).tokens).toBeCloseTo(31_006, -1);
  });

  it("knows when earlier content was edited, and estimates only the difference", () => {
    const counter = createCounter(opus);
    const { messages } = run(counter, 30, 5);
    messages.splice(-2);
    const edited = messages.map((message, at) =>
      at < 12 && at % 2 === 0 && at > 0
        ? {
            role: "user" as const,
            content: [{ type: "tool_result", tool_use_id: `call-${at / 2 - 1}`, content: "cleared" }],
          }
        : message,
    );
    const prediction = counter.predict(edited);
    expect(prediction).toMatchObject({ anchored: false, basis: "edited" });
    const truth = trueTotal(edited);
    expect(Math.abs(prediction.tokens - truth) / truth).toBeLessThan(0.01);
  });

  it("falls back to the overhead it learned when the history was replaced", () => {
    const counter = createCounter(opus);
    run(counter, 30, 6);
    const summary: Message[] = [{ role: "user", content: prose(randomSource(8), 400) }];
    const prediction = counter.predict(summary);
    expect(prediction).toMatchObject({ anchored: false, basis: "overhead" });
    const truth = trueTotal(summary);
    expect(Math.abs(prediction.tokens - truth) / truth).toBeLessThan(0.03);
    expect(prediction.upperBound).toBeGreaterThan(truth);
  });

  it("gives back the thinking that the API drops at a new turn on legacy models", () => {
    const thought: Message = {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "", signature: "x".repeat(10_180) },
        { type: "text", text: "done" },
      ],
    };
    const asked: Message = { role: "user", content: "and now?" };
    const totalAfterTurn = (name: string): number => {
      const counter = createCounter(lookupModel(name));
      counter.observe({ messages: start, usage: usageOf(30_000, 2_000), reply: thought });
      return counter.predict([...start, thought, asked]).tokens;
    };
    expect(totalAfterTurn("claude-opus-4-5")).toBeCloseTo(32_008, -1);
    expect(totalAfterTurn("claude-sonnet-4-5")).toBeCloseTo(30_018, -1);
  });
});

describe("state", () => {
  it("survives JSON: a resumed counter predicts and learns the same", () => {
    const first = createCounter(opus);
    const { messages } = run(first, 25, 9);
    const stored = JSON.parse(JSON.stringify(first.state())) as CounterState;
    const second = createCounter(opus, { state: stored });
    expect(second.predict(messages)).toEqual(first.predict(messages));
    for (const counter of [first, second]) counter.observe({ messages, usage: usageOf(trueTotal(messages)) });
    expect(second.state()).toEqual(first.state());
  });

  it("stays small in a long session", () => {
    const counter = createCounter(opus);
    run(counter, 120, 11);
    expect(JSON.stringify(counter.state()).length).toBeLessThan(10_000);
  });

  it("is not used for a model that counts differently", () => {
    const counter = createCounter(opus);
    const { messages } = run(counter, 5, 12);
    const other = createCounter(lookupModel("claude-opus-5-5"), { state: counter.state() });
    expect(other.predict(messages).basis).toBe("none");
  });
});
