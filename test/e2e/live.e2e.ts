// The live window in the real Claude Code, by both carriers: what the API gets, while the transcript keeps the originals.
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { liveFolder } from "../../src/home/index.ts";
import { readRecord } from "../../src/live/edits.ts";
import {
  type ApiRequest,
  anything,
  compaction,
  delegate,
  delegated,
  on,
  prompted,
  refuse,
  say,
  summary,
  use,
} from "../scripted-api/index.ts";
import { transcriptsIn } from "./drive.ts";
import {
  carriers,
  expectAccepted,
  expectPrefixes,
  type LiveSession,
  liveSession,
  log,
  mainRequests,
  resultsIn,
  sentIn,
  tagged,
} from "./liveSession.ts";
import { modsScene } from "./modsSession.ts";
import { hasClaude } from "./world.ts";

const recordOf = ({ throughline }: LiveSession, session: string): string =>
  readFileSync(path.join(liveFolder(throughline.home), `${session}.jsonl`), "utf8");

const SUMMARY_ASKED = "ANSWER IN PLAIN TEXT ONLY";
const asksForSummary = ({ news }: ApiRequest): boolean => news.includes(SUMMARY_ASKED);
const modelSummary = on(asksForSummary, say("<summary>Words of the model.</summary>"));

/** The window that Claude Code keeps to, the smallest that it takes, and the same of the API. */
const SMALL = 100_000;
const small = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(SMALL) };
const smallApi = { enforce: { window: SMALL, bindsThinking: true } };

const otherRefusal = { status: 400, type: "invalid_request_error", message: "no such thing" };

describe.skipIf(!hasClaude).each(carriers)("a session with the live window by the %s", (carrier) => {
  it("is edited in its requests and not in its transcript, and goes on when resumed and when forked", async () => {
    const live = await liveSession(carrier, [
      on(prompted("go through the logs"), log(1), log(2), say("done")),
      on(prompted("and the last one"), log(3), say("done again")),
      on(prompted("in another way"), say("forked")),
    ]);
    const { world, throughline } = live;
    const first = await live.claude({ prompt: "go through the logs" });
    expect(first.answers).toEqual(["done"]);
    const [session = ""] = first.sessions;
    // A worker that knows nothing of the session is started by whatever needs one.
    throughline.signalWorker("SIGKILL");
    await throughline.must("worker", "start");
    const second = await live.claude({ prompt: "and the last one", args: ["--resume", session] });
    expect(second.answers).toEqual(["done again"]);
    const requests = mainRequests(world);
    expect(resultsIn(requests.at(-1)?.messages ?? [])).toHaveLength(3);
    expect(sentIn(requests[0])).toMatch(tagged("go through the logs"));
    expect(sentIn(requests.at(-1))).toMatch(tagged("and the last one"));
    const transcript = readFileSync(transcriptsIn(world.home).get(session) ?? "", "utf8");
    expect(transcript).toContain("log 3 line 150: nothing to see");
    expect(transcript).not.toContain("[id:");
    const third = await live.claude({
      prompt: "in another way",
      args: ["--resume", session, "--fork-session"],
    });
    expect(third.answers).toEqual(["forked"]);
    const [fork = ""] = third.sessions;
    expect(fork).not.toBe(session);
    expectPrefixes(mainRequests(world));
    // Made of the parent's record, not planned anew.
    const [inherited = ""] = recordOf(live, fork).trim().split("\n");
    const { edits } = readRecord(recordOf(live, session));
    expect(edits.length).toBeGreaterThan(0);
    expect(JSON.parse(inherited)).toEqual({ version: 1, from: 0, edits, entries: [] });
    expectAccepted(world);
  }, 240_000);

  it("changes no byte of the prefix when the worker is killed, with a history of three windows", async () => {
    const live = await liveSession(carrier, [], smallApi);
    const { world, throughline } = live;
    const kill = { before: () => void throughline.signalWorker("SIGKILL") };
    const steps = Array.from({ length: 40 }, (_, at) => ({
      ...log(at, 880),
      ...(at === 36 ? kill : {}),
    }));
    world.api.play([modelSummary, on(anything, ...steps, say("done"))]);
    const run = await live.claude({ prompt: "go through the logs", env: small });
    expect(run.answers).toEqual(["done"]);
    const [session = ""] = run.sessions;
    const transcript = statSync(transcriptsIn(world.home).get(session) ?? "").size;
    expect(transcript).toBeGreaterThan(3 * SMALL * 3.3);
    // From the request before the kill on: a compaction before it may change what was sent.
    expectPrefixes(mainRequests(world).slice(-5));
    expectAccepted(world);
    expect(world.api.requests.filter(({ kind }) => kind === "compaction")).toEqual([]);
  }, 240_000);

  it("gives a subagent a window of its own, and Claude Code's own compaction the edits in force", async () => {
    const live = await liveSession(carrier, [
      on(compaction, summary("They read the logs.")),
      on(delegated("READ THE LOG"), log(7), say("nothing in it")),
      on(anything, log(1), use(delegate("READ THE LOG")), say("done"), say("went on")),
    ]);
    const run = await live.claude({ prompts: ["go through the logs", "/compact", "go on"] });
    expect(run.answers.at(-1)).toBe("went on");
    const { requests } = live.world.api;
    const inAgent = requests.filter(({ agent }) => agent !== undefined).at(-1);
    expect(sentIn(inAgent)).toMatch(tagged("READ THE LOG"));
    const summing = requests.find(({ kind }) => kind === "compaction");
    expect(sentIn(summing)).toMatch(tagged("go through the logs"));
    expectAccepted(live.world);
  }, 180_000);

  it("is compacted in the words of its own model, with all that a compaction of Claude Code's own raises", async () => {
    const live = await liveSession(carrier);
    const { world, throughline } = live;
    // A window so small that forty short results fill it.
    await throughline.must("config", "set", "compaction.buffer", "36000");
    const steps = Array.from({ length: 40 }, (_, at) => log(at, 70));
    world.api.play([modelSummary, on(anything, ...steps, say("done"))]);
    const run = await live.claude({ prompt: "go through the logs", env: small });
    expect(run.answers).toEqual(["done"]);
    const requests = mainRequests(world);
    const asked = requests.findIndex(asksForSummary);
    // Asked on the conversation as it was sent, so that the cache has it.
    expectPrefixes(requests.slice(asked - 1, asked + 1));
    const compacted = requests.findIndex(
      (request, at) => at > asked && sentIn(request).includes("Words of the model."),
    );
    const after = sentIn(requests[compacted]);
    expect(after.length).toBeLessThan(sentIn(requests[asked]).length * 0.6);
    expect(after).toContain("Never touch the harbour.");
    expect(after).toContain("# Environment");
    expect(world.api.requests.filter(({ kind }) => kind === "compaction")).toEqual([]);
    expectAccepted(world);
    const { events } = await throughline.settle();
    expect(events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["pre-compact", "post-compact"]));
    expect(readdirSync(path.join(world.work, ".claude")).join()).toContain("compact-snapshot-");
  }, 180_000);

  it("answers a prompt that is too long with a smaller one, and passes every other refusal on", async () => {
    // Planning is always late, and Claude Code does not compact by itself: the window fills up.
    const late = { ...small, THROUGHLINE_LIVE_DEADLINE_MS: "1", DISABLE_AUTO_COMPACT: "1" };
    const steps = Array.from({ length: 14 }, (_, at) => log(at, 880));
    const live = await liveSession(carrier, [], smallApi);
    const { world } = live;
    world.api.play([
      modelSummary,
      on(anything, ...steps, say("done"), ...Array.from({ length: 9 }, () => refuse(otherRefusal))),
    ]);
    const run = await live.claude({ prompts: ["go through the logs", "and now"], env: late });
    expect(run.answers[0]).toBe("done");
    expect(run.answers[1]).toContain("no such thing");
    const tooLong = world.api.refusals.map(({ message }) => message);
    expect(tooLong.length).toBeGreaterThan(0);
    expect(tooLong.join()).toMatch(/^(prompt is too long: \d+ tokens > 100000 maximum,?)+$/);
    // Claude Code never heard of it.
    expect(world.api.requests.filter(({ kind }) => kind === "compaction")).toEqual([]);
  }, 240_000);
});

describe.skipIf(!hasClaude)("a session on the mods lane", () => {
  it("is left alone where Claude Code withholds its credential from edited requests", async () => {
    const { world } = await modsScene([on(anything, log(1), say("done"))]);
    const run = await world.claude({ prompt: "go through the logs" });
    expect(run.answers).toEqual(["done"]);
    expect(sentIn(mainRequests(world).at(-1))).not.toContain("[id:");
  }, 120_000);
});
