// A long conversation is compacted where a turn begins with a cold cache and where that repays itself, and nowhere else for the price alone.
import { describe, expect, it } from "vitest";
import {
  APPEND_ONLY,
  call,
  KEEP_ALL,
  LEGACY,
  result,
  shownOf,
} from "../../../test/fixtures/pipeline/client.ts";
import { asked, onlyCompaction, rounds } from "../../../test/fixtures/pipeline/filling.ts";
import { defined, MINUTE } from "../../lib/index.ts";
import { check, type Message } from "../../messages/index.ts";
import type { LanguageModel } from "../../models/index.ts";
import { estimateTokens, lookupModel, type ModelOverrides } from "../../tokens/index.ts";
import {
  memorySession,
  type PipelineSettings,
  type Prepared,
  prepare,
  prepareWithModel,
  type Session,
  seedSettings,
  settingsFor,
  thriftySettings,
  undo,
  withCollapse,
  withoutNewEdits,
} from "../index.ts";

const next: Message = { role: "user", content: "And now the tests." };
const done: Message = { role: "assistant", content: [{ type: "text", text: "All files are done." }] };
/** About 50,000 tokens, and a turn that begins. */
const long = [asked, ...rounds(50), done, next];
const inTheMiddle = [asked, ...rounds(50)];

const cold = onlyCompaction(settingsFor("thrifty", { whenWarm: false }));
const warm = onlyCompaction(thriftySettings);
const { coldTo } = thriftySettings.autocompact;

interface Moment {
  readonly messages?: readonly Message[];
  readonly idle?: number;
  readonly settings?: PipelineSettings;
  readonly model?: string;
  readonly session?: Session;
}

/** The request that comes so long after the one before it. */
function sentAfter({
  messages = long,
  idle = 6 * MINUTE,
  settings = cold,
  model = KEEP_ALL,
  ...given
}: Moment): Prepared {
  const session = given.session ?? memorySession("s", { settings });
  prepare({ session, messages: messages.slice(0, -2), model, now: 0 });
  return prepare({ session, messages, model, now: idle });
}

const isCompacted = (moment: Moment): boolean => sentAfter(moment).receipt.compaction !== undefined;

describe("a turn that begins with a cold cache", () => {
  it.each([APPEND_ONLY, KEEP_ALL, LEGACY])(
    "brings a long conversation down to 18,000 tokens, valid for %s",
    (model) => {
      const { messages, receipt } = sentAfter({ model });
      expect(receipt.compaction?.from).toBe("messages");
      expect(receipt.edits.find(({ level }) => level === "autocompact")?.why).toMatch(
        /^the cache is cold anyway, and the conversation has \d+ tokens$/,
      );
      expect(estimateTokens(messages, { model: lookupModel(model) })).toBeLessThanOrEqual(18_000);
      expect(check(messages)).toEqual([]);
      for (const words of ["Rename computeInvoiceTotals everywhere.", "And now the tests."])
        expect(JSON.stringify(messages)).toContain(words);
    },
  );

  it("does nothing to a short one, and grows from there until it is long again", () => {
    expect(isCompacted({ messages: [asked, ...rounds(30), done, next] })).toBe(false);
    const session = memorySession("s", { settings: cold });
    sentAfter({ session });
    const more = [...long, ...rounds(5, 51), done, next];
    const { receipt } = prepare({ session, messages: more, model: KEEP_ALL, now: 20 * MINUTE });
    expect(receipt.compaction).toBeUndefined();
  });

  it("asks no model for its words: that would cost what it saves", async () => {
    const model: LanguageModel = {
      name: "never",
      dialect: "messages",
      complete: () => Promise.reject(new Error("was asked")),
    };
    const session = memorySession("s", { settings: cold });
    prepare({ session, messages: long.slice(0, -2), model: KEEP_ALL, now: 0 });
    const { receipt } = await prepareWithModel(
      { session, messages: long, model: KEEP_ALL, now: 6 * MINUTE },
      { model, redact: (text) => text },
    );
    expect(receipt.compaction?.from).toBe("messages");
  });

  it("is not repeated once a compaction was undone", () => {
    const session = memorySession("s", { settings: cold });
    sentAfter({ session });
    const entry = session.ledger.entries().find(({ edit }) => edit.kind === "replace-prefix");
    undo(session, entry?.id ?? "", { model: KEEP_ALL });
    const { receipt } = prepare({ session, messages: long, model: KEEP_ALL, now: 60 * MINUTE });
    expect(receipt.compaction).toBeUndefined();
  });
});

describe("nothing is compacted for the price", () => {
  it.each<[string, Moment]>([
    ["while the cache is warm", { idle: 4 * MINUTE }],
    ["in the middle of a turn", { messages: inTheMiddle }],
    ["under seed", { settings: onlyCompaction(seedSettings) }],
    [
      "where it is switched off",
      { settings: onlyCompaction(settingsFor("thrifty", { whenCold: false, whenWarm: false })) },
    ],
    [
      "where compaction is switched off",
      { settings: onlyCompaction(settingsFor("thrifty", { enabled: false })) },
    ],
    ["while collapse is on", { settings: withCollapse(cold, { enabled: true }) }],
  ])("%s", (_when, moment) => {
    expect(isCompacted(moment)).toBe(false);
  });
});

describe("while the cache is warm", () => {
  /** The sizes of conversations, one round after the other, at which one was compacted. */
  const compactedAt = (settings: PipelineSettings, { models = {} as ModelOverrides } = {}): number[] => {
    const model = KEEP_ALL;
    const session = memorySession("warm", { settings, models });
    const family = { model: lookupModel(model) };
    const all = [asked, ...rounds(120)];
    const sizes: number[] = [];
    for (let end = 1; end <= all.length; end += 2) {
      const { messages, receipt } = prepare({
        ...{ session, model, messages: all.slice(0, end) },
        now: end * 1_000,
        overhead: 0,
      });
      expect(check(messages)).toEqual([]);
      if (!receipt.compaction) continue;
      sizes.push(estimateTokens(session.runtime.lastSent.messages, family) + freed(receipt));
    }
    return sizes;
  };
  const freed = ({ edits }: Prepared["receipt"]): number =>
    edits.reduce((sum, { tokens }) => sum + (tokens ? tokens.before - tokens.after : 0), 0);

  it("a turn is compacted once the reads beyond its new size have cost as much, and again and again", () => {
    const sizes = compactedAt(warm);
    expect(sizes.length).toBeGreaterThan(1);
    // At that growth: some twenty requests.
    for (const size of sizes) expect(size).toBeGreaterThan(coldTo * 1.5);
    for (const size of sizes) expect(size).toBeLessThan(coldTo * 3);
  });

  it("a turn is compacted later where reads are cheaper beside writes", () => {
    const [first = 0] = compactedAt(warm);
    const prices = lookupModel(KEEP_ALL).prices.map((price) => ({
      ...price,
      cacheRead: price.cacheRead / 2,
    }));
    const [later = 0] = compactedAt(warm, { models: { [KEEP_ALL]: { prices } } });
    expect(later).toBeGreaterThan(first);
  });

  it("leaves what the model has not seen yet, larger than what else stays of the newest messages", () => {
    const large = "line of an output that was asked for just now\n".repeat(700);
    const messages = [...inTheMiddle, call("new", "Bash"), result("new", large)];
    const { receipt, messages: sent } = sentAfter({ settings: warm, idle: MINUTE, messages });
    expect(receipt.compaction).toBeDefined();
    expect(shownOf(sent, "new")).toBe(large);
  });

  it("a turn is compacted at its beginning and in its middle", () => {
    for (const messages of [undefined, inTheMiddle])
      expect(isCompacted({ settings: warm, idle: MINUTE, ...defined({ messages }) })).toBe(true);
  });

  it("nothing is compacted where it is switched off, or under seed", () => {
    const seed = onlyCompaction(settingsFor("seed", { whenWarm: true, whenCold: true }));
    for (const settings of [cold, seed]) expect(compactedAt(settings)).toEqual([]);
  });

  it("nothing is compacted inside a turn whose thinking is bound", () => {
    const thinking: Message = {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "so", signature: "c2lnbmVk" },
        { type: "text", text: "first" },
      ],
    };
    const messages = [asked, thinking, next, ...rounds(80)];
    const session = memorySession("bound", { settings: warm });
    prepare({ session, messages: messages.slice(0, -2), model: APPEND_ONLY, now: 0 });
    const { receipt } = prepare({ session, messages, model: APPEND_ONLY, now: MINUTE });
    expect(receipt.compaction).toBeUndefined();
  });
});

describe("a session that makes no new edits", () => {
  it("sends as the ledger says, and compacts only what would not fit", () => {
    const session = memorySession("held", { settings: thriftySettings });
    prepare({ session, messages: [asked, ...rounds(20)], model: KEEP_ALL, now: 0 });
    const held = { ...session, settings: withoutNewEdits(session.settings) };
    const later = (count: number, now: number, window?: number): Prepared => {
      const models = window === undefined ? {} : { [KEEP_ALL]: { window } };
      return prepare({
        session: { ...held, models },
        messages: [asked, ...rounds(count), done, next],
        model: KEEP_ALL,
        now,
      });
    };
    expect(later(60, 10 * MINUTE).receipt.edits).toEqual([]);
    expect(later(61, 11 * MINUTE).receipt.edits).toEqual([]);
    expect(later(62, 12 * MINUTE, 60_000).receipt.compaction?.from).toBe("messages");
    const { receipt } = prepare({
      ...{ session, messages: [asked, ...rounds(63), done, next], model: KEEP_ALL },
      now: 30 * MINUTE,
    });
    expect(receipt.edits.length).toBeGreaterThan(0);
  });
});
