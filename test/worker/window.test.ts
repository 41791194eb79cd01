// The context inspector of a real worker: its thread reads the transcript, its ledger is changed, its vault is read.
import { readFileSync, rmSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { ledgerFile, sessionPlace, tokenFile, vaultFolder } from "../../src/home/index.ts";
import { call } from "../../src/ipc/index.ts";
import { type LedgerEntry, openLedger } from "../../src/ledger/index.ts";
import { isObject } from "../../src/lib/index.ts";
import { openVault } from "../../src/vault/index.ts";
import { smallSession, temporaryFolder } from "../fixtures/transcript/session.ts";
import { builtWorker as worker } from "./bundle.ts";
import { promptPayload } from "./payloads.ts";
import { until, workerHome } from "./workers.ts";

const place = workerHome();
const files = temporaryFolder();
let ask: (target: string, body?: object) => Promise<{ status: number; body: unknown }>;

async function begin(): Promise<void> {
  await place.run(worker);
  const { port } = await place.status();
  const token = readFileSync(tokenFile(place.home), "utf8").trim();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  ask = async (target, body) => {
    const init = body === undefined ? { headers } : { headers, method: "POST", body: JSON.stringify(body) };
    const answer = await fetch(`http://127.0.0.1:${port}${target}`, init);
    return { status: answer.status, body: await answer.json() };
  };
}

beforeEach(begin);

const cleared: LedgerEntry = {
  v: 1,
  id: "e_1",
  at: "2026-03-01T10:00:05.500Z",
  by: "here",
  level: "microcompact",
  why: "old",
  edit: { kind: "replace-result", toolUseId: "t1", content: "cleared" },
};

describe("the context inspector", () => {
  it("shows the window of a captured session, and takes an edit of it back", async () => {
    const transcript = files.write(smallSession().rows);
    place.spoolEvent(promptPayload("session-1", "make the login work", { transcript_path: transcript }));
    await call(place.socket, "drain");
    openLedger(ledgerFile(sessionPlace(place.home, "app", "session-1"))).append([cleared]);
    const view = await ask("/api/window?session=session-1");
    expect(view).toMatchObject({ status: 200, body: { session: "session-1", limit: 200_000 } });
    expect(view.body).toMatchObject({
      events: [
        { id: "e_1", undo: { legal: true } },
        { kind: "compaction", by: "agent" },
      ],
    });
    expect((await ask("/api/window/event?session=session-1&event=e_1")).body).toMatchObject({
      before: [{ speaker: "Bash", text: "output of t1" }],
      after: [{ speaker: "Bash", text: "cleared" }],
    });
    expect(await ask("/api/undo", { session: "session-1", entry: "e_1" })).toMatchObject({
      status: 200,
      body: { undone: ["e_1"] },
    });
    expect(await ask("/api/undo", { session: "session-1", entry: "e_1" })).toMatchObject({ status: 409 });
  });

  it("draws up what a session cost and saved, which outlives worker and transcript", async () => {
    const transcript = files.write(smallSession().rows);
    place.spoolEvent(promptPayload("session-1", "make the login work", { transcript_path: transcript }));
    await call(place.socket, "drain");
    const saved = { ...cleared, tokens: { before: 9_000, after: 100 } };
    openLedger(ledgerFile(sessionPlace(place.home, "app", "session-1"))).append([saved]);
    const savings = { tokens: 8_900, results: 1, compactions: 1, cacheShare: expect.any(Number) };
    const drawnUp = async () => {
      const { body } = await ask("/api/stats");
      return isObject(body) && isObject(body.savings) && body.savings.tokens !== 0 ? body : undefined;
    };
    expect(await until(drawnUp, "the account")).toMatchObject({
      savings: { ...savings, dollars: expect.any(Number) },
    });
    expect((await ask("/api/session?id=session-1")).body).toMatchObject({
      cost: { requests: expect.any(Number), models: ["claude-opus-4-5"], dollars: expect.any(Number) },
    });
    rmSync(transcript);
    await call(place.socket, "shutdown", { timeoutMs: 30_000 });
    await begin();
    expect((await ask("/api/stats")).body).toMatchObject({ savings });
  });

  it("has the turns of a session with what each cost, and adds up today by lane", async () => {
    const now = Date.now();
    const rows = smallSession().rows.map((row, at) => ({
      ...row,
      timestamp: new Date(now - 60_000 + at * 1_000).toISOString(),
    }));
    const transcript = files.write(rows);
    place.spoolEvent(promptPayload("session-1", "make the login work", { transcript_path: transcript }));
    await call(place.socket, "drain");
    const { body } = await ask("/api/trace?session=session-1&turn=1");
    expect(body).toMatchObject({
      turns: [{ turn: 1, ref: "P1", promptNumber: 1, calls: 2 }, { turn: 2 }],
      steps: [{ kind: "request" }, { kind: "call" }, { kind: "call" }, { kind: "request" }],
    });
    expect((await ask("/api/trace?session=session-1")).body).toMatchObject({ steps: [] });
    expect((await ask("/api/trace?session=session-1&turn=9")).status).toBe(404);
    expect((await ask("/api/trace?session=session-1&turn=x")).status).toBe(400);
    expect((await ask("/api/trace/call?session=session-1&call=t1")).body).toMatchObject({
      tool: "Bash",
      output: { text: "output of t1", cut: 0 },
    });
    expect((await ask("/api/trace/call?session=session-1&call=t9")).status).toBe(404);
    const counted = async () => {
      const home = (await ask("/api/home")).body;
      return isObject(home) && isObject(home.usage) && home.usage.isCounting === false ? home : undefined;
    };
    const spent = { sessions: 1, requests: 3, inputTokens: 369 };
    expect(await until(counted, "the usage")).toMatchObject({
      running: [
        { card: { claudeSessionId: "session-1" }, window: { used: 124, limit: 200_000, cache: "warm" } },
      ],
      usage: { week: { ...spent, lanes: [{ lane: "hooks", ...spent }] } },
      steps: { captured: true, remembered: false },
    });
  });

  it("recalls exact text, and refuses what is not known or not asked for rightly", async () => {
    const { handle } = openVault(vaultFolder(place.home)).put("line one\nline two\n", { session: "s1" });
    expect(await ask(`/api/recall?handle=${handle}`)).toMatchObject({
      status: 200,
      body: { text: "line one\nline two\n" },
    });
    expect((await ask("/api/recall?handle=tl:000000000000")).status).toBe(404);
    expect((await ask(`/api/recall?handle=${handle}&offset=-1`)).status).toBe(400);
    expect((await ask("/api/window?session=nobody")).status).toBe(404);
    expect((await ask("/api/window")).status).toBe(400);
    expect((await ask("/api/undo", { session: 7 })).status).toBe(400);
  });
});
