// A long conversation is compacted where a turn begins with a cold cache, and nowhere else for the price alone.
import { describe, expect, it } from "vitest";
import { APPEND_ONLY, KEEP_ALL, LEGACY } from "../../../test/fixtures/pipeline/client.ts";
import { asked, onlyCompaction, rounds } from "../../../test/fixtures/pipeline/filling.ts";
import { MINUTE } from "../../lib/index.ts";
import { check, type Message } from "../../messages/index.ts";
import type { LanguageModel } from "../../models/index.ts";
import { estimateTokens, lookupModel } from "../../tokens/index.ts";
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
} from "../index.ts";

const next: Message = { role: "user", content: "And now the tests." };
const done: Message = { role: "assistant", content: [{ type: "text", text: "All files are done." }] };
/** About 50,000 tokens, and a turn that begins. */
const long = [asked, ...rounds(50), done, next];
const inTheMiddle = [asked, ...rounds(50)];

const cold = onlyCompaction(thriftySettings);

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
    "brings a long conversation down to 20,000 tokens, valid for %s",
    (model) => {
      const { messages, receipt } = sentAfter({ model });
      expect(receipt.compaction?.from).toBe("messages");
      expect(receipt.edits.find(({ level }) => level === "autocompact")?.why).toMatch(
        /^the cache is cold anyway, and the conversation has \d+ tokens$/,
      );
      expect(estimateTokens(messages, { model: lookupModel(model) })).toBeLessThanOrEqual(20_000);
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
    ["where it is switched off", { settings: onlyCompaction(settingsFor("thrifty", { whenCold: false })) }],
    [
      "where compaction is switched off",
      { settings: onlyCompaction(settingsFor("thrifty", { enabled: false })) },
    ],
    ["while collapse is on", { settings: withCollapse(cold, { enabled: true }) }],
  ])("%s", (_when, moment) => {
    expect(isCompacted(moment)).toBe(false);
  });
});
