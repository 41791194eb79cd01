// The engine, on sessions whose numbers can be computed by hand.
import { describe, expect, it } from "vitest";
import { Recording, roundModel, roundPrices } from "../../test/fixtures/replay/session.ts";
import { blocksOf, type HistoryItem, textOf } from "../messages/index.ts";
import { estimateText } from "../tokens/index.ts";
import type { Policy } from "./policies.ts";
import type { RecordedSession } from "./recorded.ts";
import { replay } from "./run.ts";

const MILLION = 1_000_000;
const text = (length: number): string => "x".repeat(length);

const everything: Policy = {
  name: "everything",
  describe: "sends all",
  kind: "baseline",
  start: () => ({ view: ({ history }) => history }),
};

/** Two requests: 1,100 tokens, then 50 more. */
const twoRequests = (minutesBetween: number): Recording =>
  new Recording().user(text(100)).answer(text(20)).wait(minutesBetween).user(text(30)).answer(text(10));

describe("the bill", () => {
  it("reads the old part from the cache and writes the new one", () => {
    const result = replay(twoRequests(1).session({ fixed: 1_000 }), everything, { ttl: "5m" });
    expect(result.dollars).toBeCloseTo((1_100 * 12 + 1_100 * 1 + 50 * 12) / MILLION, 12);
    expect(result.fixedDollars).toBeCloseTo((1_000 * 12 + 1_000 * 1) / MILLION, 12);
    expect(result).toMatchObject({
      session: "session",
      policy: "everything",
      model: "round-model",
      requests: 2,
      promptTokens: 1_100 + 1_150,
      cacheRead: 1_100,
      cacheWritten: 1_100 + 50,
      recalls: 0,
      compactions: 0,
      largestPrompt: 1_150,
      retention: 1,
    });
  });

  it.each([
    ["5m", 6, (1_100 + 1_150) * 12],
    ["1h", 6, 1_100 * 20 + 1_100 * 1 + 50 * 20],
    ["1h", 61, (1_100 + 1_150) * 20],
  ] as const)("of a %s cache after %i minutes", (ttl, minutes, expected) => {
    const { dollars } = replay(twoRequests(minutes).session({ fixed: 1_000 }), everything, { ttl });
    expect(dollars).toBeCloseTo(expected / MILLION, 12);
  });

  it("charges a prompt above a price step the higher price for all of it", () => {
    const dear = { ...roundPrices, above: 1_120, cacheRead: 2, cacheWrite5m: 24 };
    const model = { ...roundModel, prices: [roundPrices, dear] };
    const { dollars } = replay(twoRequests(1).session({ fixed: 1_000, model }), everything, { ttl: "5m" });
    expect(dollars).toBeCloseTo((1_100 * 12 + 1_100 * 2 + 50 * 24) / MILLION, 12);
  });

  it("has no cache for prompts below the least cacheable size", () => {
    const model = { ...roundModel, minCacheable: 2_000 };
    const result = replay(twoRequests(1).session({ fixed: 1_000, model }), everything, { ttl: "5m" });
    expect(result).toMatchObject({ cacheRead: 0, cacheWritten: 0 });
    expect(result.dollars).toBeCloseTo(((1_100 + 1_150) * 10) / MILLION, 12);
  });
});

describe("a compaction", () => {
  const RESERVED = 33_000;
  const summary = "s".repeat(50);
  const upTo = (size: number): RecordedSession =>
    new Recording()
      .user(text(600))
      .answer(text(10))
      .user(text(size - 610))
      .answer("done")
      .session({ window: RESERVED + 1_000, summaries: [summary] });

  it("comes when the prompt passes the threshold and not before", () => {
    expect(replay(upTo(1_000), everything, { ttl: "5m" }).compactions).toBe(0);
    expect(replay(upTo(1_001), everything, { ttl: "5m" }).compactions).toBe(1);
  });

  it("pays for the summary call and goes on from the summary and the newest message", () => {
    const summaryPrompt = 3_200;
    const result = replay(upTo(1_001), everything, { ttl: "5m" });
    expect(result).toMatchObject({
      promptTokens: 600 + (1_001 + summaryPrompt) + 50 + 391,
      cacheRead: 600,
      largestPrompt: 1_001 + summaryPrompt,
    });
    const written = 600 + (401 + summaryPrompt) + 50 + 391;
    const output = estimateText(summary, "old");
    expect(result.dollars).toBeCloseTo((written * 12 + 600 + output * 50) / MILLION, 12);
  });

  it("rests after a compaction that was in vain, until the prompt has grown by a tenth of the window", () => {
    const window = RESERVED + 1_000;
    const steps = (size: number): number => {
      const recording = new Recording().user("go").answer("well");
      for (let at = 0; at < 10; at++) recording.user(text(size)).answer("ok");
      return replay(recording.session({ fixed: 1_100, window, summaries: [] }), everything, { ttl: "5m" })
        .compactions;
    };
    expect(steps(10)).toBe(1);
    // Two messages are more than a tenth: the first compaction, and one for every other message.
    expect(steps(1_800)).toBe(6);
  });

  it("survives a call without an input and a file without a text", () => {
    const session = new Recording()
      .user(text(600))
      .tool("Read", null, "")
      .tool("Read", { file_path: "/empty" }, "")
      .user(text(500))
      .answer("done")
      .session({ window: RESERVED + 1_000 });
    expect(replay(session, everything, { ttl: "5m" }).compactions).toBe(1);
  });

  it("makes the baseline pay for what its summary lost, and not for the files it read again", () => {
    const session = (file: string): RecordedSession =>
      new Recording()
        .user(`look at rememberThisName ${text(400)}`)
        .tool("Read", { file_path: "/a" }, `${file} ${text(400)}`)
        .answer(text(450))
        .user("and now")
        .answer("well")
        .user("go on")
        .tool("Bash", { command: "grep rememberThisName attachedFileName" }, "found")
        .answer("done")
        .session({ window: RESERVED + 1_000, summaries: [summary], attached: [200] });
    expect(replay(session("attachedFileName"), everything, { ttl: "5m" })).toMatchObject({
      compactions: 1,
      recalls: 1,
      retention: 1 / 2,
    });
  });
});

/** Hides the result of the first call. */
const forgetful: Policy = {
  name: "forgetful",
  describe: "hides one result",
  kind: "rule of thumb",
  start: () => ({
    view: ({ history }) =>
      history.map(
        (item): HistoryItem =>
          item.id === "m2"
            ? {
                ...item,
                message: {
                  role: "user",
                  content: [{ type: "tool_result", tool_use_id: "call-1", content: "gone" }],
                },
              }
            : item,
      ),
  }),
};

describe("a recall", () => {
  const file = ["const rememberThisName = 1;", "  return total + 1;", "const anotherLongName = 2;"].join(
    "\n",
  );
  const reading = (): Recording => new Recording().user("go").tool("Read", { file_path: "/a" }, file);

  it("costs a whole request, the call and the recalled lines, which stay in the window", () => {
    const session = reading()
      .tool("Bash", { command: "grep rememberThisName" }, "ok")
      .answer("done")
      .session();
    const slice = file.length;
    const result = replay(session, forgetful, { ttl: "5m" });
    const prompts = [2, 16, 26 + slice, 26 + slice + 12];
    expect(result).toMatchObject({
      recalls: 1,
      retention: 0,
      promptTokens: prompts.reduce((sum, size) => sum + size, 0),
      cacheRead: 2 + 16 + (26 + slice),
      cacheWritten: 2 + 14 + (10 + slice) + 12,
    });
    const dollars = result.cacheWritten * 12 + result.cacheRead * 1 + 90 * 50;
    expect(result.dollars).toBeCloseTo(dollars / MILLION, 12);
  });

  it("is charged for a line that an edit expects", () => {
    const session = reading()
      .tool("Edit", { old_string: "  return total + 1;" }, "ok")
      .answer("done")
      .session();
    expect(replay(session, forgetful, { ttl: "5m" })).toMatchObject({ recalls: 1, retention: 0 });
  });

  it("is not charged again for what an earlier one brought along", () => {
    const session = reading()
      .tool("Bash", { command: "grep rememberThisName" }, "ok")
      .tool("Bash", { command: "grep anotherLongName" }, "ok")
      .answer("done")
      .session();
    expect(replay(session, forgetful, { ttl: "5m" })).toMatchObject({ recalls: 1, retention: 1 / 2 });
  });

  it("is not charged for what is in view, nor for what was never known", () => {
    const session = reading()
      .tool("Bash", { command: "grep rememberThisName" }, "ok")
      .tool("Bash", { command: "grep neverSeenBefore" }, "ok")
      .answer("done")
      .session();
    expect(replay(session, everything, { ttl: "5m" })).toMatchObject({ recalls: 0, retention: 1 });
  });
});

/** Cuts every result to its first ten characters when it is first sent. */
const cutting: Policy = {
  name: "cutting",
  describe: "cuts results",
  kind: "rule of thumb",
  start() {
    const cut = new Map<string, string>();
    let fresh: { toolUseId: string; text: string }[] = [];
    return {
      cuts: () => fresh,
      view({ history }) {
        fresh = [];
        return history.map((item): HistoryItem => {
          const [block] = blocksOf(item.message);
          if (block?.type !== "tool_result" || item.id.startsWith("look-")) return item;
          const [toolUseId, text] = [String(block.tool_use_id), textOf(block.content)];
          if (!cut.has(toolUseId)) fresh.push({ toolUseId, text });
          cut.set(toolUseId, text.slice(0, 10));
          return { ...item, message: { role: "user", content: [{ ...block, content: cut.get(toolUseId) }] } };
        });
      },
    };
  },
};

describe("a look at what was cut", () => {
  const session = (calls: number): RecordedSession => {
    const recording = new Recording().user("go");
    for (let at = 0; at < calls; at++) recording.tool("Read", { file_path: "/a" }, text(500));
    return recording.answer("done").session();
  };

  it("costs one more request with 90 tokens of output, and the whole text stays", () => {
    const { lookedAt } = replay(session(1), cutting, { ttl: "5m" });
    // 2, then 10 for the call and 10 of its result; the look adds a call and the 500 characters.
    expect(lookedAt.never).toMatchObject({ cuts: 1, looks: 0, promptTokens: 2 + 22 });
    expect(lookedAt.always).toMatchObject({ cuts: 1, looks: 1, promptTokens: 2 + 22 + (22 + 510) });
    const extra = (22 * 1 + 510 * 12 + 90 * 50) / MILLION;
    expect(lookedAt.always.dollars - lookedAt.never.dollars).toBeCloseTo(extra, 12);
  });

  it("is in the window of every later request", () => {
    const { lookedAt } = replay(session(3), cutting, { ttl: "5m" });
    expect(lookedAt.never.promptTokens).toBe(2 + 22 + 42 + 62);
    expect(lookedAt.always.largestPrompt).toBe(62 + 3 * 510);
  });

  it("comes never, with every second cut beginning with the first, or always; half is what is meant otherwise", () => {
    const { lookedAt, ...numbers } = replay(session(5), cutting, { ttl: "5m" });
    expect([lookedAt.never.looks, lookedAt.half.looks, lookedAt.always.looks]).toEqual([0, 3, 5]);
    expect(numbers).toMatchObject(lookedAt.half);
  });

  it("changes nothing for a rule that cuts nothing", () => {
    const { lookedAt } = replay(session(5), everything, { ttl: "5m" });
    expect(lookedAt.never).toEqual(lookedAt.always);
    expect(lookedAt.half.cuts).toBe(0);
  });
});

describe("the whole bill", () => {
  it("counts recorded responses by their tokens, subagents, and the tools that a policy adds", () => {
    const session = { ...twoRequests(1).session({ fixed: 1_000 }), subagentDollars: 7 };
    const policy: Policy = {
      ...everything,
      start: () => ({ view: ({ history }) => history, ownToolTokens: 400 }),
    };
    const result = replay(session, policy, { ttl: "5m" });
    expect(result.responseDollars).toBeCloseTo((30 * 50) / MILLION, 12);
    expect(result.subagentDollars).toBe(7);
    expect(result.ownToolDollars).toBeCloseTo((400 * 12 + 400 * 1) / MILLION, 12);
  });
});
