// What a person finds in the index: titles that say what happened, grouped looks, types with evidence, each call told once.
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type TurnMore, turnOfHistory } from "../../test/fixtures/turn.ts";
import type { History } from "../messages/index.ts";
import { userTurns } from "../messages/index.ts";
import { readConversation } from "../transcript/index.ts";
import { type ObservedTurn, observeTurn, turnOfEvents } from "./index.ts";

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

const observe = (history: History, more: TurnMore = {}): ObservedTurn =>
  observeTurn(turnOfHistory(history, more));
const told = ({ observations }: ObservedTurn): string[] =>
  observations.map(({ type, title }) => `${type}: ${title}`);

describe("a title from the closing answer", () => {
  const change = [edit("/app/src/warning.ts", "a()", "b()")];
  const titleFor = (words: string, request = "show the old prompt", calls: readonly Call[] = change) =>
    told(observe(turn(request, calls, words), { folder: "/app" }))[0];

  it.each([
    [
      "is the part of a long sentence that stands by itself",
      "Done. Removed the now-redundant lines for the main branch and for the other branches of the debug output since both strategies always allow it.",
      "change: Removed the now-redundant lines for the main branch and for the other branches of the debug output",
    ],
    [
      "is what a change does now, without the case that it is for",
      "All tests pass. Now when a user starts a new session while another session is active with uncommitted changes, the warning message will include its first prompt:\n```\nx\n```",
      "change: The warning message will include its first prompt",
    ],
    [
      "is an opening that is a sentence, not the first item of its list",
      "The lookup method is polymorphic and it accepts a string in three meanings:\n1. Checkpoint id of twelve signs\n2. Reference of a git commit",
      "change: The lookup method is polymorphic and it accepts a string in three meanings",
    ],
    [
      "has the changed file as its subject where it lacks one",
      "Done. The function now:\n1. Splits by the separator of prompts\n2. Finds the first one",
      "change: warning.ts: Splits by the separator of prompts",
    ],
  ])("%s", (_name, words, title) => {
    expect(titleFor(words)).toBe(title);
  });

  it("is not what was so before", () => {
    const words =
      "Summary:\n1. Before: the reader would only extract lines from the start line onwards\n2. After: Stores the full `transcript.jsonl` in any case";
    expect(titleFor(words)).toBe("change: warning.ts: Stores the full transcript.jsonl in any case");
  });

  it("is what an answer explains, where no sentence of it says much", () => {
    const words = `Here's how the concurrent session warning works:\n\n1. Load the state - checks a flag\n2. ${"It then goes on. ".repeat(70)}`;
    expect(titleFor(words, "explain the warning", [read("/app/src/warning.ts")])).toBe(
      "discovery: How the concurrent session warning works",
    );
  });

  it("is the name of a plan that was carried out, and not of one that still fails", () => {
    const request = "Implement the following plan:\n\n# Fix attribution of deferred commits\n\n## Context";
    const words = "All done. AttributionBase is set with BaseCommit at the beginning of a session.";
    expect(titleFor(words, request)).toBe("bugfix: Fix attribution of deferred commits");
    const failing = [...change, bash("npm test", "Tests  1 failed", true)];
    expect(titleFor(words, request, failing)).not.toContain("Fix attribution");
  });
});

describe("an answer without a sentence that could be a title", () => {
  it("is titled by what was asked", () => {
    const words = `Good question. If we allowed both, here's what would happen:\n${"- it could be this or that, if the other one is there\n".repeat(24)}`;
    expect(told(observe(turn("What if we include both sessions?", [], words)))).toEqual([
      "discovery: The user asked: What if we include both sessions?",
    ]);
  });
});

describe("an answer that hardly stands by itself", () => {
  const answered = (request: string, said: string) =>
    told(observe(turn(request, [], `${said}\n${"x ".repeat(520)}`)))[0];

  it("gets the question that it answers, or gives way to it", () => {
    expect(
      answered(
        "so, does the board read clock.ts?",
        "- Step 1 of the board → `clock.ts` is read and noon is written to the log",
      ),
    ).toBe("discovery: The user asked: does the board read clock.ts?");
    expect(answered("does the board read clock.ts?", "This is read by the board and by no pier.")).toBe(
      "discovery: This is read by the board and by no pier, asked: “does the board read clock.ts?”",
    );
  });

  it("is the verdict, wherever it stands", () => {
    const list = Array.from({ length: 14 }, (_, at) => `- The pier ${at} is read by \`clock${at}.ts\` alone`);
    const said = `${list.join("\n")}\n\n**Verdict:** Keep both clocks in the harbour`;
    expect(told(observe(turn("look into the move", [read("/app/a.ts")], said)))).toEqual([
      "discovery: Verdict: Keep both clocks in the harbour",
    ]);
  });

  it("tells a suggestion as one, and nothing that a proposal would bring", () => {
    const design =
      "The clock has two readers in `board.ts` today.\n\n## What this achieves\n\nAll of the time lives in `clock.ts` alone.\n";
    const { observations, summary } = observe(turn("think it over", [read("/app/a.ts")], design));
    expect(JSON.stringify([observations[0]?.title, observations[0]?.subtitle, summary])).not.toContain(
      "lives in",
    );
    const said = "### Suggestions\n1. Extract the clock of the harbour (`clock.ts`)\n";
    expect(told(observe(turn("review it", [read("/app/a.ts")], said)))).toEqual([
      "discovery: Suggestions: Extract the clock of the harbour (clock.ts)",
    ]);
  });
});

describe("a change to code", () => {
  const typeFor = (request: string, words: string) =>
    observe(turn(request, [edit("/app/src/a.ts", "a()", "b()")], words)).observations[0]?.type;

  it("is called what both sides call it, and a change where they call it nothing", () => {
    expect(typeFor("rename the command", "The command is now `session cleanup`.")).toBe("change");
    expect(typeFor("timestamps are local", "Fixed both inconsistent timestamps in `a.ts`.")).toBe("bugfix");
    const tests = [
      edit("/app/src/a.test.ts", "a()", "b()"),
      bash("npm test", " FAIL  src/a.test.ts > a\nAssertionError: x\nTests  1 failed", true),
      edit("/app/src/a.test.ts", "b()", "c()"),
      bash("npm test", "Tests  2 passed"),
    ];
    const written = observe(
      turn("can we add a test?", tests, "Added a test for `a.ts` that reads it twice."),
    );
    expect(written.observations[0]?.type).toBe("change");
    const moved = [
      edit("/app/src/a.ts", "a()", "function show() {}\nfunction hide() {}"),
      bash("git commit -am 'Refactor selectors'", "[main 1234567] Refactor selectors"),
    ];
    expect(observe(turn("make it shorter", moved, "`a.ts` is shorter.")).observations[0]?.type).toBe(
      "refactor",
    );
    expect(typeFor("there are merge conflicts, fix that first", "`a.ts` has both sides.")).toBe("change");
    expect(typeFor("the board doesn't show late boats", "The board asks `a.ts` for all.")).toBe("bugfix");
    expect(typeFor("could we refactor the reader?", "The reader is one class now, in `a.ts`.")).toBe(
      "refactor",
    );
  });
});

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
    const fails = "vitest fails: “src/auth.test.ts > login > counts attempts: expected 3 to be 4”";
    const observed = observe(turn("the login test is red", calls.slice(0, 3)), { folder: "/app" });
    expect(told(observed)).toEqual(["change: Edit auth.ts, asked: “the login test is red”"]);
    expect(observed.observations[0]?.facts).toContain(fails);
    expect(told(observe(turn("the login test is red", calls.slice(0, 2))))).toEqual([`discovery: ${fails}`]);
    expect(observed.summary?.notes).toContain("Unresolved: src/auth.test.ts");
  });

  it("is known when only the end of it is new", () => {
    const observed = observe(turn("the login test is red", calls), {
      folder: "/app",
      fresh: ["c2", "c3"],
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
      "mise run lint",
      "cli/auto.go:1: : # example.com/cli [example.com/cli.test]\ncli/state_test.go:300:19: undefined: plumbing.Signature (typecheck)",
      "Fix state_test.go: “undefined: plumbing.Signature (typecheck)”",
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
  const calls = [
    bash("ls -la src"),
    read("/app/src/a.ts"),
    { ...read("/app/src/b.ts"), output: "No such file", failed: true },
    { tool: "Grep", input: { pattern: "retry" }, output: "src/a.ts" },
  ];
  const words =
    "Good question!\n\nRetries live in `src/retry.ts`: three attempts with a pause of 500 ms. The pause doubles.";

  it("are told by what they led to, where the assistant said it", () => {
    const observed = observe(turn("find out how retries work", calls, words), { folder: "/app" });
    expect(told(observed)).toEqual([
      "discovery: Retries live in src/retry.ts: three attempts with a pause of 500 ms",
    ]);
    expect(observed.observations[0]).toMatchObject({
      narrative: expect.stringContaining("The pause doubles."),
      filesRead: ["src/a.ts"],
      evidence: ["m9"],
    });
  });

  it("leave nothing while no words say what was found", () => {
    expect(told(observe(turn("find out how retries work", calls)))).toEqual([]);
  });
});

describe("a turn that leaves nothing", () => {
  const search = { tool: "mcp__throughline__search", input: { query: "retry" }, output: "three attempts" };
  const loading = { tool: "ToolSearch", input: { query: "search" }, output: "found" };
  const long = "The retry pause doubles after each of the three attempts. ".repeat(30);
  const wording = edit("/app/a.ts", "log('It falied to load'); // oh", "log('It failed to load');");

  it.each<[string, History]>([
    ["only asks", turn("where is parseClock?", [read("/app/a.ts")], "It is in `src/calendar.js`, line 12.")],
    ["asks what to decide", turn("what did we decide about retries?", [], "Three attempts, I believe.")],
    ["only reads the memory", turn("what do we know of retries", [loading, search], long)],
    ["only commits", turn("commit", [bash("git -c user.name=a commit -am 'Add a pause'")], "Committed.")],
    [
      "only pushes",
      turn("push it", [bash("git push"), bash("gh pr create --fill")], "The branch is pushed."),
    ],
    ["only checks again", turn("again", [bash("npm test", "12 passed")], "All tests in src pass now.")],
    ["only changes words", turn("a typo", [wording], "The message in a.ts is spelled right now.")],
  ])("%s", (_, history) => {
    expect(told(observe(history))).toEqual([]);
  });

  it("is not one that explains at length, or changes code", () => {
    expect(told(observe(turn("why is it slow", [], long)))).toHaveLength(1);
    const history = turn("a typo", [wording, edit("/app/b.ts", "1", "2")], "The message is right now.");
    expect(told(observe(history))).toHaveLength(1);
  });
});

describe("a choice", () => {
  const before = "1. Keep the retries in the client\n2. Move the retries into the queue\n\nWhich one?";

  it("among numbered options is a decision that rests on both rows", () => {
    const history = turn("2 please", [edit("/app/queue.ts", "1", "2")], "The queue retries three times now.");
    const observed = observe(history, { before, rows: { request: "m0", before: "b", words: "m3" } });
    expect(told(observed)).toEqual([
      "change: The queue retries three times now",
      "decision: Move the retries into the queue",
    ]);
    expect(observed.observations[1]).toMatchObject({ sources: ["m0"], evidence: ["m0", "b"] });
  });

  it("is not made by a question about it", () => {
    const observed = observe(turn("how should we decide between 1 and 2?", [], "By load."), { before });
    expect(observed.observations).toEqual([]);
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
      commit("refactor: rename wait to pause"),
      bash("git push"),
    ];
    const observed = observe(turn("do it", calls, "Pushed."));
    expect(told(observed)).toEqual([
      "feature: feat: add a pause between retries",
      "refactor: refactor: rename wait to pause",
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
    expect(observed.summary?.request).toBe("yes (Shall I fix both?)");
  });
});

describe("other actions", () => {
  it("are one piece of work, beside the decision that was made in it", () => {
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
    const observed = observe(turn("choose a store", calls));
    expect(told(observed)).toEqual(["change: Run npm install zod", "decision: SQLite ← Which store?"]);
    const [work] = observed.observations;
    expect(work?.narrative).toContain("There are nine tables.");
    expect(work?.narrative).toContain("WAL lets readers go on.");
    const [other] = observe(turn("choose a store", calls), { reported: true }).observations;
    expect(other?.narrative).not.toContain("nine tables");
    expect(told(observe(turn("choose a store", calls.slice(1, 2))))).toEqual([
      "discovery: Look up: sqlite wal mode",
    ]);
  });

  it("that write a plan are told by its name, not by that of its file", () => {
    const plan = {
      file_path: "/home/dev/.claude/plans/merry-jumping-owl.md",
      content: "# Plan: Night boats\n\nFirst…",
    };
    const calls = [{ tool: "Write", input: plan, output: "File created" }];
    expect(told(observe(turn("plan it", calls)))).toEqual([expect.stringMatching(/: Plan: Night boats$/)]);
  });

  it("that a person refused did nothing, and did not fail", () => {
    const output = "The user doesn't want to proceed with this tool use. The tool use was rejected";
    const refused = { ...edit("/app/b.ts", "1", "2"), output, failed: true };
    const [observed] = observe(turn("go on", [edit("/app/a.ts", "1", "2"), refused])).observations;
    expect(observed).toMatchObject({ filesRead: [], filesModified: ["/app/a.ts"], facts: [] });
  });
});

describe("a title", () => {
  const long = `The board in src/board.ts drops every boat that leaves after midnight, ${"because it counts hours, ".repeat(3)}and says nothing.`;

  it("is another sentence where the best does not fit, and the subtitle says the best", () => {
    const words = `${long} Late boats are shown in src/board.ts until four now.`;
    const [observed] = observe(turn("go on", [edit("/app/src/board.ts", "1", "2")], words)).observations;
    expect(observed?.title).toBe("Late boats are shown in src/board.ts until four now");
    expect(observed?.subtitle).toBe(long.slice(0, -1));
  });

  it("is not how the work is liked, nor that checks are green", () => {
    const change = [edit("/app/src/board.ts", "1", "2")];
    const titleFor = (words: string) => observe(turn("go on", change, words)).observations[0]?.title;
    expect(titleFor("The name in `board.ts` does feel a bit backwards.")).toBe("Edit board.ts");
    expect(titleFor("This ensures that the boats are on the board of the harbour.")).toBe("Edit board.ts");
    expect(
      titleFor(
        "- `npm run lint` - No linting issues in `board.ts`\n- `board.ts` keeps late boats until four",
      ),
    ).toBe("board.ts keeps late boats until four");
    expect(titleFor("All issues have been addressed.\n- Late boats stay on the board until four")).toBe(
      "Late boats stay on the board until four",
    );
  });

  it("is what was done, not what it was done to, where both are too long", () => {
    const words =
      "- Boats on the board at night - Verified that `closeHarbour` clears the board by taking every boat from the list of the pier.";
    const [observed] = observe(turn("go on", [edit("/app/src/board.ts", "1", "2")], words)).observations;
    expect(observed?.title).toBe(
      "Verified that closeHarbour clears the board by taking every boat from the list of the pier",
    );
  });

  it("leaves out what the work is for, where it is too long", () => {
    const words =
      "Replaced all the direct casts in `board.ts` with a call of `boatOf()` to make the assumption that they can be trusted explicit.";
    const [observed] = observe(turn("go on", [edit("/app/src/board.ts", "1", "2")], words)).observations;
    expect(observed?.title).toBe("Replaced all the direct casts in board.ts with a call of boatOf()");
  });

  it("is not a sentence that only opens a list", () => {
    const words = "The board in `src/board.ts` now shows:\n- Late boats stay in `src/board.ts` until four\n";
    const [observed] = observe(turn("go on", [edit("/app/src/board.ts", "1", "2")], words)).observations;
    expect(observed?.title).toBe("Late boats stay in src/board.ts until four");
  });

  it("is an item of a list with its heading, and the sentence that needs none before it", () => {
    const list = "## Proposed clock\n\n- Always counts from noon in `src/clock.ts`\n";
    const asked = turn("look into it", [read("/app/src/clock.ts")], list);
    expect(observe(asked).observations[0]?.title).toBe(
      "Proposed clock: Always counts from noon in src/clock.ts",
    );
    const said =
      "## Result\n\n- Uses the clock in `src/clock.ts`\n\nThe boats in `src/board.ts` wait for it.";
    const looked = turn("look into it", [read("/app/src/clock.ts")], said);
    expect(observe(looked).observations[0]?.title).toBe("The boats in src/board.ts wait for it");
  });

  it("is not an option that was not taken up", () => {
    const words = `Options to keep the clock and the board of the harbour apart:\n\n1. **Create src/types.ts** with just the constants of both\n2. Keep \`src/clock.ts\` as it is\n`;
    const [observed] = observe(turn("go on", [edit("/app/src/board.ts", "1", "2")], words)).observations;
    expect(observed?.title).toBe("Edit board.ts");
    expect(observed?.subtitle).toBe("Options to keep the clock and the board of the harbour apart");
  });

  it("is no recommendation where something was changed", () => {
    const words = `The clock needs the board.\n\n## Options\n\n**1. Keep them in \`board.ts\`** (revert)\n- No cycle\n\n**2. Create \`types.ts\`**\n\nWhich one? I'd recommend option 2 (new \`types.ts\`), as it makes the imports explicit.`;
    const [observed] = observe(turn("move it", [edit("/app/src/board.ts", "1", "2")], words)).observations;
    expect(observed?.title).toBe("The clock needs the board");
  });

  it("is an item with the subject that its opening names", () => {
    const words =
      "You were right. I've updated the code so that `clockOf()` now:\n\n1. **Never returns an error** - it falls back to noon\n";
    const [observed] = observe(turn("go on", [edit("/app/src/board.ts", "1", "2")], words)).observations;
    expect(observed?.title).toBe("clockOf() now never returns an error - it falls back to noon");
  });

  it("has the words of the request where the assistant said nothing at the end, unless they were pasted", () => {
    const calls = [edit("/app/src/board.ts", "1", "2")];
    const titleOf = (request: string) => observe(turn(request, calls)).observations[0]?.title;
    expect(titleOf("why are there two handlers?")).toBe(
      "Edit board.ts, asked: “why are there two handlers?”",
    );
    expect(titleOf("continue")).toBe("Edit board.ts");
    expect(
      titleOf("2026-11-18 at the harbour it failed\n2026-11-18 in the clock of it\nwhat is wrong here"),
    ).toBe("Edit board.ts");
  });

  it("is not a check that fails before the turn has ended", () => {
    const red = turn("go on", [bash("npm test", "  ✖ shows noon\n", true)]);
    expect(observe(red, { goesOn: true }).observations).toEqual([]);
    expect(observe(red).observations).toHaveLength(1);
  });

  it("is a sentence of the speaker, not a quotation, a question or the opening of a list", () => {
    const words = `Here is the comment:\n\n> **Proposed fix:** Detect the type in \`chunk.ts\` before joining.\n\nThe joiner in \`join.ts\` gets an empty type, so it falls back to lines.\n\nDeciding: "Should \`join.ts\` guess?"\n\nI like the first way because:\n- Remove the calls of guess() from the handlers.`;
    const [observed] = observe(
      turn("look at it", [read("/app/join.ts"), bash("node x.js", "1")], words),
    ).observations;
    expect(observed?.title).toBe("The joiner in join.ts gets an empty type, so it falls back to lines");
    expect(observed?.subtitle).not.toMatch(/Proposed fix|because/);
    expect(observed?.facts.join(" ")).not.toContain("Remove the calls");
  });

  it("says of no check that it fails where the turn goes on, or where a later one passes", () => {
    const red = bash("npm test", "  ✖ shows noon\n", true);
    const asked = {
      tool: "WebFetch",
      input: { url: "https://a.example/noon" },
      output: "Noon is at twelve.",
    };
    const [going] = observe(turn("go on", [red, asked]), { goesOn: true }).observations;
    expect(JSON.stringify(going)).not.toContain("fails");
    const commit = bash("git commit -am 'Show noon'", "[main 1234567] Show noon");
    const later = [edit("/app/b.ts", "1", "2"), bash("npm test", "3 passed"), commit];
    const all = turn("go on", [edit("/app/a.ts", "1", "2"), red, commit, ...later], "Noon is shown.");
    const observed = observe(all).observations;
    expect(observed).toHaveLength(2);
    expect(JSON.stringify(observed)).not.toContain("fails");
  });

  it("says of no build that it fails where a later check compiled the same", () => {
    const red = bash("go build -tags=e2e ./e2e/...", "e2e/env.go:285:26: undefined: testBinary", true);
    const change = edit("/app/e2e/env.go", "1", "2");
    const calls = [change, red, change, bash("go vet -tags=e2e ./e2e/...", "")];
    const { observations, summary } = observe(turn("add checks", calls, "The checks in `env.go` are there."));
    expect(JSON.stringify(observations)).not.toContain("go build fails");
    expect(summary?.notes).toBeUndefined();
    const open = observe(turn("add checks", [change, red], "The checks in `env.go` are there."));
    expect(open.summary?.notes).toContain("undefined: testBinary");
  });

  it("tells of a run that failed only where nothing came after it", () => {
    const failed = bash("git rebase main", "error: could not apply 1234567", true);
    const over = observe(
      turn("rebase", [edit("/app/a.ts", "1", "2"), failed, bash("git rebase --continue")], "Rebased."),
    );
    expect(over.observations[0]?.facts).toEqual([]);
    const [stands] = observe(
      turn("rebase", [edit("/app/a.ts", "1", "2"), failed], "It stops there."),
    ).observations;
    expect(stands?.facts.join()).toContain("could not apply");
  });

  it("is no condition, no example and nothing that the user is asked to look for", () => {
    const words = `The warning about the clock of the harbour is shown when all of these conditions hold:\n\n1. **Another boat exists** in the same harbour of the \`board.ts\`\n\nThe clock in \`clock.ts\` decides which boat is shown first.\n\nYou can now run the \`npm test\` again.`;
    const [observed] = observe(
      turn("when is it shown", [read("/app/clock.ts"), bash("node x.js", "1")], words),
    ).observations;
    expect(observed?.title).toBe("The clock in clock.ts decides which boat is shown first");
  });

  it("names the files where the task in progress is too long", () => {
    const todos = [{ content: "word ".repeat(30), status: "in_progress" }];
    const calls = [{ tool: "TodoWrite", input: { todos } }, edit("/app/board.ts", "1", "2")];
    expect(observe(turn("go on", calls)).observations[0]?.title).toBe("Edit board.ts");
  });

  it("names fewer files where they are too long", () => {
    const long = (name: string) => edit(`/app/${name.repeat(12)}.ts`, "1", "2");
    const [observed] = observe(turn("go on", ["night", "boats", "board"].map(long))).observations;
    expect(observed?.title).toBe(`Edit ${"night".repeat(12)}.ts and 2 more`);
    expect(observed?.narrative).toContain(`${"board".repeat(12)}.ts`);
  });

  it("is the subject of a commit in another folder", () => {
    const commit = bash("git -C /app -c user.name=a commit -am 'Show late boats'", "[main 1234567] Show");
    const [observed] = observe(turn("go on", [edit("/app/a.ts", "1", "2"), commit], "Done.")).observations;
    expect(observed?.title).toBe("Show late boats");
  });

  it("calls a cause a suspicion while nothing has confirmed it", () => {
    const words = "Root cause: the clock in `src/clock.ts` counts from noon.";
    const suspected = "Suspected: Root cause: the clock in src/clock.ts counts from noon";
    expect(observe(turn("look into it", [read("/app/a.ts")], words)).observations[0]?.title).toBe(suspected);
    const calls = [
      bash("npm test", "  ✖ shows noon\n", true),
      edit("/app/a.ts", "1", "2"),
      bash("npm test", "ok"),
    ];
    expect(observe(turn("look into it", calls, words)).observations[0]?.title).not.toContain("Suspected");
  });

  it.each([
    [
      "Found it! The bug is on line 12 of `src/clock.ts`.",
      "Suspected: The bug is on line 12 of src/clock.ts",
    ],
    [
      "The clock in `src/clock.ts` is most likely late.",
      "Suspected: The clock in src/clock.ts is most likely late",
    ],
    ["Confirmed. The bug is on line 12 of `src/clock.ts`.", "The bug is on line 12 of src/clock.ts"],
  ])("calls a fault that was only read a suspicion: %s", (words, title) => {
    expect(observe(turn("look into it", [read("/app/a.ts")], words)).observations[0]?.title).toBe(title);
  });
});

describe("a summary", () => {
  const change = [edit("/app/src/clock.ts", "1", "2")];
  const summaryOf = (words: string) => observe(turn("go on", change, words)).summary;

  it("has next steps that are said to be open, and no sentence that only speaks of what remains", () => {
    const words =
      "`state.clock` remains nil. The tick is called next. Still have both constants. Remaining tasks: #2 (the board). Want me to:\n- wait?\n";
    expect(summaryOf(words)?.nextSteps).toBe("Remaining tasks: #2 (the board).");
  });

  it("calls completed what was done, and not a fault, an advice or what to look for", () => {
    const words =
      "`clock.ts` was dropping late boats. Added a guard to `clock.ts`. It should work in `clock.ts` from now.\n\nWhen you run `clock.ts` again, look for:\n1. `boats` in the list of the clock.ts\n";
    expect(summaryOf(words)?.completed).toBe("Added a guard to clock.ts");
  });

  it("calls an opinion or a suspicion nothing that was completed", () => {
    expect(summaryOf("The clock in `clock.ts` might be too slow for the board.")?.completed).toBe(
      "Edit clock.ts",
    );
    expect(summaryOf("When a boat leaves, all clocks of `clock.ts` are read.")?.completed).toBe(
      "Edit clock.ts",
    );
  });

  it("tells of an item with the heading that says whose it is", () => {
    const words =
      "The clock in `clock.ts` has two kinds of boats.\n\n## Modified boats\n- Always count as late, whatever the clock says\n\n**Do you want it?** It waits for `clock.ts` and is short.";
    const { observations, summary } = observe(turn("explain", [read("/app/src/clock.ts")], words));
    expect(observations[0]?.subtitle).toContain("Modified boats: Always count as late");
    expect(JSON.stringify([observations[0]?.facts, summary?.learned])).not.toContain("Do you want it");
  });

  it("does not learn what an opening says of one case, nor calls completed what was skipped", () => {
    const words =
      "Added a guard to `clock.ts`.\n\n**This means**: If the harbour closes, all boats wait. At that point:\n- The flag `isOpen` is cleared\n\n**Comments:**\n- `board.ts` - Skipped (it is tested)\n";
    const { observations, summary } = observe(turn("go on", change, words));
    expect(JSON.stringify([observations[0]?.facts, summary?.learned ?? ""])).not.toContain("isOpen");
    expect(summary?.completed).toBe("Added a guard to clock.ts");
  });

  it("does not tell the steps of an example, nor what was so before", () => {
    const words =
      "Created two scripts in `clock.ts` for the harbour.\n\n1. **late.sh** - Tests late boats:\n   - The commit only contains `lateBoats` of the second day\n\n**Before:**\nThe flag `isOpen` was missing in the clock.\n";
    expect(observe(turn("go on", change, words)).observations[0]?.facts).toEqual([]);
    expect(summaryOf(words)?.learned ?? "").not.toMatch(/lateBoats|isOpen/);
  });

  it("does not learn what holds under a condition alone", () => {
    const words =
      "The clock in `clock.ts` counts from noon.\n\nIf you close the harbour:\n- The flag `isOpen` is cleared by the clock\n";
    expect(summaryOf(words)?.learned ?? "").not.toContain("isOpen");
  });
});

describe("concepts", () => {
  it("are names, and no marks of redaction", () => {
    const request = "use [redacted: github-token] where parseClock reads it";
    const [observed] = observe(turn(request, [edit("/app/board.ts", "1", "2")], "It works.")).observations;
    expect(observed?.concepts).toEqual(["board", "parseClock"]);
  });
});

describe("work that was taken back", () => {
  const change = edit("/app/src/clock.ts", "1", "2");
  const restoring = [
    "git checkout -- src/clock.ts",
    "git restore src/clock.ts",
    "git reset --hard",
    "git checkout .",
  ];

  it.each(restoring)("in the same turn is called undone: %s", (command) => {
    const words = "The clock in `src/clock.ts` counts from noon.";
    const [observed] = observe(turn("try it", [change, bash(command)], words), {
      folder: "/app",
    }).observations;
    expect(observed).toMatchObject({
      title: "Undone: The clock in src/clock.ts counts from noon",
      filesModified: [],
      concepts: expect.arrayContaining(["undone"]),
    });
  });

  it.each([
    [change, bash("git checkout -- src/board.ts")],
    [change, bash("git checkout main")],
    [change, bash("git reset --hard origin/main")],
    [change, bash("git checkout --theirs src/clock.ts && git add src/clock.ts")],
    [bash("git restore src/clock.ts"), change],
    [change, bash("git restore --staged src/clock.ts")],
    [change, bash("git restore src/clock.ts", "fatal: no", true)],
  ])("is not what stays: %j %j", (...calls) => {
    const [observed] = observe(turn("try it", calls, "The clock counts from noon."), {
      folder: "/app",
    }).observations;
    expect(observed?.filesModified).toEqual(["src/clock.ts"]);
    expect(observed?.title).not.toContain("Undone");
  });

  it.each([
    ["no revert those changes", "Reverted."],
    ["算了，改回去", "已改回。"],
  ])("before is known by its files, where user and agent say so: %s", (request, words) => {
    const { undoes } = observe(turn(request, [change], words), { folder: "/app" });
    expect(undoes).toEqual({ files: ["src/clock.ts"], commits: [], isAsked: true });
    expect(observe(turn(`${request}?`, [change], words)).undoes).toBeUndefined();
    expect(observe(turn("go back to the clock", [change], "It shows noon.")).undoes).toBeUndefined();
  });
});

describe("changes that were broken off before they had a result", () => {
  it("did nothing, and are not undone either", () => {
    const history = turn("show late boats", [edit("/app/src/board.ts", "1", "2")]).slice(0, -1);
    expect(told(observe(history))).toEqual([]);
  });
});

describe("the bundled session", () => {
  it("reads as it was reviewed", async () => {
    const { items } = await readConversation(path.join(root, "sample/session.jsonl"));
    let before = "";
    const pages = userTurns(items).map(({ start, end }) => {
      const history = items.slice(start, end);
      const turn = turnOfHistory(history, { folder: "/home/dev/ferry-times", before });
      const observed = observeTurn(turn);
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
