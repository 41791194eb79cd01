// What a person finds in the index: titles that say what happened, grouped looks, types with evidence, each call told once.
import path from "node:path";
import { describe, expect, it } from "vitest";
import { turnOfHistory } from "../../test/fixtures/turn.ts";
import type { History } from "../messages/index.ts";
import { userTurns } from "../messages/index.ts";
import { readConversation } from "../transcript/index.ts";
import { type ObservedTurn, observeTurn, type TurnToObserve, turnOfEvents } from "./index.ts";

const root = path.resolve(import.meta.dirname, "../..");

interface Call {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output?: string;
  readonly failed?: boolean;
}

const bash = (command: string, output = "", failed = false): Call => ({
  tool: "Bash",
  input: { command },
  output,
  failed,
});
const edit = (file_path: string, from: string, to: string): Call => ({
  tool: "Edit",
  input: { file_path, old_string: from, new_string: to },
  output: "The file has been updated.",
});
const read = (file_path: string): Call => ({ tool: "Read", input: { file_path }, output: "1→text" });

/** A turn as hooks tell it: what was asked, the calls, and what was said at the end. */
function turn(request: string, calls: readonly Call[], words = ""): History {
  const messages = [
    { role: "user" as const, content: request },
    ...calls.flatMap(({ tool, input, output, failed }, at) => [
      { role: "assistant" as const, content: [{ type: "tool_use", id: `c${at}`, name: tool, input }] },
      {
        role: "user" as const,
        content: [
          { type: "tool_result", tool_use_id: `c${at}`, content: output ?? "", is_error: failed === true },
        ],
      },
    ]),
    ...(words === "" ? [] : [{ role: "assistant" as const, content: words }]),
  ];
  return messages.map((message, at) => ({ id: `m${at}`, message }));
}

const observe = (history: History, more: Partial<TurnToObserve> = {}): ObservedTurn =>
  observeTurn({ ...turnOfHistory(history), ...more });
const told = ({ observations }: ObservedTurn): string[] =>
  observations.map(({ type, title }) => `${type}: ${title}`);

describe("a turn that was compacted and left", () => {
  const compact_summary =
    "<analysis>…</analysis><summary>\n1. Primary Request and Intent: a\n7. Pending Tasks:\n- Update the callers\n8. Current Work: b\n</summary>";
  const events = [
    { id: "p", kind: "prompt", payload: { prompt: "Move the clock" } },
    { id: "c", kind: "post-compact", payload: { compact_summary } },
  ];
  const end = { id: "s", kind: "stop", payload: { last_assistant_message: "All callers are updated." } };

  it("has the agent's own next steps; a turn that came to its end has none of them", () => {
    expect(observeTurn(turnOfEvents(events)).summary?.nextSteps).toBe(
      "Update the callers (the agent's words)",
    );
    expect(observeTurn(turnOfEvents([...events, end])).summary?.nextSteps).toBeUndefined();
  });
});

describe("a failing test that was put right", () => {
  const failing = `
 FAIL  src/auth.test.ts > login > counts attempts
AssertionError: expected 3 to be 4
Tests  1 failed | 11 passed`;
  const calls = [
    bash("npx vitest run src/auth.test.ts 2>&1 | tail -20", failing),
    read("/app/src/auth.ts"),
    edit("/app/src/auth.ts", "attempts += 1", "attempts += 2"),
    bash("npx vitest run src/auth.test.ts", "Tests  12 passed"),
  ];

  it("is told by what failed and why, with the looks that led there", () => {
    const observed = observe(turn("the login test is red", calls), { folder: "/app" });
    expect(told(observed)).toEqual([
      "bugfix: Fix failing test src/auth.test.ts > login > counts attempts: “expected 3 to be 4”",
    ]);
    expect(observed.observations[0]).toMatchObject({
      filesRead: [],
      filesModified: ["src/auth.ts"],
      sources: ["c0", "c1", "c2", "c3"],
    });
    expect(observed.observations[0]?.facts[0]).toBe(
      'src/auth.test.ts > login > counts attempts failed with "expected 3 to be 4" until src/auth.ts changed',
    );
  });

  it("is told in Chinese where that is wanted", () => {
    const observed = observe(turn("登录测试失败了", calls), { folder: "/app", language: "zh" });
    expect(told(observed)).toEqual([
      "bugfix: 修复失败的测试 src/auth.test.ts > login > counts attempts：“expected 3 to be 4”",
    ]);
  });

  it("is told as failing while it is not put right", () => {
    const observed = observe(turn("the login test is red", calls.slice(0, 3)), { folder: "/app" });
    expect(told(observed)).toContain(
      "discovery: vitest fails: “src/auth.test.ts > login > counts attempts: expected 3 to be 4”",
    );
    expect(observed.summary?.notes).toContain("Unresolved: src/auth.test.ts");
  });

  it("is known when only the end of it is new", () => {
    const observed = observe(turn("the login test is red", calls), {
      folder: "/app",
      fresh: new Set(["c2", "c3"]),
    });
    expect(told(observed)).toEqual([
      "bugfix: Fix failing test src/auth.test.ts > login > counts attempts: “expected 3 to be 4”",
    ]);
    expect(observed.observations[0]?.sources).toEqual(["c2", "c3"]);
  });
});

describe("runners of tests and compilers", () => {
  it.each([
    [
      "go test ./...",
      "--- FAIL: TestSum (0.01s)\n    sum_test.go:12: got 3, want 4\nFAIL",
      "Fix failing test TestSum: “got 3, want 4”",
    ],
    [
      "pytest -q",
      "FAILED tests/test_sum.py::test_sum - assert 3 == 4\n1 failed",
      "Fix failing test tests/test_sum.py::test_sum: “assert 3 == 4”",
    ],
    [
      "cargo test",
      "test sum::adds ... FAILED\nthread 'sum' panicked at src/sum.rs:3:5:\nleft is not right",
      "Fix failing test sum::adds: “left is not right”",
    ],
    [
      "npx tsc --noEmit",
      "src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.",
      "Fix a.ts: “TS2322: Type 'string' is not assignable to type 'number'”",
    ],
    [
      "npm test",
      "  ✖ shows late boats\nAssertionError [ERR_ASSERTION]: Expected values to be equal",
      'Fix failing test "shows late boats": “Expected values to be equal”',
    ],
  ])("say what failed: %s", (command, output, title) => {
    const calls = [bash(command, output, true), edit("/app/a.ts", "1", "2"), bash(command, "ok")];
    expect(observe(turn("it is red", calls)).observations.map((draft) => draft.title)).toEqual([title]);
  });
});

describe("looks", () => {
  it("are one observation, however many they are", () => {
    const calls = [
      bash("ls -la src"),
      read("/app/src/a.ts"),
      read("/app/src/b.ts"),
      read("/app/src/c.ts"),
      read("/app/src/d.ts"),
      { tool: "Grep", input: { pattern: "retry" }, output: "src/a.ts" },
    ];
    const observed = observe(turn("how do retries work?", calls), { folder: "/app" });
    expect(told(observed)).toEqual(["discovery: Look at a.ts, b.ts, c.ts and 1 more"]);
    expect(observed.observations[0]?.filesRead).toEqual(["src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts"]);
  });

  it("are told by what they led to, where the assistant said it", () => {
    const words =
      "Good question!\n\nRetries live in `src/retry.ts`: three attempts with a pause of 500 ms. The pause doubles.";
    const observed = observe(turn("how do retries work?", [read("/app/src/retry.ts")], words));
    expect(told(observed)).toEqual([
      "discovery: Retries live in src/retry.ts: three attempts with a pause of 500 ms",
    ]);
    expect(observed.observations[0]?.narrative).toContain("The pause doubles.");
  });
});

describe("a change", () => {
  it("is told by its commit, each commit by itself", () => {
    const commit = (subject: string) =>
      bash(`git add -A && git commit -m "${subject}"`, `[main 1234567] ${subject}`);
    const calls = [
      edit("/app/a.ts", "1", "2"),
      commit("feat: add a pause between retries"),
      edit("/app/b.ts", "1", "2"),
      commit("Rename wait to pause"),
      bash("git push"),
    ];
    const observed = observe(turn("do it", calls, "Pushed."));
    expect(told(observed)).toEqual([
      "feature: feat: add a pause between retries",
      "refactor: Rename wait to pause",
    ]);
    expect(observed.observations[0]?.facts).toContain("Committed 1234567: feat: add a pause between retries");
  });

  it("is told by what it touched, where nothing was said", () => {
    const calls = [
      edit("/app/src/clock.ts", "function tick() {}", "function tick() { now(); }\nexport function now() {}"),
    ];
    expect(told(observe(turn("go on", calls)))).toEqual(["change: clock.ts: +now, tick"]);
  });

  it("is told of, and not who made it", () => {
    const words = "Done! I've fixed the clock in `clock.ts` by counting from midnight. All tests pass.";
    expect(told(observe(turn("go on", [edit("/app/clock.ts", "1", "2")], words)))).toEqual([
      "bugfix: Fixed the clock in clock.ts by counting from midnight",
    ]);
  });

  it("of nothing but text is a plain one, whatever was asked", () => {
    const calls = [edit("/app/README.md", "a", "b")];
    expect(told(observe(turn("fix the readme", calls, "The README names the new command now.")))[0]).toMatch(
      /^change:/,
    );
  });

  it("answers the question before it", () => {
    const history = turn("yes", [edit("/app/a.ts", "1", "2")], "The two faults in a.ts are gone.");
    const observed = observe(history, { before: "Shall I fix both?" });
    expect(observed.observations[0]?.type).toBe("bugfix");
    expect(observed.summary?.request).toBe("yes (Shall I fix both?)");
  });
});

describe("other actions", () => {
  it("are decisions, research and reports, each by itself", () => {
    const calls = [
      { tool: "AskUserQuestion", input: {}, output: 'User has answered: "Which store?"="SQLite"' },
      { tool: "WebSearch", input: { query: "sqlite wal mode" }, output: "WAL lets readers go on." },
      {
        tool: "Task",
        input: { description: "count the tables" },
        output: `There are nine tables. ${"x".repeat(90)}`,
      },
      bash("npm install zod", "added 1 package"),
    ];
    expect(told(observe(turn("choose a store", calls)))).toEqual([
      "decision: SQLite ← Which store?",
      "discovery: Look up: sqlite wal mode",
      "discovery: Subagent: count the tables",
      "change: Run npm install zod",
    ]);
    expect(told(observe(turn("choose a store", calls), { reported: true }))).not.toContain(
      "discovery: Subagent: count the tables",
    );
  });

  it("that write a plan are told by its name, not by that of its file", () => {
    const plan = {
      file_path: "/home/dev/.claude/plans/merry-jumping-owl.md",
      content: "# Plan: Night boats\n\nFirst…",
    };
    const calls = [{ tool: "Write", input: plan, output: "File created" }];
    expect(told(observe(turn("plan it", calls)))).toEqual([expect.stringMatching(/: Plan: Night boats$/)]);
  });

  it("that a person refused did not fail", () => {
    const refusal = "The user doesn't want to proceed with this tool use. The tool use was rejected";
    expect(told(observe(turn("push it", [bash("git push", refusal, true)])))[0]).not.toContain("fails");
  });
});

describe("the bundled session", () => {
  it("reads as it was reviewed", async () => {
    const { items } = await readConversation(path.join(root, "sample/session.jsonl"));
    let before = "";
    const pages = userTurns(items).map(({ start, end }) => {
      const history = items.slice(start, end);
      const turn = turnOfHistory(history);
      const observed = observeTurn({ ...turn, folder: "/home/dev/ferry-times", before });
      before = turn.words;
      const calls = observed.observations.flatMap(({ sources }) => sources);
      expect(new Set(calls).size).toBe(calls.length);
      return page(observed);
    });
    await expect(pages.join("\n")).toMatchFileSnapshot(path.join(root, "test/fixtures/observe/sample.md"));
  });
});

function page({ observations, summary }: ObservedTurn): string {
  const rows = observations.map((draft) =>
    [
      `## [${draft.type}] ${draft.title}`,
      draft.subtitle ?? "",
      ...draft.facts.map((fact) => `- ${fact}`),
      `concepts: ${draft.concepts.join(", ")}`,
      `read: ${draft.filesRead.join(", ")}; modified: ${draft.filesModified.join(", ")}`,
      ...draft.text.split("\n").map((line) => `    ${line}`),
    ].join("\n"),
  );
  const fields = Object.entries(summary ?? {}).map(([name, value]) => `${name}: ${value}`);
  return [...rows, "### Summary", ...fields, ""].join("\n");
}
