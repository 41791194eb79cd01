// An agent that is gone has ended its session, whether a hook could say so or not.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { captured, keptHere, second } from "../../test/worker/kept.ts";
import type { JsonObject } from "../lib/index.ts";
import { makeOrphanedSessions } from "./orphanedSessions.ts";

const kept = keptHere();
const [GONE, HERE] = [41, 42];
const base = { session_id: "s1", cwd: "/", transcript_path: "/t/s1.jsonl" };

const start = (pid: number, source = "startup"): JsonObject => ({
  ...base,
  hook_event_name: "SessionStart",
  source,
  agent_pid: pid,
});
const prompt = (pid: number, id: string): JsonObject => ({
  ...base,
  hook_event_name: "UserPromptSubmit",
  prompt: `do ${id}`,
  prompt_id: id,
  agent_pid: pid,
});
const end = (prompt_id: string): JsonObject => ({
  ...base,
  hook_event_name: "SessionEnd",
  reason: "other",
  prompt_id,
});

async function look(payloads: readonly JsonObject[], now = 1_000): Promise<number> {
  const { store, ingest, log } = kept;
  const events = payloads.map((payload, at) => captured(payload, second(at)));
  await ingest.keep(events);
  const clock = { now: () => second(now) };
  const orphanedSessions = makeOrphanedSessions({
    store,
    ingest,
    clock,
    log,
    isRunning: (pid) => pid === HERE,
  });
  orphanedSessions.note(events);
  return orphanedSessions.look();
}

const ends = async (): Promise<unknown[]> =>
  (await kept.events())
    .filter(({ kind }) => kind === "session-end")
    .map(({ at, payload }) => [payload.prompt_id, payload.reason, Date.parse(at) - second(0)]);

describe("orphanedSessions", () => {
  it("ends a session whose agent is gone, after the last thing it said", async () => {
    expect(await look([start(GONE), prompt(GONE, "p1")])).toBe(1);
    expect(await ends()).toEqual([["p1", "gone", 1_001]]);
    expect((await kept.store.session("s1"))?.status).toBe("completed");
    expect(await look([])).toBe(0);
  });

  it("gives it the id that the hook gives, so that a late hook brings nothing new", async () => {
    await look([start(GONE), prompt(GONE, "p1")]);
    expect(await kept.ingest.keep([captured(end("p1"), second(50))])).toMatchObject({ added: 0, known: 1 });
  });

  it("leaves alone an agent that is there, and one that nothing is known of", async () => {
    expect(await look([start(HERE), prompt(HERE, "p1")])).toBe(0);
    const { agent_pid: _, ...unknown } = start(GONE);
    expect(await look([{ ...unknown, session_id: "s2" }])).toBe(0);
  });

  it("waits for the last words", async () => {
    expect(await look([start(GONE), prompt(GONE, "p1")], 2)).toBe(0);
    expect(await look([], 4)).toBe(1);
  });

  it("ends what was taken up again by another process, which goes on", async () => {
    const told = [start(GONE), prompt(GONE, "p1"), start(HERE, "resume"), prompt(HERE, "p2")];
    expect(await look(told)).toBe(1);
    expect(await ends()).toEqual([["p1", "gone", 1_001]]);
    expect((await kept.store.session("s1"))?.status).toBe("active");
  });

  it("finds the gap also when the second process has ended as it should", async () => {
    const told = [start(GONE), prompt(GONE, "p1"), start(HERE, "resume"), prompt(HERE, "p2"), end("p2")];
    expect(await look(told)).toBe(1);
    expect(await ends()).toEqual([
      ["p1", "gone", 1_001],
      ["p2", "other", 4_000],
    ]);
  });

  it("takes a compaction for no new beginning", async () => {
    const told = [start(GONE), prompt(GONE, "p1"), start(GONE, "compact"), prompt(GONE, "p2"), end("p2")];
    expect(await look(told)).toBe(0);
  });

  it("asks the system whether a process is there", async () => {
    const { store, ingest, log } = kept;
    const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], { stdio: "pipe" });
    await ingest.keep([captured(start(child.pid ?? 0), second(0))]);
    const orphanedSessions = makeOrphanedSessions({ store, ingest, clock: { now: () => second(60) }, log });
    expect(await orphanedSessions.look()).toBe(0);
    child.stdin.end();
    await once(child, "exit");
    expect(await orphanedSessions.look()).toBe(1);
  });
});
