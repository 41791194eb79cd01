// What a model costs: input tokens for each observed call, at ten, a hundred and a thousand of them, in turns of any length.
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Clock, type JsonObject, MINUTE, systemClock } from "../../src/lib/index.ts";
import { createModel, type LanguageModel } from "../../src/models/index.ts";
import { redactText, redactValue } from "../../src/redact/index.ts";
import { estimateTokens } from "../../src/tokens/index.ts";
import { makeJobQueue } from "../../src/worker/jobQueue.ts";
import { observingHandlers } from "../../src/worker/jobs/observe.ts";
import { refiningHandlers } from "../../src/worker/jobs/refine.ts";
import {
  type ApiRequest,
  anything,
  on,
  type ScriptedApi,
  say,
  startScriptedApi,
} from "../scripted-api/index.ts";
import { until } from "../until.ts";
import { captured, keptHere } from "./kept.ts";
import { promptPayload, stopPayload, toolPayload } from "./payloads.ts";

const MOST = 1_000;
/** A minute ahead: jobs that let a turn settle first are due at once. */
const clock: Clock = { ...systemClock, now: () => systemClock.now() + MINUTE };
const better = JSON.stringify({ observations: [{ draft: 1, rows: ["r1"], title: "In a model's words" }] });

/** About 2 KB, different each time. */
const output = (at: number): string =>
  Array.from(
    { length: 24 },
    (_, line) =>
      `src/part-${at}/file-${line}.ts:${line}: expected ${at * line} to be ${at}, but it was not so`,
  ).join("\n");

describe("a model is shown", () => {
  const kept = keptHere();
  let api: ScriptedApi;

  beforeEach(async () => {
    api = await startScriptedApi({
      scenario: [on(anything, ...Array.from({ length: 2_000 }, () => say(better)))],
    });
  });
  afterEach(() => api.close());

  const model = (): LanguageModel =>
    createModel(
      {
        provider: "anthropic",
        model: "claude-haiku-4-5",
        baseUrl: api.url,
        apiKeyEnv: "KEY",
        command: "",
        timeoutSeconds: 20,
        totalSeconds: 20,
        retries: 0,
        dailyTokens: 0,
      },
      {
        env: { KEY: "key-for-tests" },
        spending: `${kept.folder}/spending`,
        cost: () => undefined,
        estimate: () => 1,
      },
    );

  const tokensOf = ({ body, system }: ApiRequest): number =>
    estimateTokens(body.messages as never, {
      model: { tokenizer: "new", thinking: "keep-all-thinking" },
      system,
    });

  async function spend(turns: number, calls: number): Promise<{ each: number; most: number }> {
    const began = Date.now() - 3_600_000;
    const events = Array.from({ length: turns }, (_, turn) => {
      const session = `session-${turn}`;
      const at = began + turn * 10_000;
      const call = (index: number): JsonObject => {
        const said = output(turn * calls + index);
        const file_path = `/app/part-${turn}-${index}.ts`;
        return index % 2 === 0
          ? toolPayload(session, index, { tool_response: { stdout: said, stderr: "", interrupted: false } })
          : toolPayload(session, index, {
              tool_name: "Edit",
              tool_input: { file_path, old_string: "a", new_string: said },
              tool_response: { filePath: file_path, oldString: "a", newString: said },
            });
      };
      return [
        captured(
          promptPayload(session, `make part ${turn} work, please, and say what was wrong with it`),
          at,
        ),
        ...Array.from({ length: calls }, (_, index) => captured(call(index), at + 10 + index)),
        captured(stopPayload(session, { last_assistant_message: output(turn).slice(0, 1_500) }), at + 9_000),
      ];
    }).flat();
    await kept.ingest.keep(events);
    await work();
    const sizes = api.requests.map(tokensOf);
    return { each: sizes.reduce((sum, size) => sum + size, 0) / (turns * calls), most: Math.max(...sizes) };
  }

  /** Everything that is in the queue, to its end. */
  async function work(): Promise<void> {
    const { store, log } = kept;
    const shared = { store, language: () => "en" as const };
    const handlers = new Map([
      ...observingHandlers({
        ...shared,
        redact: (value) => redactValue(value).value,
        hasModel: () => true,
        now: clock.now,
      }),
      ...refiningHandlers({
        ...shared,
        model,
        redact: (text) => redactText(text).text,
        clock,
        log,
      }),
    ]);
    const queue = makeJobQueue({ store, handlers, worker: "test", clock, log });
    queue.start();
    await until(async () => {
      await sleep(50);
      return (await store.stats()).counts.jobs === 0 ? true : undefined;
    }, "the queue");
    await queue.stop();
  }

  it.each([
    [10, 1, 10],
    [100, 10, 10],
    [40, 40, 1],
    [1_000, 50, 20],
    [1_000, 1, 1_000],
  ])("at most 1,000 tokens a call: %i calls in %i turns of %i", async (all, turns, calls) => {
    const { each, most } = await spend(turns, calls);
    console.log(
      `${all} calls, ${calls} a turn: ${Math.round(each)} input tokens a call, ${api.requests.length} requests, at most ${most} in one`,
    );
    expect(each).toBeLessThanOrEqual(MOST);
    expect(await kept.store.deadJobs()).toEqual([]);
    expect((await kept.store.observations({ limit: 500 })).items.map(({ title }) => title)).toContain(
      "In a model's words",
    );
  });
});
