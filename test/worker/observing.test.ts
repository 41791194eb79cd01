// Exactly once: 200 calls by a real worker that is killed, with a model that fails in every way it can.
import { describe, expect, it } from "vitest";
import type { Observation, Store } from "../../src/store/index.ts";
import {
  anything,
  on,
  type Reply,
  rateLimited,
  refuse,
  type ScriptedApi,
  say,
  startScriptedApi,
} from "../scripted-api/index.ts";
import { builtWorker as program } from "./bundle.ts";
import { promptPayload, stopPayload, toolPayload } from "./payloads.ts";
import { ended, until, workerHome } from "./workers.ts";

const SESSIONS = 10;
const CALLS = 20;
const secret = `sk-ant-api03-${"Q7w_9".repeat(18)}AA`;
const token = (session: number, call: number): string => `token-${session}-${call}-end`;

const better = JSON.stringify({
  observations: [
    { draft: 1, rows: ["r1"], type: "feature", title: "In a model's words", facts: ["It is so."] },
  ],
  summary: { learned: "What a model learned." },
});
const broken = refuse({ status: 500, type: "api_error", message: "Internal server error" });

describe("a worker", () => {
  const place = workerHome();

  /** Sessions with one turn each, a minute old. */
  function spoolTurns(): void {
    const began = Date.now() - 60_000;
    for (let session = 0; session < SESSIONS; session++) {
      const name = `session-${session}`;
      place.spoolEvent(promptPayload(name, `do number ${session}`), began);
      for (let call = 0; call < CALLS; call++) {
        const file_path = `/app/src/${token(session, call)}.ts`;
        const tool_input = { file_path, old_string: "a", new_string: `key = "${secret}"` };
        const more = { tool_name: "Edit", tool_input, tool_response: { filePath: file_path } };
        place.spoolEvent(toolPayload(name, call, more), began + 100 + call);
      }
      place.spoolEvent(
        stopPayload(name, { last_assistant_message: `Number ${session} is done in src/.` }),
        began + 900,
      );
    }
  }

  const observations = async (store: Store): Promise<readonly Observation[]> =>
    (await store.observations({ limit: 500, order: "oldest" })).items;
  const jobs = (): Promise<number> => place.withStore(async (store) => (await store.stats()).counts.jobs);
  const drained = (what: string): Promise<true> =>
    until(async () => ((await jobs()) === 0 ? true : undefined), what);

  async function expectOnce(): Promise<readonly Observation[]> {
    return place.withStore(async (store) => {
      const all = await observations(store);
      const lines = all.flatMap(({ text = "" }) => text.split("\n"));
      for (let session = 0; session < SESSIONS; session++) {
        for (let call = 0; call < CALLS; call++) {
          const told = lines.filter((line) => line.includes(token(session, call)));
          expect(told, token(session, call)).toHaveLength(1);
        }
      }
      const summaries = (await store.summaries({ limit: 500 })).items;
      expect(new Set(summaries.map(({ claudeSessionId }) => claudeSessionId)).size).toBe(SESSIONS);
      expect(summaries).toHaveLength(SESSIONS);
      expect(await store.deadJobs()).toEqual([]);
      expect(JSON.stringify([all, summaries])).not.toContain("sk-ant-api03");
      expect(await store.integrityCheck()).toEqual({ ok: true, problems: [] });
      return all;
    });
  }

  const withModel = (api: ScriptedApi): Record<string, string> => ({
    THROUGHLINE_LLM_PROVIDER: "anthropic",
    THROUGHLINE_LLM_BASE_URL: api.url,
    THROUGHLINE_LLM_MODEL: "claude-haiku-4-5",
    THROUGHLINE_LLM_RETRIES: "0",
    THROUGHLINE_LLM_TIMEOUT_SECONDS: "3",
    ANTHROPIC_API_KEY: "key-for-tests",
  });

  it("observes every call once without a model", async () => {
    await place.run(program);
    spoolTurns();
    await until(async () => ((await jobs()) > 0 ? true : undefined), "work");
    await drained("the rules");
    const all = await expectOnce();
    expect(all.map(({ title }) => title)).toContain("Number 3 is done in src/");
  });

  it("observes every call once over 500, 429, silence, garbage and kills, and resumes by itself", async () => {
    let release = (): void => undefined;
    const hang = new Promise<void>((resolve) => {
      release = resolve;
    });
    const silence: Reply = say("too late", { before: () => hang });
    const prose = say("I would rather talk about the weather.");
    const failing = [broken, rateLimited(1), silence, { ...say("x"), breaks: "during" as const }, broken];
    const api = await startScriptedApi({ scenario: [on(anything, ...failing)] });
    try {
      const first = await place.run(program, withModel(api));
      spoolTurns();
      await until(() => (api.requests.length >= 1 ? true : undefined), "a failure");
      first.kill("SIGKILL");
      await ended(first);
      const second = await place.run(program, withModel(api));
      await until(() => (api.requests.length >= 3 ? true : undefined), "the silence");
      second.kill("SIGKILL");
      await ended(second);
      // What the rules made is there, whatever the model does.
      await place.run(program, withModel(api));
      await until(
        async () => ((await place.withStore(observations)).length >= SESSIONS ? true : undefined),
        "the rules",
      );
      const before = await expectOnce();
      api.play([
        on(anything, prose, prose, ...Array.from({ length: 50 }, () => say(`Here you are:\n${better}`))),
      ]);
      await drained("the model");
      const after = await expectOnce();
      expect(after.map(({ uid, id }) => [uid, id])).toEqual(before.map(({ uid, id }) => [uid, id]));
      const rewritten = after.filter(({ title }) => title === "In a model's words");
      // The two useless answers went to one question, or the second was put right.
      expect(after.length - rewritten.length).toBeLessThanOrEqual(1);
      expect(rewritten[0]).toMatchObject({ type: "feature", facts: ["It is so."] });
      const files = after.flatMap(({ filesModified = [] }) => filesModified);
      expect(files).toHaveLength(SESSIONS * CALLS);
      expect(JSON.stringify(api.requests.map(({ body }) => body))).not.toContain("sk-ant-api03");
    } finally {
      release();
      await api.close();
    }
  });
});
