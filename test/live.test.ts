// `npm run bench:live` against the scripted API: what is asked of a model, what is counted, and what is said without one.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { liveTasks, type Task, ways } from "../bench/live/tasks.ts";
import { conditions, handlesIn, windowOf } from "../bench/live/window.ts";
import { measureLive } from "../bench/live.ts";
import { check } from "../src/messages/index.ts";
import { modelFor } from "./fixtures/models/asking.ts";
import {
  type ApiRequest,
  on,
  type Part,
  type Reply,
  type ScriptedApi,
  say,
  startScriptedApi,
  tool,
  use,
} from "./scripted-api/index.ts";

const MODEL = "claude-opus-4-6";
const tasks = liveTasks();
const questionOf = ({ messages }: Task): string => String(messages.at(-1)?.content);

describe.each(tasks.map((task) => ({ name: `${task.name}, ${task.way}`, task })))("$name", ({ task }) => {
  it("leaves a window without the answer, from which a handle leads to it", () => {
    const window = windowOf(task, "with handles", MODEL);
    expect(check(window.messages)).toEqual([]);
    expect(handlesIn(window).length).toBeGreaterThan(0);
    const texts = handlesIn(window).map((handle) =>
      new TextDecoder().decode(window.session?.vault.read(handle)),
    );
    expect(
      texts.some((text) =>
        text.split("\n").some((line) => new RegExp(task.pattern).test(line) && line.includes(task.answer)),
      ),
    ).toBe(true);
  });
});

it("has a task for every way in which something leaves the window, and answers that are not guessed", () => {
  for (const way of ways) expect(tasks.filter((task) => task.way === way)).toHaveLength(4);
  for (const { answer } of tasks) expect(answer.length).toBeGreaterThan(3);
});

let api: ScriptedApi | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

const hasRecall = ({ body }: ApiRequest): boolean => JSON.stringify(body.tools).includes('"recall"');
const asking = (task: Task) => (request: ApiRequest) => request.prompt.includes(questionOf(task));

/** What a model answers to a task: with handles, with everything in view, with neither. */
function behaviour(task: Task, replies: readonly Reply[], others: readonly [Reply, Reply]): Part[] {
  const asked = asking(task);
  const isWhole = (request: ApiRequest): boolean => JSON.stringify(request.messages).includes(task.answer);
  return [
    on((request) => asked(request) && hasRecall(request), ...replies),
    on((request) => asked(request) && !hasRecall(request) && isWhole(request), others[0]),
    on((request) => asked(request) && !hasRecall(request) && !isWhole(request), others[1]),
  ];
}

describe("the measuring", () => {
  it("counts right answers, recalls, those in vain, and tokens, window by window", async () => {
    const usage = { input_tokens: 100, output_tokens: 10 };
    const [first, second] = [tasks[0], tasks[4]];
    if (!first || !second) throw new Error("no tasks");
    const [handle = ""] = handlesIn(windowOf(first, "with handles", MODEL)).filter((one) =>
      new TextDecoder()
        .decode(windowOf(first, "with handles", MODEL).session?.vault.read(one))
        .includes(first.answer),
    );
    const recallIt = use(tool("recall", { handle, pattern: first.pattern }), { usage });
    const missIt = use(tool("recall", { handle: "tl:000000000000" }), { usage });
    // Both tasks ask the same question; the scenario gives its replies in turn.
    api = await startScriptedApi({
      scenario: behaviour(
        first,
        [recallIt, say(`It is ${first.answer}.`, { usage }), missIt, say("I do not know.", { usage })],
        [say(first.answer, { usage }), say("I do not know.", { usage })],
      ).map((part, at) => (at === 0 ? part : { ...part, replies: [...part.replies, ...part.replies] })),
    });
    const { findings } = await measureLive(modelFor({ baseUrl: api.url }), [first, second]);
    const [rows = []] = findings.map((finding) => finding.rows);
    expect(
      rows.map((row) => [
        row.window,
        row["right %"],
        row.recalls,
        row["in vain"],
        row.requests,
        row["prompt tokens"],
        row["output tokens"],
      ]),
    ).toEqual([
      ["with handles", 50, 2, 1, 4, 400, 40],
      ["all in view", 100, 0, 0, 2, 200, 20],
      ["gone without a handle", 0, 0, 0, 2, 200, 20],
    ]);
    expect(findings[1]?.rows.map((row) => [row.window, row.tasks, row["right %"]])).toEqual([
      [ways[0], 1, 100],
      [ways[1], 1, 0],
      [ways[2], 0, 0],
    ]);
    const [, recalled] = api.requests;
    expect(recalled?.results[0]?.text).toContain(first.answer);
    for (const { violations } of api.requests) expect(violations).toEqual([]);
    expect(conditions).toHaveLength(3);
  });

  it("ends a conversation that only ever calls", async () => {
    const [task] = tasks;
    if (!task) throw new Error("no task");
    const again = use(tool("Bash", { command: "ls" }));
    api = await startScriptedApi({ scenario: [on(() => true, ...Array<Reply>(30).fill(again))] });
    const { findings } = await measureLive(modelFor({ baseUrl: api.url }), [task]);
    expect(findings[0]?.rows.map(({ requests }) => requests)).toEqual([6, 6, 6]);
  });
});

const folder = mkdtempSync(path.join(tmpdir(), "throughline-live-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("says clearly that it was not run where no model is configured", () => {
  const root = path.resolve(import.meta.dirname, "..");
  const { status, stdout } = spawnSync(
    process.execPath,
    [path.join(root, "scripts", "run.mjs"), "bench/live.ts", "--record"],
    { cwd: root, env: { PATH: process.env.PATH, HOME: folder, THROUGHLINE_HOME: folder }, encoding: "utf8" },
  );
  expect(status).toBe(0);
  expect(stdout).toMatch(/^bench:live was NOT RUN: no model was asked\. Set ANTHROPIC_API_KEY/);
});
