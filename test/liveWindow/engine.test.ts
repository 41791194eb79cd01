// The live engine behind a carrier: a conversation three times the window, its prefix, its compactions, and other ways to go.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Home } from "../../src/home/index.ts";
import { systemClock as clock, type JsonObject, readIfThere } from "../../src/lib/index.ts";
import { compactionEvents, type LiveHandlers, makeLiveHandlers } from "../../src/live/index.ts";
import { blocksOf } from "../../src/messages/index.ts";
import { userSettings } from "../../src/settings/index.ts";
import { openVault, recall } from "../../src/vault/index.ts";
import { liveSession, messagesIn, type SessionOptions } from "./session.ts";

let folder = "";
let home: Home;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-live-"));
  home = {
    config: path.join(folder, "config"),
    data: path.join(folder, "data"),
    state: path.join(folder, "state"),
  };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const quiet = () => undefined;
const log = { info: quiet, warn: quiet, error: quiet, debug: quiet } as never;

const digest = '<throughline-context kind="snapshot" nonce="1">what the summary says</throughline-context>';

interface Worker {
  readonly handlers: LiveHandlers;
  readonly answered: string[];
}

/** The worker's part in this process; `changes` change the settings, and the first snapshot takes so many milliseconds. */
function startWorker(changes: JsonObject = {}, snapshotMs = 0): Worker {
  const answered: string[] = [];
  const answer = async ({ kind }: { kind: string }) => {
    answered.push(kind);
    if (answered.length === 1) await sleep(snapshotMs);
    return kind === "session-start" ? { context: `${digest}\n\nwhat a session is told` } : {};
  };
  const settings = { ...userSettings(home, {}), ...changes };
  const handlers = makeLiveHandlers({
    ...{ home, clock, log, isExcluded: () => false, takesMods: () => true },
    events: compactionEvents({ home, version: "1", clock, answer }),
    settings: () => settings,
  });
  return { handlers, answered };
}

/** As over a wire: what is asked and answered passes JSON. */
const wired = (worker: { current: Worker | undefined }): Pick<SessionOptions, "ask" | "tell" | "record"> => {
  const ask = async (op: string, question: unknown): Promise<unknown> => {
    const reply = await worker.current?.handlers.ask(op, JSON.parse(JSON.stringify(question)));
    return reply?.kind === "done" ? JSON.parse(JSON.stringify(reply.data)) : undefined;
  };
  return {
    ask,
    tell: (op, question) => void ask(op, question),
    record: async (name) => readIfThere(path.join(home.state, "live", name)),
  };
};

const WINDOW = 50_000;
const open = (worker: { current: Worker | undefined }, more: Partial<SessionOptions> = {}) =>
  liveSession({ session: "s-1", project: folder, window: WINDOW, ...wired(worker), ...more });

const tokensOf = (text: string): number => text.length / 3.3;

const SUMMARY = "<summary>They went through logs, one by one.</summary>";

/** A session of more than three windows: ten steps a turn. */
async function longSession(
  session: ReturnType<typeof liveSession>,
  steps = 72,
  length = 13_000,
): Promise<void> {
  for (let step = 0; step < steps; step++) {
    await session.step(length);
    if (step % 10 === 9) session.say(`go on with the next ten, from ${step}`);
  }
}

const refusalsIn = ({ sent }: ReturnType<typeof liveSession>) => sent.flatMap(({ refusal }) => refusal ?? []);

describe("a conversation three times the window", () => {
  it("never meets the end of the window, reads more of it than it writes, and raises the events of a compaction", async () => {
    const worker = startWorker();
    const session = open({ current: worker }, { summarise: async () => SUMMARY });
    await longSession(session);
    const { text } = await session.send();
    expect(refusalsIn(session)).toEqual([]);
    expect(tokensOf(JSON.stringify(session.messages))).toBeGreaterThan(3 * WINDOW);
    const read = session.sent.reduce((sum, one) => sum + one.read, 0);
    const written = session.sent.reduce((sum, one) => sum + one.written, 0);
    expect(read / (read + written)).toBeGreaterThan(0.5);
    expect(messagesIn(text)[0]).toContain("This session is being continued");
    // Snapshot, archive and what a session is told at its start: as with a compaction of the agent's own.
    expect(worker.answered.slice(0, 2)).toEqual(["pre-compact", "session-start"]);
    expect(messagesIn(text).join()).toContain("what a session is told");
    expect(messagesIn(text).join()).not.toContain("what the summary says");
    // What the agent announced at the beginning stands behind the summary.
    const [, announced = ""] = messagesIn(text);
    expect(announced).toContain("Never touch the harbour.");
    expect(announced).toContain("<system-reminder>\\n# Environment\\nPlatform: linux");
  }, 120_000);

  it("is compacted of its messages where the model says nothing", async () => {
    const session = open({ current: startWorker() });
    await longSession(session, 60);
    expect(refusalsIn(session)).toEqual([]);
    const [first = ""] = messagesIn(session.sent.at(-1)?.text ?? "");
    expect(first).toContain("This session is being continued");
  }, 120_000);

  it("goes on with the same bytes when the worker is gone, with a new one, and with a new carrier", async () => {
    const place: { current: Worker | undefined } = { current: startWorker() };
    const session = open(place, { summarise: async () => SUMMARY });
    await longSession(session, 45);
    const before = messagesIn((await session.send()).text);
    place.current = undefined;
    expect(messagesIn((await session.send()).text)).toEqual(before);
    session.restartCarrier();
    expect(messagesIn((await session.send()).text)).toEqual(before);
    await session.step(500);
    expect(messagesIn((await session.send()).text).slice(0, before.length)).toEqual(before);
    place.current = startWorker();
    expect(messagesIn((await session.send()).text).slice(0, before.length)).toEqual(before);
    expect(refusalsIn(session)).toEqual([]);
  }, 120_000);
});

describe("a compaction that comes too late", () => {
  it("is made with the next request, of the words and the snapshot that are there then", async () => {
    const worker = startWorker({}, 5_500);
    const wire = wired({ current: worker });
    const ask: SessionOptions["ask"] = (op, question, deadline) =>
      Promise.race([wire.ask(op, question, deadline), sleep(deadline, undefined)]);
    const asked: string[] = [];
    const summarise = async () => {
      asked.push("summary");
      return SUMMARY;
    };
    const session = open({ current: worker }, { ask, summarise, deadline: 2_000 });
    const begins = () => messagesIn(session.sent.at(-1)?.text ?? "")[0] ?? "";
    for (let step = 0; step < 60 && !begins().includes("They went through logs"); step++)
      await session.step(2_400);
    expect(begins()).toContain("This session is being continued");
    expect([asked, worker.answered]).toEqual([["summary"], ["pre-compact", "session-start"]]);
    expect(refusalsIn(session)).toEqual([]);
  }, 120_000);
});

describe("a compaction that nothing forces", () => {
  it("is made with a request whose carrier waits for it, and is never taken back", async () => {
    const worker = startWorker({ compaction: { coldTo: 5_000, tail: 3_000 } });
    const wire = wired({ current: worker });
    const deadlines: number[] = [];
    const ask: SessionOptions["ask"] = async (op, question, deadline) => {
      const before = worker.answered.length;
      const answer = await wire.ask(op, question, deadline);
      if (worker.answered.length > before) deadlines.push(deadline);
      return answer;
    };
    const session = open({ current: worker }, { ask, window: 200_000, deadline: 1_000 });
    await longSession(session, 60, 2_400);
    expect(deadlines.length).toBeGreaterThan(0);
    expect(new Set(deadlines)).toEqual(new Set([5_000]));
    const [first = ""] = messagesIn(session.sent.at(-1)?.text ?? "");
    expect(first).toContain("This session is being continued");
  }, 120_000);
});

describe("a fork of a conversation three times the window", () => {
  it("goes on with the bytes that were sent, also of a worker that knows neither and plans nothing", async () => {
    const place: { current: Worker | undefined } = { current: startWorker() };
    const session = open(place, { summarise: async () => SUMMARY });
    await longSession(session, 72);
    const { text } = await session.send();
    const sent = messagesIn(text);
    for (const changes of [{}, { live: { enabled: false } }]) {
      place.current = startWorker(changes);
      const fork = open(place, { session: `fork ${JSON.stringify(changes)}` });
      fork.messages.splice(0, fork.messages.length, ...session.messages);
      fork.say("another way from here");
      const first = messagesIn((await fork.send()).text);
      expect(first.slice(0, sent.length)).toEqual(sent);
      await fork.step(500);
      expect(messagesIn((await fork.send()).text).slice(0, first.length)).toEqual(first);
      expect(refusalsIn(fork)).toEqual([]);
    }
    // Another conversation of the project begins as it came.
    const other = open(place, { session: "other" });
    other.messages[0] = { role: "user", content: "something else" };
    other.say("go on");
    expect((await other.send()).text).toContain("something else");
    expect(messagesIn((await other.send()).text)).toHaveLength(other.messages.length);
  }, 120_000);
});

describe("Endless Mode", () => {
  const settings = { channel: "beta", policy: "seed" };
  it("shows one line with a handle for every result but the newest, in a window that stays bounded", async () => {
    const worker = startWorker(settings);
    const session = open({ current: worker }, { window: 200_000 });
    await longSession(session, 120, 26_000);
    const { text } = await session.send();
    expect(refusalsIn(session)).toEqual([]);
    expect(tokensOf(JSON.stringify(session.messages))).toBeGreaterThan(3 * 200_000);
    // A window that stays bounded needs no compaction.
    expect(worker.answered).toEqual([]);
    const lines =
      messagesIn(text)
        .join("\n")
        .match(/\[Old tool result content cleared\][^"]*/g) ?? [];
    expect(lines.length).toBeGreaterThan(100);
    for (const line of lines) expect(line).toMatch(/cleared\] \$ cat \d+\.log.*; recall tl:[0-9a-f]{12}$/);
    const [, handle = ""] = /recall (tl:\w+)/.exec(lines[0] ?? "") ?? [];
    const found = recall(openVault(path.join(home.data, "vault")), handle);
    expect(found.text).toMatch(/^step \d+ line 0: value_/);
    // Ten are cleared at a time, so that the prefix seldom changes.
    const changed = session.sent.filter(({ text: later }, at) => {
      const before = messagesIn(session.sent[at - 1]?.text ?? "");
      return messagesIn(later).slice(0, before.length).join() !== before.join();
    });
    expect(changed.length).toBeLessThan(20);
  }, 120_000);

  it("is off on the stable channel", async () => {
    const session = open({ current: startWorker({ ...settings, channel: "stable" }) }, { window: 400_000 });
    await longSession(session, 40);
    expect((await session.send()).text).not.toContain("Old tool result content cleared");
  }, 60_000);
});

describe("edits that were recorded", () => {
  it("are taken back where the request went out without them, and stay when planning is switched off", async () => {
    const place: { current: Worker | undefined } = { current: startWorker({ policy: "seed" }) };
    let isLate = false;
    const { ask, ...others } = wired(place);
    const session = open(place, {
      ...others,
      window: 400_000,
      ask: async (op, question, deadline) => {
        const answer = await ask(op, question, deadline);
        return isLate ? undefined : answer;
      },
    });
    await session.step(110_000);
    isLate = true;
    const whole = messagesIn((await session.step(110_000)).text);
    expect(whole.at(-1)).toContain("step 2 line 100");
    isLate = false;
    const next = messagesIn((await session.step(110_000)).text);
    // The result that went out whole stays whole; the one that is new is cut.
    expect(next.slice(0, whole.length)).toEqual(whole);
    expect(next.at(-1)).toContain("<persisted-output>");
    place.current = startWorker({ policy: "seed", live: { enabled: false } });
    const after = messagesIn((await session.step(110_000)).text);
    expect(after.slice(0, next.length)).toEqual(next);
    expect(after.at(-1)).toContain("step 6 line 100");
  }, 60_000);

  it("leave no thinking where the API refuses it as bound to another conversation, and its words in the vault", async () => {
    const session = open({ current: startWorker() }, { window: 400_000 });
    await session.step(500);
    const at = session.messages.length - 2;
    const called = session.messages[at];
    const thinking = {
      type: "thinking",
      thinking: "The harbour it is.",
      signature: "of another conversation",
    };
    if (called !== undefined) session.messages[at] = { ...called, content: [thinking, ...blocksOf(called)] };
    expect((await session.send()).text).toContain("The harbour it is.");
    const again = await session.recover({ attempt: 0, isThinking: true });
    expect(again).not.toContain("The harbour it is.");
    expect(again).toContain("step 2 line 1");
    // With the next request it stays out; what can no longer be helped is handed on.
    await session.step(500);
    expect((await session.send()).text).not.toContain("The harbour it is.");
    expect(await session.recover({ attempt: 1, isThinking: true })).toBeUndefined();
    const kept = readdirSync(path.join(home.data, "vault"), { recursive: true, encoding: "utf8" });
    expect(kept.length).toBeGreaterThan(0);
  }, 60_000);

  it("are passed over by a conversation that goes back before them", async () => {
    const session = open({ current: startWorker() }, { summarise: async () => SUMMARY });
    await longSession(session, 12);
    const sent = session.sent.map(({ text }) => messagesIn(text));
    // Back to before the fourth step, and on in another way.
    session.messages.length = 8;
    session.say("take the other way");
    const text = messagesIn((await session.send()).text);
    expect(text.slice(0, 6)).toEqual(sent[3]?.slice(0, 6));
    expect(text.at(-1)).toContain("take the other way");
    await longSession(session, 60);
    expect(refusalsIn(session)).toEqual([]);
  }, 120_000);
});
