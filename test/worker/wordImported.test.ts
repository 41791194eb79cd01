// Imported turns in a model's words: only when asked for, up to a number of tokens, and from there on the next time.
import { describe, expect, it } from "vitest";
import { systemClock as clock } from "../../src/lib/index.ts";
import type { LanguageModel } from "../../src/models/index.ts";
import { makeJobQueue } from "../../src/worker/jobQueue.ts";
import { observingHandlers } from "../../src/worker/jobs/observe.ts";
import { makeImportedWording, type WordingProgress } from "../../src/worker/jobs/wordImported.ts";
import { until } from "../until.ts";
import { captured, keptHere } from "./kept.ts";
import { promptPayload, stopPayload, toolPayload } from "./payloads.ts";

describe("imported turns", () => {
  const kept = keptHere();
  const usage = { input: 900, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 100 };

  /** Words every turn by its first row, at 1,000 tokens. */
  function wordingModel(): { readonly model: LanguageModel; readonly asked: string[] } {
    const asked: string[] = [];
    const item = { draft: 1, rows: ["r1"], title: "in a model's words" };
    const text = JSON.stringify({ observations: [item] });
    const model: LanguageModel = {
      name: "scripted",
      dialect: "text",
      complete: async ({ messages }) => {
        asked.push(JSON.stringify(messages));
        return { ok: true, reply: { text, blocks: [], model: "scripted", usage } };
      },
    };
    return { model, asked };
  }

  const common = () => ({
    store: kept.store,
    language: () => "en" as const,
    now: clock.now,
    redact: <T>(value: T): T => value,
  });

  /** One session of three turns, observed by the rules. */
  async function importTurns(): Promise<void> {
    const began = Date.now() - 3_600_000;
    const events = [0, 1, 2].flatMap((turn) => {
      const at = began + turn * 10_000;
      const file_path = `/src/part${turn}.ts`;
      const tool_input = { file_path, old_string: "a", new_string: "b" };
      const edit = { tool_name: "Edit", tool_input, tool_response: { filePath: file_path } };
      const place = { prompt_id: `p${turn}` };
      return [
        captured(promptPayload("s", `change part ${turn}`, place), at),
        captured(toolPayload("s", turn, { ...edit, ...place }), at + 10),
        captured(stopPayload("s", { last_assistant_message: `part${turn}.ts holds b.`, ...place }), at + 20),
      ];
    });
    await kept.ingest.keep(events.map((event) => ({ ...event, lane: "import" as const })));
    const { store, log } = kept;
    const later = { ...clock, now: () => clock.now() + 60_000 };
    const handlers = observingHandlers({ ...common(), hasModel: () => true, now: later.now });
    const queue = makeJobQueue({ store, handlers, worker: "test", clock: later, log });
    queue.start();
    await until(async () => (await store.stats()).counts.jobs === 0, "the queue");
    await queue.stop();
  }

  function wording(model: LanguageModel | undefined) {
    const { log } = kept;
    const parts = { ...common(), model: () => model, redactText: (text: string) => text, clock, log };
    const job = makeImportedWording({ ...parts, worker: "test" });
    const toEnd = (tokens: number): Promise<WordingProgress> =>
      until(async () => {
        const progress = await job.answer({ tokens });
        return progress.state === "running" ? undefined : progress;
      }, "words");
    return { job, toEnd };
  }

  const worded = async (): Promise<number> =>
    (await kept.store.observations()).items.filter(({ title }) => title === "in a model's words").length;

  it("stay in the words of the rules until it is asked for, then stop at the tokens and go on behind them", async () => {
    await importTurns();
    const { model, asked } = wordingModel();
    expect([asked.length, await worded()]).toEqual([0, 0]);
    expect(await wording(model).toEnd(2_000)).toEqual({ state: "spent", turns: 2, tokens: 2_000 });
    expect([asked.length, await worded()]).toEqual([2, 2]);
    expect(await wording(model).toEnd(50_000)).toEqual({ state: "done", turns: 1, tokens: 1_000 });
    expect(asked.map((text) => /part\d\.ts/.exec(text)?.[0])).toEqual(["part0.ts", "part1.ts", "part2.ts"]);
    expect(await wording(model).toEnd(50_000)).toEqual({ state: "done", turns: 0, tokens: 0 });
    expect(await worded()).toBe(3);
  });

  it("lose nothing when the model fails, and are asked about again", async () => {
    await importTurns();
    const away = {
      ...wordingModel().model,
      complete: async () => ({ ok: false as const, error: { kind: "timeout" as const, message: "late" } }),
    };
    expect(await wording(away).toEnd(9_000)).toMatchObject({
      state: "failed",
      turns: 0,
      problem: expect.stringContaining("late"),
    });
    expect((await kept.store.observations()).items).toHaveLength(3);
    expect(await wording(wordingModel().model).toEnd(9_000)).toMatchObject({ state: "done", turns: 3 });
  });

  it("are refused without a model", async () => {
    await expect(wording(undefined).job.answer({ tokens: 1 })).rejects.toThrow("no model is configured");
  });
});
