// Sizes that the descriptions promise, measured on the sample session: compaction, observations, and the index of a new session.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { projectOf } from "../src/home/index.ts";
import { startText } from "../src/inject/index.ts";
import { sumOf } from "../src/lib/index.ts";
import { type Message, userTurns } from "../src/messages/index.ts";
import { observeTurn } from "../src/observe/index.ts";
import { memorySession, prepare, seedSettings } from "../src/pipeline/index.ts";
import { type NewObservation, openStore, type Store } from "../src/store/index.ts";
import { estimateText, estimateTokens, lookupModel } from "../src/tokens/index.ts";
import { readConversation } from "../src/transcript/index.ts";
import { turnOfHistory } from "./fixtures/turn.ts";

const root = path.resolve(import.meta.dirname, "..");
const model = lookupModel("claude-opus-4-6");
const tokensOf = (value: unknown) =>
  estimateText(typeof value === "string" ? value : JSON.stringify(value), model.tokenizer);

describe("a conversation of 45 messages and 38,500 tokens", () => {
  const report = (at: number) =>
    Array.from(
      { length: 35 },
      (_, line) =>
        `Section ${at}.${line}: merged branch topic-${at}-${line}, ${line + 3} commits, reviewed and released.`,
    ).join("\n");
  const conversation: Message[] = Array.from({ length: 45 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content:
      at % 2 === 0
        ? `Request ${at}: write part ${at} of the weekly report.`
        : `${report(at)}\n${report(at + 100)}`,
  }));
  const before = estimateTokens(conversation, { model });

  it.each([seedSettings, undefined])("becomes 4,200, with its newest messages, and goes on", (settings) => {
    expect(Math.abs(before / 38_500 - 1)).toBeLessThan(0.05);
    const session = memorySession("weekly", settings ? { settings } : {});
    const { messages, receipt } = prepare({
      session,
      messages: conversation,
      model: model.id,
      compact: { to: 4_200 },
    });
    expect(receipt.tokens.after).toBeLessThanOrEqual(4_200);
    expect(1 - receipt.tokens.after / before).toBeGreaterThanOrEqual(0.89);
    const text = JSON.stringify(messages);
    expect(text).toContain("Request 0: write part 0 of the weekly report.");
    expect(text).toContain("Request 44: write part 44 of the weekly report.");
    const next = prepare({
      session,
      messages: [
        ...conversation,
        { role: "assistant", content: "Part 44 is written." },
        { role: "user", content: "What do you advise for next week?" },
      ],
      model: model.id,
    });
    expect(JSON.stringify(next.messages)).toContain("What do you advise for next week?");
    expect(next.receipt.tokens.after).toBeLessThan(4_400);
    expect(JSON.stringify(next.messages.slice(0, messages.length))).toBe(text);
  });
});

describe("the sample session", () => {
  let store: Store;
  let raw = 0;
  const drafts: NewObservation[] = [];
  const folder = mkdtempSync(path.join(tmpdir(), "throughline-measured-"));
  const row = {
    session: "sample",
    project: projectOf(folder).id,
    promptNumber: 1,
    at: "2026-03-02T09:00:00.000Z",
  };
  beforeAll(async () => {
    const { items } = await readConversation(path.join(root, "sample", "session.jsonl"));
    for (const { start, end } of userTurns(items)) {
      const turn = items.slice(start, end);
      const { observations } = observeTurn(turnOfHistory(turn));
      raw += estimateTokens(
        turn.map(({ message }) => message),
        { model },
      );
      for (const { sources: _, evidence: __, name: ___, ...text } of observations)
        drafts.push({ ...text, ...row });
    }
    store = await openStore({ file: path.join(folder, "throughline.db") });
    await store.addObservations(drafts);
  });
  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("is observed in 10 to 100 times fewer tokens than it has", () => {
    const observed = sumOf(drafts, (draft) => tokensOf(draft) - tokensOf(row));
    expect(drafts.length).toBeGreaterThanOrEqual(5);
    expect(raw / observed).toBeGreaterThanOrEqual(10);
    expect(raw / observed).toBeLessThanOrEqual(100);
  });

  it("is offered to the next one as an index that saves most of what its observations would take", async () => {
    const index = await startText(store, {
      folder,
      now: Date.parse("2026-03-02T10:00:00.000Z"),
      tokens: 1_000,
      characters: 10_000,
      language: "en",
      nonce: "00000000",
      timeZone: "UTC",
    });
    const lines = index.split("\n").filter((line) => /^\| ?#?\d/.test(line));
    expect(lines.length).toBeGreaterThan(3);
    expect(tokensOf(index)).toBeLessThanOrEqual(1_000);
    expect(1 - tokensOf(index) / raw).toBeGreaterThanOrEqual(0.87);
  });
});
