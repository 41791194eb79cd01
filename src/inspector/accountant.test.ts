// Accounts drawn up in the background: what is due, what stays known, and that one bad session stops no other.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../../test/until.ts";
import type { LifecycleEvent } from "../intake/lifecycle.ts";
import { openStore, type RedactedEvent, type Store } from "../store/index.ts";
import type { ComputedAccount } from "./account.ts";
import { type Accountant, makeAccountant } from "./accountant.ts";

const clock = { time: Date.parse("2026-11-20T12:00:00Z"), now: () => clock.time };
let folder: string;
let store: Store;
let accountant: Accountant;
let draw: (session: string) => Promise<ComputedAccount>;
let asked: string[];
let complaints: unknown[];

const drawn = (tokens: number): ComputedAccount => ({
  cost: {
    ...{
      requests: 2,
      models: ["claude-opus-5-5"],
      inputTokens: 10,
      cacheReadTokens: 80,
      cacheWriteTokens: 10,
    },
    ...{ outputTokens: 5, dollars: 0.5 },
  },
  saved: { tokens, dollars: tokens / 1_000, compactions: 0, results: 1 },
});

const prompt = (session: string, at: number): RedactedEvent => ({
  ...{
    v: 1,
    id: `ev_${session}_${at}`,
    kind: "prompt",
    session,
    lane: "hooks",
    writer: "test",
    project: "app-00000001",
  },
  ...{ at: new Date(at).toISOString(), payload: { prompt: "x" } },
});

const lifecycleEvent = (session: string, kind: LifecycleEvent["kind"]): LifecycleEvent => ({
  ...{ kind, id: "x", session, transcriptPath: "/x.jsonl", cwd: "/", trigger: undefined, at: 0 },
});

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "accountant-"));
  store = await openStore({ file: path.join(folder, "t.db"), clock });
  [asked, complaints] = [[], []];
  draw = async () => drawn(1_000);
  accountant = makeAccountant({
    ...{ store, clock },
    compute: (session) => {
      asked.push(session);
      return draw(session);
    },
    log: { warn: (facts: unknown) => complaints.push(facts) },
  });
  await store.recordEvents([prompt("s1", clock.time - 9_000), prompt("s2", clock.time - 5_000)]);
});
afterEach(async () => {
  await accountant.stop();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const counted = () =>
  until(async () => (accountant.busy() ? undefined : accountant.savings()), "the accounts");

describe("the accountant", () => {
  it("answers with what is known and computes the rest", async () => {
    expect(await accountant.savings()).toEqual({
      tokens: 0,
      dollars: 0,
      compactions: 0,
      results: 0,
      isCounting: true,
    });
    const all = { tokens: 2_000, dollars: 2, results: 2, cacheShare: 0.8, isCounting: false };
    expect(await counted()).toMatchObject(all);
    expect(asked).toEqual(["s2", "s1"]);
    await counted();
    expect(asked).toEqual(["s2", "s1"]);
  });

  it("draws a session up when it ends or was compacted, and no other", async () => {
    await accountant.onLifecycleEvent(lifecycleEvent("s1", "compacting"));
    expect(accountant.busy()).toBe(false);
    await accountant.onLifecycleEvent(lifecycleEvent("s1", "ended"));
    await until(() => (accountant.busy() ? undefined : true), "the account");
    expect(asked).toEqual(["s1"]);
    expect(await store.account("s1")).toMatchObject({ savedTokens: 1_000, dollars: 0.5 });
  });

  it("looks again when a session went on, but not more than once a minute", async () => {
    await accountant.savings();
    await counted();
    await store.recordEvents([prompt("s1", clock.time)]);
    await counted();
    expect(asked).toHaveLength(2);
    clock.time += 61_000;
    await accountant.savings();
    await counted();
    expect(asked).toEqual(["s2", "s1", "s1"]);
  });

  it("keeps what was known of the cost when the transcript is gone", async () => {
    await accountant.savings();
    await counted();
    draw = async () => ({ saved: { tokens: 1_500, dollars: 0, compactions: 0, results: 2 } });
    await accountant.onLifecycleEvent(lifecycleEvent("s1", "ended"));
    await until(() => (accountant.busy() ? undefined : true), "the account");
    expect(await store.account("s1")).toMatchObject({
      requests: 2,
      dollars: 0.5,
      savedTokens: 1_500,
      savedDollars: 1,
    });
  });

  it("is not stopped by a session that cannot be read", async () => {
    draw = async (session) => (session === "s2" ? Promise.reject(new Error("torn")) : drawn(7));
    await accountant.savings();
    expect(await counted()).toMatchObject({ tokens: 7 });
    expect(complaints).toMatchObject([{ session: "s2", problem: "torn" }]);
  });
});
