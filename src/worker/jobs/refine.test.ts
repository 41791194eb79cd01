// A model that is away delays what it was to write: longer each time, for all at once, and never for ever.
import { describe, expect, it } from "vitest";
import type { LanguageModel, ModelError, ModelOutcome } from "../../models/index.ts";
import type { Job, Observation, RedactedEvent } from "../../store/index.ts";
import type { JobResult } from "../jobQueue.ts";
import { Postponed } from "../jobRetry.ts";
import { refiningHandlers } from "./refine.ts";

const START = Date.parse("2026-11-16T09:00:00.000Z");
const call: RedactedEvent = {
  v: 1,
  id: "ev_1",
  kind: "tool",
  at: new Date(START).toISOString(),
  session: "s",
  lane: "hooks",
  writer: "test",
  payload: { tool_name: "Edit", tool_input: { file_path: "/a.ts", old_string: "1", new_string: "2" } },
  project: "p",
  promptNumber: 1,
};
const restoring: RedactedEvent = {
  ...call,
  id: "ev_2",
  payload: { tool_name: "Bash", tool_input: { command: "git restore /a.ts" }, tool_response: {} },
};
const job: Job = {
  id: 1,
  kind: "refine",
  key: "ev_1",
  state: "leased",
  payload: { events: ["ev_1"], fresh: ["ev_1"] },
  attempts: 1,
  notBefore: 0,
  createdAtEpoch: START,
};

function bench(
  model: LanguageModel | undefined,
  events: readonly RedactedEvent[] = [call],
  rows: readonly Partial<Observation>[] = [],
) {
  const clock = { time: START, now: () => clock.time };
  const handler = refiningHandlers({
    store: {
      eventsById: async () => [...events],
      session: async () => undefined,
      observations: async () => ({ items: rows as Observation[] }),
    },
    model: () => model,
    redact: (text) => text,
    language: () => "en",
    clock,
    log: { info: () => undefined, warn: () => undefined },
  }).get("refine");
  const run = async (asked = job): Promise<JobResult | number | undefined> => {
    try {
      return await handler?.(asked, { signal: new AbortController().signal, join: async () => [] });
    } catch (error) {
      if (error instanceof Postponed) return error.waitMs;
      throw error;
    }
  };
  return { clock, run };
}

function failing(error: ModelError) {
  let asked = 0;
  const model: LanguageModel = {
    name: "away",
    dialect: "text",
    complete: async (): Promise<ModelOutcome> => {
      asked += 1;
      return { ok: false, error };
    },
  };
  return { model, asked: () => asked };
}

describe("refining", () => {
  it("waits longer each time while there is no program, and asks for none meanwhile", async () => {
    const { model, asked } = failing({ kind: "unavailable", message: "claude: not found" });
    const { clock, run } = bench(model);
    const waits: unknown[] = [];
    for (let round = 0; round < 9; round++) {
      const wait = await run();
      waits.push(wait);
      // Another job comes in between: it waits as well, and the model is not asked.
      clock.time += 1_000;
      expect(await run()).toBe(Number(wait) - 1_000);
      clock.time += Number(wait) - 1_000;
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300].map((seconds) => seconds * 1_000));
    expect(asked()).toBe(9);
  });

  it("waits as long as a server asks, and for a new budget until the next UTC day", async () => {
    const limited = bench(failing({ kind: "rate-limited", message: "429", retryAfter: 7_000 }).model);
    expect(await limited.run()).toBe(7_000);
    const spent = bench(failing({ kind: "over-budget", message: "spent" }).model);
    expect(await spent.run()).toBe(15 * 3_600_000 + 1_000);
  });

  it("is over where nothing is left to write, or no model to write it", async () => {
    expect(await bench(undefined).run()).toEqual({});
    expect(await bench(failing({ kind: "timeout", message: "" }).model, []).run()).toEqual({});
  });

  it("leaves what the rules made when the model refuses", async () => {
    expect(await bench(failing({ kind: "refused", message: "no" }).model).run()).toEqual({});
  });

  it.each<[string, readonly Partial<Observation>[], readonly RedactedEvent[], string]>([
    ["no mark where none is", [], [call], "One is two"],
    ["the mark of a later turn", [{ uid: "ob_1", concepts: ["undone"] }], [call], "Undone: One is two"],
    ["the mark of its own turn", [], [call, restoring], "Undone: One is two"],
  ])("keeps %s", async (_, rows, events, title) => {
    const said = { draft: 1, rows: ["r1"], title: "One is two", concepts: ["two"] };
    const model: LanguageModel = {
      name: "good",
      dialect: "text",
      complete: async (): Promise<ModelOutcome> => ({
        ok: true,
        reply: { text: JSON.stringify({ observations: [said] }), blocks: [], model: "good" },
      }),
    };
    const payload = { events: events.map(({ id }) => id), fresh: events.map(({ id }) => id) };
    const result = await bench(model, events, rows).run({ ...job, payload });
    const concepts = title.startsWith("Undone") ? ["undone", "two"] : ["two"];
    expect(result).toMatchObject({ revisions: { observations: [{ uid: "ob_1", title, concepts }] } });
  });
});
