// Properties of a compaction for any conversation, source of words and cut.

import fc from "fast-check";
import { expect, it } from "vitest";
import { anyHistory } from "../../../test/arbitrary/history.ts";
import { firstBrokenThinking } from "../../../test/brokenThinking.ts";
import { APPEND_ONLY, KEEP_ALL, LEGACY } from "../../../test/fixtures/pipeline/client.ts";
import { apply } from "../../ledger/index.ts";
import { type Block, check, type Message } from "../../messages/index.ts";
import {
  type CompactNow,
  memorySession,
  type Prepared,
  type PrepareInput,
  prepare,
  type ReadySummary,
  seedSettings,
  thriftySettings,
} from "../index.ts";

const runs = Number(process.env.THROUGHLINE_RUNS ?? 150);

const anyCase = fc.record({
  history: anyHistory,
  model: fc.constantFrom(APPEND_ONLY, KEEP_ALL, LEGACY),
  settings: fc.constantFrom(seedSettings, thriftySettings),
  words: fc.constantFrom("none", "notes", "model", "on-demand"),
  mode: fc.constantFrom("base", "partial", "partial-up-to"),
  to: fc.option(fc.integer({ min: 300, max: 3_000 }), { nil: undefined }),
  at: fc.nat({ max: 200 }),
  cut: fc.nat({ max: 200 }),
});

const block: Block = { type: "compaction", content: "What happened so far.", signature: "s" };

function summaryFor(words: string, through: string): ReadySummary | undefined {
  if (words === "model") return { from: "model", text: "What happened so far.", through };
  return words === "on-demand" ? { from: "on-demand", block, through } : undefined;
}

it("stays valid, breaks no thinking, and gives the same bytes again", () => {
  let made = 0;
  fc.assert(
    fc.property(anyCase, ({ history, model, settings, words, mode, to, at, cut }) => {
      const ids = history.map(({ id }) => id);
      const name = (index: number): string => ids[index % ids.length] ?? "";
      const session = memorySession("any", { settings });
      const call = (messages: readonly Message[], now: number, more: Partial<PrepareInput> = {}): Prepared =>
        prepare({ session, model, messages, ids: ids.slice(0, messages.length), now, ...more });
      const messages = history.map(({ message }) => message);
      const end = messages.findLastIndex(({ role }) => role === "user") + 1;
      if (end === 0) return;
      const sent = messages.slice(0, end);
      const first = call(sent, 1);
      const compact: CompactNow = {
        ...(to === undefined ? {} : { to }),
        ...(mode === "base" ? {} : { mode, pivot: first.items[at % first.items.length]?.id ?? "" }),
      };
      const summary = summaryFor(words, name(cut));
      const notes = { text: "# Current State\nHalf way.", lastSummarizedId: name(cut) };
      const prepared = call(sent, 2, {
        compact,
        ...(summary ? { summary } : {}),
        ...(words === "notes" ? { notes } : {}),
      });
      if (prepared.receipt.compaction) made++;
      expect(check(prepared.messages)).toEqual([]);
      if (model === APPEND_ONLY && prepared.receipt.compaction?.from !== "on-demand")
        expect(firstBrokenThinking(first.messages, prepared.messages)).toBeUndefined();
      const again = call(sent, 3);
      expect(JSON.stringify(again.messages)).toBe(JSON.stringify(prepared.messages));
      const whole = messages.length > end ? call(messages, 4) : again;
      expect(JSON.stringify(whole.messages.slice(0, again.messages.length))).toBe(
        JSON.stringify(again.messages),
      );
      expect(apply(history.slice(0, end), session.ledger.entries()).messages).toEqual(again.messages);
    }),
    { numRuns: runs },
  );
  expect(made).toBeGreaterThan(runs / 4);
});
