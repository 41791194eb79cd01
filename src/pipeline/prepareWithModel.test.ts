// Compaction with a model at hand: real provider code against a scripted API, well behaved and not.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { firstBrokenThinking } from "../../test/brokenThinking.ts";
import { answerText, summaryText } from "../../test/fixtures/compact/conversation.ts";
import { modelFor } from "../../test/fixtures/models/asking.ts";
import { APPEND_ONLY, KEEP_ALL, LEGACY } from "../../test/fixtures/pipeline/client.ts";
import { asked, fillingSession, RESERVED, rounds } from "../../test/fixtures/pipeline/filling.ts";
import {
  anything,
  compacted,
  on,
  overloaded,
  promptTooLong,
  type Reply,
  type ScriptedApi,
  say,
  startScriptedApi,
  tool,
  use,
} from "../../test/scripted-api/index.ts";
import { parseNotes, renderNotes, summaryPrompt } from "../compact/index.ts";
import { SUMMARIZER_SYSTEM } from "../compact/prompts.ts";
import { check, type Message, textOf } from "../messages/index.ts";
import { estimateTokens, lookupModel } from "../tokens/index.ts";
import {
  type Prepared,
  type PrepareInput,
  prepareWithModel,
  type Session,
  type Summariser,
  seedSettings,
} from "./index.ts";

const ROOM = 20_000;
const WINDOW = ROOM + RESERVED;
const good = answerText(summaryText("the refresh branch is half written"));

let api: ScriptedApi;
beforeEach(async () => {
  api = await startScriptedApi({ strict: true });
});
afterEach(() => api.close());

function summariser(more: Partial<Summariser> = {}, timeoutSeconds = 60): Summariser {
  const model = modelFor({ provider: "anthropic", baseUrl: api.url, timeoutSeconds, retries: 0 });
  return { model, redact: (text) => text, ...more };
}

const always = (reply: Reply): void => api.play([on(anything, ...Array.from({ length: 50 }, () => reply))]);
const compactionsIn = ({ receipt }: Prepared): number =>
  receipt.edits.filter(({ edit }) => edit.kind === "replace-prefix").length;
const tokensOf = (messages: readonly Message[], model: string): number =>
  estimateTokens(messages, { model: lookupModel(model) });

function request(session: Session, model: string, more: Partial<PrepareInput> = {}): PrepareInput {
  return { session, model, messages: [asked, ...rounds(30)], now: 1, ...more };
}

describe("a summary from the session's model", () => {
  it("is asked for under seed with the system sentence and thinking off, in every regime", async () => {
    for (const model of [APPEND_ONLY, KEEP_ALL, LEGACY]) {
      always(say(good));
      const before = api.requests.length;
      const session = fillingSession(ROOM, seedSettings);
      const main = { thinking: { type: "adaptive" } };
      const { receipt } = await prepareWithModel(request(session, model), summariser({ main }));
      const asking = api.requests.slice(before).map(({ body }) => body);
      const summary = asking.find((body) => typeof body.system === "string" || Array.isArray(body.system));
      expect(JSON.stringify(summary?.system)).toContain(SUMMARIZER_SYSTEM);
      expect([undefined, '{"type":"disabled"}']).toContain(JSON.stringify(summary?.thinking));
      expect(JSON.stringify(summary?.messages)).not.toContain('"thinking"');
      expect(receipt.compaction?.from).toBe("model");
    }
  });

  it.each([KEEP_ALL, LEGACY])(
    "takes the place of the earlier messages, and the newest stay: %s",
    async (model) => {
      always(say(good));
      const { messages, receipt } = await prepareWithModel(
        request(fillingSession(ROOM), model),
        summariser(),
      );
      expect(receipt.compaction).toMatchObject({ from: "model", refused: [] });
      expect(receipt.edits.at(-1)?.edit).toMatchObject({ kind: "replace-prefix", words: "model" });
      expect(textOf(messages[0]?.content)).toContain("the refresh branch is half written");
      expect(textOf(messages[0]?.content)).toMatch(/recall tl:[0-9a-f]+/);
      expect(JSON.stringify(messages)).toContain("computeInvoiceTotals30_1");
      expect(check(messages)).toEqual([]);
      expect(api.requests).toHaveLength(1);
    },
  );

  it("replaces everything under seed, behind the boundary", async () => {
    always(say(good));
    const session = fillingSession(ROOM, seedSettings);
    const { messages, receipt } = await prepareWithModel(request(session, KEEP_ALL), summariser());
    expect(receipt.compaction).toMatchObject({ from: "model", kept: 0 });
    expect(messages[0]).toEqual({ role: "user", content: "<compact boundary>" });
    expect(textOf(messages[1]?.content)).toMatch(/^This session is being continued/);
    expect(messages.some(({ role }) => role === "assistant")).toBe(false);
  });

  it("is not asked for under seed where notes have the words", async () => {
    always(say(good));
    const messages = [asked, ...rounds(30)];
    const ids = messages.map((_, at) => `u${at}`);
    const text = renderNotes({
      ...parseNotes(""),
      "Current State": "Never touch the schema. Rename computeInvoiceTotals everywhere.",
    });
    const { receipt } = await prepareWithModel(
      request(fillingSession(ROOM, seedSettings), KEEP_ALL, {
        ...{ messages, ids, notes: { text, lastSummarizedId: "u50" } },
      }),
      summariser(),
    );
    expect(receipt.compaction).toMatchObject({ from: "notes", refused: [] });
    expect(api.requests).toEqual([]);
  });

  it("is not asked for below the threshold, nor for a summary call, nor in a dry run", async () => {
    const session = fillingSession(ROOM);
    await prepareWithModel({ ...request(session, KEEP_ALL), messages: [asked, ...rounds(2)] }, summariser());
    const dry = await prepareWithModel(request(session, KEEP_ALL, { dryRun: true }), summariser());
    const own = await prepareWithModel(request(session, KEEP_ALL, { source: "compact" }), summariser());
    expect(dry.receipt.compaction?.from).toBe("messages");
    expect(own.receipt.edits).toEqual([]);
    expect(own.messages).toHaveLength(61);
    expect(api.requests).toEqual([]);
    expect(session.ledger.entries()).toEqual([]);
  });

  it("is made of the originals when the window begins with a summary already", async () => {
    api.play([on(anything, say(good), say(answerText(summaryText("told anew"))))]);
    const session = fillingSession(ROOM);
    await prepareWithModel(request(session, KEEP_ALL), summariser());
    const messages = [asked, ...rounds(60)];
    const { receipt } = await prepareWithModel(
      request(session, KEEP_ALL, { messages, now: 2 }),
      summariser(),
    );
    expect(receipt.compaction?.from).toBe("model");
    const material = JSON.stringify(api.requests[1]?.body.messages);
    expect(material).toContain("computeInvoiceTotals1_1");
    expect(material).not.toContain("the refresh branch is half written");
  });

  it("is completed with what it forgot to tell", async () => {
    always(say(answerText(summaryText("nothing of note"))));
    const { messages, receipt } = await prepareWithModel(
      request(fillingSession(ROOM), KEEP_ALL),
      summariser(),
    );
    expect(receipt.compaction?.from).toBe("model");
    expect(textOf(messages[0]?.content)).toContain("Rename computeInvoiceTotals everywhere");
  });

  it("hides secrets from a model that only reads text", async () => {
    const seen: string[] = [];
    const reader: Summariser["model"] = {
      name: "reader",
      dialect: "text",
      complete: (sent) => {
        seen.push(JSON.stringify(sent.messages));
        return Promise.resolve({
          ok: true,
          reply: { text: good, blocks: [{ type: "text", text: good }], model: "reader" },
        });
      },
    };
    const redact = (text: string): string => text.replaceAll("Invoice", "*******");
    await prepareWithModel(request(fillingSession(ROOM), KEEP_ALL), { model: reader, redact });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toContain("compute*******Totals1_1");
    expect(seen[0]).not.toContain("Invoice");
  });
});

describe("a model that throws", () => {
  it.each([APPEND_ONLY, KEEP_ALL])("counts as one that failed: %s", async (model) => {
    const broken = {
      name: "broken",
      dialect: "messages" as const,
      complete: () => {
        throw new Error("no such host");
      },
    };
    const { receipt } = await prepareWithModel(
      request(fillingSession(ROOM), model),
      summariser({ model: broken }),
    );
    expect(receipt.compaction?.from).toBe("messages");
    expect(receipt.compaction?.refused.at(-1)).toEqual({ from: "model", why: "broken failed: no such host" });
  });
});

describe("compaction by the API", () => {
  it("is preferred where the model has it, keeps thinking valid and carries its header from then on", async () => {
    api.play([on(anything, compacted("All of it, in short."))]);
    const session = fillingSession(ROOM);
    const before = { ...request(session, APPEND_ONLY), messages: [asked, ...rounds(5)] };
    const first = await prepareWithModel(before, summariser());
    const { messages, params, receipt } = await prepareWithModel(
      request(session, APPEND_ONLY, { now: 2 }),
      summariser(),
    );
    expect(receipt.compaction).toMatchObject({ from: "on-demand", refused: [] });
    expect(messages[0]).toMatchObject({ role: "assistant", content: [{ type: "compaction" }] });
    expect(JSON.stringify(messages)).toContain("thought t30");
    expect(params.betas).toContain("compact-2026-09-04");
    expect(check(messages)).toEqual([]);
    const sent = api.requests[0]?.messages ?? [];
    expect(JSON.stringify(sent.slice(0, first.messages.length))).toBe(JSON.stringify(first.messages));
    expect(textOf(messages.at(-1)?.content) + textOf(messages.at(-2)?.content)).toMatch(/recall tl:/);
    const later = await prepareWithModel(
      request(session, APPEND_ONLY, { now: 3, messages: [asked, ...rounds(31)] }),
      summariser(),
    );
    expect(JSON.stringify(later.messages.slice(0, messages.length))).toBe(JSON.stringify(messages));
    expect(firstBrokenThinking(messages, later.messages)).toBeUndefined();
    expect(api.requests).toHaveLength(1);
  });

  it("is asked of a part that ends with the user, wherever the newest messages begin", async () => {
    const talk = (turns: number): Message[] =>
      Array.from({ length: turns }, (_, at): Message[] => [
        { role: "user", content: `${"And then? ".repeat(at % 3)}Question ${at}.` },
        { role: "assistant", content: `Answer ${at}. ${"It is so because it is so. ".repeat(60)}` },
      ]).flat();
    always(compacted("All of it, in short."));
    for (let turns = 60; turns < 66; turns++) {
      const messages: Message[] = [...talk(turns), { role: "user", content: "Go on." }];
      const input = request(fillingSession(ROOM), APPEND_ONLY, { messages });
      const prepared = await prepareWithModel(input, summariser());
      expect(prepared.receipt.compaction?.from).toBe("on-demand");
      expect(check(prepared.messages)).toEqual([]);
    }
    expect(new Set(api.requests.map(({ messages }) => messages.at(-1)?.role))).toEqual(new Set(["user"]));
  });

  it("is followed by the nine sections when there is no block, and then all thinking goes", async () => {
    api.play([on(anything, say("no block"), say(good))]);
    const { messages, receipt } = await prepareWithModel(
      request(fillingSession(ROOM), APPEND_ONLY),
      summariser(),
    );
    expect(receipt.compaction).toMatchObject({ from: "model", refused: [{ from: "on-demand" }] });
    expect(JSON.stringify(messages)).not.toContain("thought t");
    expect(api.requests).toHaveLength(2);
  });

  it("gives what was thought in the kept messages to the vault", async () => {
    always(overloaded());
    const session = fillingSession(ROOM);
    const { receipt } = await prepareWithModel(request(session, APPEND_ONLY), summariser());
    expect(receipt.compaction?.from).toBe("messages");
    const handles = receipt.edits.at(-1)?.handles ?? [];
    const kept = handles.map((handle) => Buffer.from(session.vault.read(handle)).toString()).join("\n");
    expect(kept).toContain("thought t30");
    expect(kept).toContain("s-t30");
  });
});

/** Summarisers that would keep a careless client busy for ever. */
const bad: Readonly<Record<string, Reply>> = {
  "that inflates": say(answerText(summaryText("word ".repeat(2_000)))),
  "that calls tools": use(tool("Read", { file_path: "/src/f1.ts" })),
  "that returns its own instructions": say(answerText(summaryText(summaryPrompt({ mode: "base" })))),
  "that returns nothing": say("<analysis>hm</analysis>\n<summary>\n</summary>"),
  "that never answers": say("late", { before: () => new Promise(() => undefined) }),
  "that finds every prompt too long": promptTooLong(300_000, 200_000),
};

describe.each(Object.entries(bad))("a summariser %s", (name, reply) => {
  const patience = name === "that never answers" ? 1 : 60;

  it.each([KEEP_ALL, APPEND_ONLY])(
    "costs at most three failures and no request over the window: %s",
    async (model) => {
      always(reply);
      const session = fillingSession(ROOM);
      let compactions = 0;
      let asking = 0;
      for (let step = 0; step < 6; step++) {
        const messages = [asked, ...rounds(30 + step)];
        const before = api.requests.length;
        const prepared = await prepareWithModel(
          request(session, model, { messages, now: step }),
          summariser({}, patience),
        );
        if (api.requests.length > before) asking++;
        compactions += compactionsIn(prepared);
        expect(tokensOf(prepared.messages, model)).toBeLessThanOrEqual(WINDOW - 20_000);
        expect(check(prepared.messages)).toEqual([]);
        if (prepared.receipt.compaction) expect(prepared.receipt.compaction.from).toBe("messages");
      }
      expect(compactions).toBeGreaterThanOrEqual(1);
      expect(compactions).toBeLessThanOrEqual(2);
      expect(asking).toBeLessThanOrEqual(compactions);
    },
  );
});

describe("fixed blocks that refill the window", () => {
  it("are counted first: two compactions at the most, then it is said that nothing can be done", async () => {
    always(say(good));
    const session = fillingSession(ROOM);
    const overheads = [0, 4_000, 8_000, 10_000, 12_000, 14_000];
    let compactions = 0;
    for (const [step, overhead] of overheads.entries()) {
      const prepared = await prepareWithModel(
        request(session, KEEP_ALL, { overhead, now: step }),
        summariser(),
      );
      compactions += compactionsIn(prepared);
      expect(tokensOf(prepared.messages, KEEP_ALL) + overhead).toBeLessThanOrEqual(WINDOW - 20_000);
    }
    expect(compactions).toBeLessThanOrEqual(2);
    const asking = api.requests.length;
    const over = prepareWithModel(request(session, KEEP_ALL, { overhead: WINDOW, now: 9 }), summariser());
    await expect(over).rejects.toMatchObject({ code: "window-too-small" });
    expect(api.requests).toHaveLength(asking);
  });
});

describe("a model that keeps failing", () => {
  const fullAt = (step: number): readonly Message[] => [asked, ...rounds(30 + step * 20)];

  it("is left alone after three failures, asked once more after a while, and trusted again when it answers", async () => {
    const session = fillingSession(ROOM);
    const askedAt = async (step: number, now: number): Promise<number> => {
      const before = api.requests.length;
      await prepareWithModel(request(session, KEEP_ALL, { messages: fullAt(step), now }), summariser());
      return api.requests.length - before;
    };
    always(overloaded());
    expect([await askedAt(0, 1), await askedAt(1, 2), await askedAt(2, 3)]).toEqual([1, 1, 1]);
    expect(session.state.load().summariser).toEqual({ failures: 3, lastAt: 3 });
    expect(await askedAt(3, 4)).toBe(0);
    expect(await askedAt(4, 600_003)).toBe(1);
    expect(await askedAt(5, 600_004)).toBe(0);
    always(say(good));
    expect(await askedAt(6, 1_200_010)).toBe(1);
    expect(session.state.load().summariser).toBeUndefined();
  });

  it("is not blamed when the caller aborted", async () => {
    always(say("late", { before: () => new Promise(() => undefined) }));
    const session = fillingSession(ROOM);
    const giveUp = new AbortController();
    const preparing = prepareWithModel(request(session, KEEP_ALL), summariser({ signal: giveUp.signal }));
    await api.seen(() => true);
    giveUp.abort();
    expect((await preparing).receipt.compaction?.from).toBe("messages");
    expect(session.state.load().summariser).toBeUndefined();
  });
});
