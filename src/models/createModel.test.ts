// A model as it is put together: none, the budget, the spending, and retries that end.
import { chmodSync, mkdirSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { modelFor, question, temporaryFolder } from "../../test/fixtures/models/asking.ts";
import {
  anything,
  on,
  type Reply,
  type ScriptedApi,
  say,
  startScriptedApi,
} from "../../test/scripted-api/index.ts";
import { systemClock } from "../lib/index.ts";
import { askWithRetries, backoff, type RetryTiming } from "./createModel.ts";
import { noModel } from "./index.ts";
import { failed, type Provider } from "./model.ts";
import { openSpending, type Spending } from "./spending.ts";

let api: ScriptedApi | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

async function scripted(...replies: Reply[]): Promise<ScriptedApi> {
  api = await startScriptedApi({ scenario: [on(anything, ...replies)] });
  return api;
}

function accounts(): { folder: string; spending: Spending } {
  const folder = path.join(temporaryFolder(), "spending");
  return { folder, spending: openSpending(folder, systemClock) };
}

describe("no model", () => {
  it("is unavailable and says what to set", async () => {
    const outcome = await noModel.complete(question);
    expect(outcome).toMatchObject({ ok: false, error: { kind: "unavailable" } });
    expect(modelFor({ provider: "none" })).toBe(noModel);
  });
});

describe("the accounts", () => {
  it("hold what a call took and what that cost", async () => {
    const { url } = await scripted(say("yes", { usage: { input_tokens: 90, output_tokens: 10 } }));
    const { folder, spending } = accounts();
    const cost = (model: string) => (model === "m" ? 0.5 : undefined);
    await modelFor({ baseUrl: url, model: "m" }, { spending: folder, cost }).complete(question);
    expect(spending.on()).toMatchObject({ calls: 1, tokens: 100, dollars: 0.5, reserved: 0 });
  });

  it("stop a call that the day's budget does not cover, before it is sent", async () => {
    const { url, requests } = await scripted(say("yes", { usage: { input_tokens: 900, output_tokens: 10 } }));
    const { folder } = accounts();
    const model = modelFor({ baseUrl: url, dailyTokens: 1_000 }, { spending: folder });
    expect(await model.complete(question)).toMatchObject({ ok: true });
    const second = await model.complete(question);
    expect(second).toMatchObject({ ok: false, error: { kind: "over-budget" } });
    expect(!second.ok && second.error.message).toContain("llm.dailyTokens");
    expect(requests).toHaveLength(1);
  });

  it("take nothing for a call that was never answered", async () => {
    const { folder, spending } = accounts();
    const model = modelFor({ baseUrl: "http://127.0.0.1:9", retries: 0 }, { spending: folder });
    expect(await model.complete(question)).toMatchObject({ ok: false });
    expect(spending.on()).toMatchObject({ calls: 1, tokens: 0, reserved: 0 });
  });

  it.skipIf(process.platform === "win32" || process.getuid?.() === 0)(
    "that cannot be written stop the call",
    async () => {
      const folder = temporaryFolder();
      mkdirSync(path.join(folder, "locked"), { mode: 0o500 });
      const model = modelFor({}, { spending: path.join(folder, "locked", "spending") });
      expect(await model.complete(question)).toMatchObject({ ok: false, error: { kind: "over-budget" } });
      chmodSync(path.join(folder, "locked"), 0o700);
    },
  );
});

describe("retries", () => {
  /** A clock that only moves during a sleep. */
  function slept(): RetryTiming & { readonly pauses: number[] } {
    let now = 0;
    const pauses: number[] = [];
    return {
      pauses,
      clock: { now: () => now },
      random: () => 0.5,
      sleep: (milliseconds) => {
        now += milliseconds;
        pauses.push(milliseconds);
        return Promise.resolve();
      },
    };
  }
  const full: Provider = () => Promise.resolve(failed({ kind: "overloaded", message: "full" }));

  it("waits longer each time, but never long", () => {
    const error = { kind: "overloaded", message: "" } as const;
    expect([0, 1, 2, 3, 9].map((attempt) => backoff(attempt, error, 0.5))).toEqual([
      250, 500, 1_000, 2_000, 10_000,
    ]);
    expect(backoff(5, { kind: "rate-limited", message: "", retryAfter: 1_000 }, 0)).toBe(1_000);
  });

  it("ends with its time even when attempts are left", async () => {
    const timing = slept();
    const outcome = await askWithRetries(
      full,
      question,
      { timeout: 100, total: 3_000, retries: 1_000 },
      timing,
    );
    expect(outcome).toMatchObject({ ok: false, error: { kind: "overloaded" } });
    expect(timing.pauses.reduce((all, pause) => all + pause, 0)).toBeLessThan(3_000);
  });

  it("turns what a provider throws into a value", async () => {
    const broken: Provider = () => Promise.reject(new Error("boom"));
    const outcome = await askWithRetries(broken, question, { timeout: 100, total: 100, retries: 5 }, slept());
    expect(outcome).toEqual({ ok: false, error: { kind: "unavailable", message: "boom" } });
  });

  it("ends when the caller gives up, also between attempts", async () => {
    const controller = new AbortController();
    const timing = { ...slept(), sleep: async () => controller.abort() };
    const limits = { timeout: 100, total: 60_000, retries: 5 };
    const outcome = await askWithRetries(full, question, limits, timing, controller.signal);
    expect(outcome).toMatchObject({ ok: false, error: { kind: "cancelled" } });
  });
});
