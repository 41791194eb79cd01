// Traces: turns with their figures, steps in order with their times, subagents below their calls, and nothing secret.
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  ClaudeRows,
  type Row,
  smallSession,
  temporaryFolder,
} from "../../../test/fixtures/transcript/session.ts";
import { readConversation } from "../../transcript/index.ts";
import { inspectInThread } from "../inThread.ts";
import { sessionCost } from "../view.ts";
import { withPrompts } from "./align.ts";
import type { SessionTrace } from "./model.ts";
import { addUsage, usageBuckets } from "./usage.ts";

const files = temporaryFolder();
const sample = path.resolve(import.meta.dirname, "../../../sample/session.jsonl");

const inspected = (transcript: string) => ({ session: "s1", vault: "/absent", models: {}, transcript });
const traceOf = (rows: readonly Row[]): Promise<SessionTrace> =>
  inspectInThread.trace(inspected(files.write(rows)));

const outline = ({ steps }: SessionTrace): string[] =>
  steps.map((step) =>
    step.kind === "call"
      ? `${step.turn} ${">".repeat(step.depth)}${step.tool} ${step.outcome} ${step.ms}`
      : `${step.turn} ${step.kind} ${step.ms ?? ""}`.trim(),
  );

describe("a trace", () => {
  it("has each turn's requests, calls and edits in order, with the time that each took", async () => {
    const trace = await traceOf(smallSession().rows);
    expect(outline(trace)).toEqual([
      "1 request 3000",
      "1 Bash ok 2000",
      "1 Bash ok 2000",
      "1 request 1000",
      "2 edit",
      "2 request 1000",
    ]);
    expect(trace.turns).toMatchObject([
      {
        turn: 1,
        prompt: "make the login work",
        requests: 2,
        calls: 2,
        failed: 0,
        edits: 0,
        ended: "answered",
      },
      { turn: 2, prompt: "now the logout", requests: 1, calls: 0, edits: 1, ended: "answered" },
    ]);
  });

  it("tells how long the thinking took", async () => {
    const { steps } = await traceOf(smallSession().rows);
    expect(steps[0]).toMatchObject({ kind: "request", thinkingMs: 1_000, cachedTokens: 100 });
  });

  it("adds up to what the session cost", async () => {
    const { turns, steps } = await inspectInThread.trace(inspected(sample));
    const cost = sessionCost(await readConversation(sample), {});
    const sums = addUsage(usageBuckets({ steps }));
    expect(sums.dollars).toBeCloseTo(cost.dollars ?? 0, 10);
    const input = cost.inputTokens + cost.cacheReadTokens + cost.cacheWriteTokens;
    expect(sums).toMatchObject({
      requests: cost.requests,
      inputTokens: input,
      outputTokens: cost.outputTokens,
    });
    expect(turns.reduce((sum, { dollars = 0 }) => sum + dollars, 0)).toBeCloseTo(cost.dollars ?? 0, 10);
    expect(turns.reduce((sum, { requests }) => sum + requests, 0)).toBe(cost.requests);
    expect(turns.map(({ failed }) => failed)).toEqual([0, 1, 0, 1, 0, 0]);
  });

  it("puts a subagent's calls below the call that started it, and is open where no result came", async () => {
    const rows = new ClaudeRows();
    rows.user("count the files");
    const task = { type: "tool_use", id: "t1", name: "Agent", input: { prompt: "count *.ts" } };
    const call = rows.assistant("m1", task);
    rows.add("user", {
      ...{ parentUuid: null, isSidechain: true, agentId: "a1" },
      message: { role: "user", content: "count *.ts" },
    });
    rows.call("m2", "t2", { isSidechain: true, agentId: "a1" });
    rows.result("t2", { isSidechain: true, agentId: "a1" });
    rows.last = call;
    rows.result("t1");
    rows.call("m3", "t3");
    const trace = await traceOf(rows.rows);
    expect(outline(trace)).toEqual([
      "1 request 1000",
      "1 Agent ok 4000",
      "1 >Bash ok 1000",
      "1 request 1000",
      "1 Bash open undefined",
    ]);
    expect(trace.turns[0]?.ended).toBeUndefined();
  });

  it("shows no secret, in no line and in no text", async () => {
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const rows = new ClaudeRows();
    rows.user(`use ${secret}`);
    rows.call("m1", `echo ${secret}`);
    rows.user([{ type: "tool_result", tool_use_id: `echo ${secret}`, content: secret }]);
    rows.say("m2", secret);
    const file = files.write(rows.rows);
    const trace = await inspectInThread.trace(inspected(file));
    const call = await inspectInThread.call(inspected(file), `echo ${secret}`);
    expect(JSON.stringify([trace.turns, trace.steps.map(({ id: _, ...step }) => step)])).not.toContain(
      secret,
    );
    expect(JSON.stringify([call.input, call.output])).not.toContain(secret);
    expect(call.output.text).not.toBe("");
  });

  it("is empty without a transcript", async () => {
    const trace = await inspectInThread.trace({ session: "s1", vault: "/absent", models: {} });
    expect(trace).toEqual({ session: "s1", turns: [], steps: [], hasTranscript: false });
    await expect(inspectInThread.call(inspected("/absent.jsonl"), "t1")).rejects.toMatchObject({
      code: "not-found",
    });
  });
});

describe("the prompt of a turn", () => {
  const base = { ms: 0, requests: 0, calls: 0, failed: 0, edits: 0, inputTokens: 0, outputTokens: 0 };
  const turn = (number: number, prompt: string, second: number) => ({
    ...{ ...base, turn: number, prompt },
    at: new Date(second * 1_000).toISOString(),
  });
  const prompt = (id: number, promptText: string, second: number) => ({
    ...{ id, promptText, promptNumber: id + 10 },
    createdAtEpoch: second * 1_000,
  });

  it("is the nearest of the same words, or one of the same moment, and of one turn alone", () => {
    const turns = [
      turn(1, "go on", 10),
      turn(2, "go on", 100),
      turn(3, "expanded", 200),
      turn(4, "other", 300),
    ];
    const prompts = [prompt(1, "go on", 9), prompt(2, "go on", 99), prompt(3, "/short", 199)];
    const refs = withPrompts(turns, prompts).map(({ ref, promptNumber }) => [ref, promptNumber]);
    expect(refs).toEqual([
      ["P1", 11],
      ["P2", 12],
      ["P3", 13],
      [undefined, undefined],
    ]);
  });
});
