// Every request fits: compaction at the threshold, from originals, within guards, in every regime.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { firstBrokenThinking } from "../../../test/brokenThinking.ts";
import { APPEND_ONLY, call, KEEP_ALL, LEGACY, result } from "../../../test/fixtures/pipeline/client.ts";
import { asked, code, fillingSession, rounds } from "../../../test/fixtures/pipeline/filling.ts";
import { check, type Message, textOf } from "../../messages/index.ts";
import { estimateTokens, lookupModel } from "../../tokens/index.ts";
import { recall } from "../../vault/index.ts";
import { pin, prepare, seedSettings, thriftySettings } from "../index.ts";

const models = [APPEND_ONLY, KEEP_ALL, LEGACY];

function tokensOf(messages: readonly Message[], model: string): number {
  return estimateTokens(messages, { model: lookupModel(model) });
}

describe("autocompact", () => {
  it("leaves a conversation alone below the threshold", () => {
    const messages = [asked, ...rounds(3)];
    const { receipt } = prepare({
      session: fillingSession(60_000),
      messages,
      model: "claude-opus-4-6",
      now: 1,
    });
    expect(receipt.edits).toEqual([]);
  });

  it.each([seedSettings, thriftySettings])(
    "begins where the window has less than 20,000 and 13,000 tokens left, under $policy",
    (settings) => {
      const messages = [asked, ...rounds(30)];
      const compacted = (room: number): boolean =>
        prepare({ session: fillingSession(room, settings), messages, model: KEEP_ALL, now: 1 }).receipt
          .compaction !== undefined;
      const { receipt } = prepare({
        session: fillingSession(100_000, settings),
        messages,
        model: KEEP_ALL,
        now: 1,
      });
      const full = Math.ceil(receipt.tokens.before);
      expect([compacted(full), compacted(full - 1)]).toEqual([false, true]);
    },
  );

  it("begins earlier at a percentage of the window or a number of tokens, and never later", () => {
    const messages = [asked, ...rounds(30)];
    const window = 100_000 + 33_000;
    const compactedAt = (at: number) => {
      const settings = { ...seedSettings, autocompact: { ...seedSettings.autocompact, at } };
      const session = fillingSession(100_000, settings);
      return prepare({ session, messages, model: KEEP_ALL, now: 1 }).receipt.compaction !== undefined;
    };
    const plain = { session: fillingSession(100_000, seedSettings), messages, model: KEEP_ALL, now: 1 };
    const tokens = Math.ceil(prepare(plain).receipt.tokens.before);
    const percent = (100 * tokens) / window;
    expect([compactedAt(0), compactedAt(tokens), compactedAt(tokens - 1)]).toEqual([false, false, true]);
    expect([compactedAt(percent + 0.1), compactedAt(percent - 0.1), compactedAt(10 ** 9)]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it.each(models)(
    "brings a full window down in one pass, valid for %s, and keeps the newest messages",
    (model) => {
      const session = fillingSession(12_000);
      const messages = [asked, ...rounds(30)];
      const { messages: sent, receipt } = prepare({ session, messages, model, now: 1 });
      expect(receipt.edits.map(({ level }) => level)).toContain("autocompact");
      expect(tokensOf(sent, model)).toBeLessThan(12_000);
      expect(check(sent)).toEqual([]);
      expect(textOf(sent[0]?.content)).toContain("Rename computeInvoiceTotals everywhere.");
      expect(JSON.stringify(sent)).toContain("computeInvoiceTotals30_1");
      expect(JSON.stringify(sent).includes("thought t30")).toBe(model !== "claude-opus-5-5");
    },
  );

  it("keeps the same bytes until it is due again, and never edits before kept thinking", () => {
    const session = fillingSession(12_000);
    const model = "claude-opus-5-5";
    let previous: readonly Message[] = [];
    let compactions = 0;
    for (let count = 20; count <= 60; count++) {
      const { messages, receipt } = prepare({
        session,
        messages: [asked, ...rounds(count)],
        model,
        now: count,
      });
      const compacted = receipt.edits.some(({ level }) => level === "autocompact");
      if (compacted) compactions++;
      else expect(JSON.stringify(messages.slice(0, previous.length))).toBe(JSON.stringify(previous));
      expect(firstBrokenThinking(previous, messages)).toBeUndefined();
      expect(tokensOf(messages, model)).toBeLessThan(12_000 + 13_000);
      previous = messages;
    }
    expect(compactions).toBeGreaterThan(1);
  });

  it("summarises the originals again, not its own summary", () => {
    const session = fillingSession(12_000);
    for (let count = 20; count <= 60; count++)
      prepare({ session, messages: [asked, ...rounds(count)], model: "claude-opus-4-6", now: count });
    const last = session.ledger.entries().findLast(({ edit }) => edit.kind === "replace-prefix");
    const whole = recall(session.vault, last?.handles?.[0] ?? "").text;
    expect(whole).toContain("computeInvoiceTotals1_1");
    expect(whole).not.toContain("Primary Request and Intent");
  });

  it("puts the boundary before the summary under seed", () => {
    const { messages } = prepare({
      session: fillingSession(12_000, seedSettings),
      messages: [asked, ...rounds(30)],
      model: "claude-opus-4-6",
      now: 1,
    });
    expect(messages[0]).toEqual({ role: "user", content: "<compact boundary>" });
    expect(textOf(messages[1]?.content)).toMatch(/^Below is a summary of the session so far:\n\n/);
  });

  it("attaches whole files under seed as its budgets allow, while the request fits", () => {
    const file = (at: number) =>
      Array.from(
        { length: 200 },
        (_, line) => `${line + 1}→export const invoiceTotal${at}_${line} = ${line};`,
      );
    const reads = Array.from({ length: 5 }, (_, at) => [
      call(`read${at}`, "Read", { file_path: `/repo/file${at}.ts` }),
      result(`read${at}`, file(at).join("\n")),
    ]).flat();
    const runs = Array.from({ length: 14 }, (_, at) => [
      call(`run${at}`, "Bash", { command: `npm run step${at}` }),
      result(`run${at}`, code(at)),
    ]).flat();
    const { messages, receipt } = prepare({
      session: fillingSession(100_000, seedSettings),
      messages: [asked, ...rounds(90), ...reads, ...runs],
      model: "claude-opus-4-6",
      now: 1,
    });
    expect(receipt.compaction).toBeDefined();
    const attached = messages.flatMap(({ content }) =>
      typeof content === "string"
        ? []
        : content.flatMap(({ text }) => (typeof text === "string" ? [text] : [])),
    );
    const files = attached.filter((text) => text.startsWith("<attachment: "));
    expect(files).toHaveLength(5);
    for (const [at, text] of files.toReversed().entries())
      for (const line of [0, 99, 199]) expect(text).toContain(`invoiceTotal${at}_${line} =`);
  });

  it("keeps pinned messages with their tool pairs", () => {
    const session = fillingSession(14_000);
    const start = [asked, ...rounds(2)];
    const { items } = prepare({ session, messages: start, model: "claude-opus-4-6", now: 1 });
    pin(session, [items[2]?.id ?? ""]);
    const { messages } = prepare({
      session,
      messages: [...start, ...rounds(30, 3)],
      model: "claude-opus-4-6",
      now: 2,
    });
    expect(check(messages)).toEqual([]);
    expect(JSON.stringify(messages)).toContain("computeInvoiceTotals1_1");
    expect(JSON.stringify(messages)).toContain('"id":"t1"');
  });

  it("ends a loop of refilling results within the compactions allowed in a turn", () => {
    const session = fillingSession(12_000);
    const edits: number[] = [];
    for (let count = 20; count <= 200; count += 5) {
      const { receipt } = prepare({
        session,
        messages: [asked, ...rounds(count)],
        model: "claude-opus-4-6",
        now: count,
      });
      edits.push(receipt.edits.filter(({ level }) => level === "autocompact").length);
      expect(receipt.tokens.after).toBeLessThan(12_000 + 13_000);
    }
    expect(Math.max(...edits)).toBe(1);
  });

  it("says so when nothing can make the request fit", () => {
    const call = (): unknown =>
      prepare({
        session: fillingSession(12_000),
        messages: [asked, ...rounds(30)],
        model: "claude-opus-4-6",
        overhead: 60_000,
        now: 1,
      });
    expect(call).toThrow(/do not fit into/);
  });

  it("can be taken back", () => {
    const session = fillingSession(12_000);
    const messages = [asked, ...rounds(30)];
    const dry = prepare({ session, messages, model: "claude-opus-4-6", now: 1, dryRun: true });
    expect(session.ledger.entries()).toEqual([]);
    expect(dry.receipt.edits).toHaveLength(1);
  });

  it("leaves a call that waits for its result where it is, however large", () => {
    const input = { file_path: "/src/large.ts", content: code(0) + code(1) };
    const open: Message = {
      role: "assistant",
      content: [{ type: "tool_use", id: "open", name: "Write", input }],
    };
    const { messages } = prepare({
      session: fillingSession(60_000),
      messages: [asked, ...rounds(20), open],
      model: "claude-opus-4-6",
      compact: { to: 4_000 },
      now: 1,
    });
    expect(messages.at(-1)).toEqual(open);
    expect(tokensOf(messages, "claude-opus-4-6")).toBeLessThan(4_000);
  });

  it("fits any size of window", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 9_000, max: 60_000 }),
        fc.integer({ min: 5, max: 60 }),
        fc.constantFrom(...models),
        (window, count, model) => {
          const { messages } = prepare({
            session: fillingSession(window),
            messages: [asked, ...rounds(count)],
            model,
            now: 1,
          });
          expect(check(messages)).toEqual([]);
          expect(tokensOf(messages, model)).toBeLessThanOrEqual(window + 13_000);
        },
      ),
      { numRuns: 60 },
    );
  });
});
