// What the gate finds missing or false in a summary, how it puts that right, and when it gives up.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyHistory } from "../../test/arbitrary/history.ts";
import { identify } from "../../test/fixtures/history.ts";
import type { Message } from "../messages/index.ts";
import { estimateText } from "../tokens/index.ts";
import { checkQuality, type Gap, summariseDeterministically } from "./index.ts";
import { PATCH_TOKENS, type Quality } from "./quality.ts";

let serial = 0;
function call(name: string, input: object, result: string, isError = false): Message[] {
  const id = `t${++serial}`;
  return [
    { role: "assistant", content: [{ type: "tool_use", id, name, input }] },
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: id, content: result, ...(isError ? { is_error: true } : {}) },
      ],
    },
  ];
}
const user = (content: string): Message => ({ role: "user", content });
const said = (content: string): Message => ({ role: "assistant", content });
const todos = (list: Readonly<Record<string, string>>): Message[] =>
  call("TodoWrite", { todos: Object.entries(list).map(([content, status]) => ({ content, status })) }, "ok");

function gate(messages: Message[], summary: string, keep = 0, patchTokens = PATCH_TOKENS): Quality {
  const history = identify(messages);
  return checkQuality({
    history,
    kept: keep === 0 ? [] : history.slice(-keep),
    summary,
    family: "old",
    patchTokens,
  });
}
const kinds = (gaps: readonly Gap[]): string[] => gaps.map(({ kind }) => kind);

describe("what is missing", () => {
  it("leaves a summary alone that says everything", () => {
    const summary = "1. Primary Request and Intent: fix the parser";
    expect(gate([user("Fix the  parser")], summary)).toEqual({ ok: true, summary, patched: [] });
  });

  it("puts the latest request back, word for word", () => {
    const { ok, summary, patched } = gate(
      [user("hello"), said("hi"), user("Now rename it to Quux")],
      "We talked.",
    );
    expect([ok, kinds(patched)]).toEqual([true, ["request"]]);
    expect(summary).toContain("The user's latest message: Now rename it to Quux");
    expect(summary.startsWith("We talked.\n\n")).toBe(true);
  });

  it("finds it in the kept messages as well", () => {
    expect(gate([user("Now rename it"), said("yes")], "We talked.", 2).patched).toEqual([]);
  });

  it("tells a long request by its beginning and its end", () => {
    const request = `Begin here. ${"And then some more of it, please. ".repeat(400)}End there.`;
    const { ok, summary } = gate([user(request)], "We talked.");
    expect(ok).toBe(true);
    expect(summary).toContain("Begin here.");
    expect(summary).toContain("End there.");
    expect(summary.length).toBeLessThan(request.length);
    expect(gate([user(request)], summary)).toEqual({ ok: true, summary, patched: [] });
  });

  it("names the files changed last and the commands that fail, and says what they are", () => {
    const messages = [
      user("go"),
      ...call("Edit", { file_path: "/home/p/src/a.ts", old_string: "x", new_string: "y" }, "ok"),
      ...call("Read", { file_path: "/home/p/src/only-read.ts" }, "1→z"),
      ...call("Bash", { command: "npm test" }, "Error: expected 2", true),
      ...call("Bash", { command: "npm run lint" }, "Error: tabs", true),
      ...call("Bash", { command: "npm run lint" }, "ok"),
    ];
    const { summary, patched } = gate(messages, "go");
    expect(patched.map(({ text }) => text)).toEqual(["/home/p/src/a.ts", "npm test"]);
    expect(summary).toContain("- Changed lately: /home/p/src/a.ts");
    expect(summary).toContain("- Failing when it was last run: `npm test`: Error: expected 2");
    // A path may be told from the project on.
    expect(gate(messages, "go: src/a.ts is changed, `npm test` fails").patched).toEqual([]);
  });

  it("names open tasks with their state, and no task that is done", () => {
    const messages = [
      user("go"),
      ...todos({ "write docs": "pending", "add tests": "in_progress", plan: "completed" }),
    ];
    const { summary, patched } = gate(messages, "go");
    expect(kinds(patched)).toEqual(["undone", "undone"]);
    expect(summary).toContain("- [pending] write docs\n- [in_progress] add tests");
    expect(summary).not.toContain("plan");
  });
});

describe("what is false", () => {
  const open = [
    user("go"),
    ...todos({ "migrate the session store": "pending", "write the login form": "completed" }),
  ];

  it.each([
    "- [x] migrate the session store",
    "- ✅ Migrate the session store",
    "The work to migrate the session store was completed.",
    "Completed:\n- migrate the session store",
    "## Completed tasks\n\n* migrate the session store",
    "The session store was migrated: migrate the session store is done",
    "migrate the session store:已完成",
  ])("is an open task called done: %j", (claim) => {
    const { ok, summary, patched } = gate(open, `go\n${claim}`);
    expect([ok, kinds(patched)]).toEqual([true, ["false-done"]]);
    expect(summary).toBe(`go\n${claim} (the task list has this as pending)`);
    expect(gate(open, summary).patched).toEqual([]);
  });

  it.each([
    "- [ ] migrate the session store",
    "Pending: migrate the session store",
    "To migrate the session store is not done yet.",
    "- [in_progress] migrate the session store",
    "Once the form is completed, migrate the session store",
    "migrate the session store:尚未完成",
    "Completed:\n- write the login form\nNext:\n- migrate the session store",
  ])("is not said by %j", (line) => {
    expect(gate(open, `go\n${line}`).patched).toEqual([]);
  });

  it("is a finished task called open", () => {
    const { summary, patched } = gate(
      open,
      "go\n7. Pending Tasks:\n- write the login form\n- migrate the session store",
    );
    expect(kinds(patched)).toEqual(["redo"]);
    expect(summary).toContain("- write the login form (the task list has this as completed)\n- migrate");
  });

  it("is found in other words for the same task, and not said of a task that is on the list twice", () => {
    const list = todos({ "add integration tests for multi device login": "pending" });
    const { patched } = gate([user("go"), ...list], "go\nIntegration tests for multi-device sign-in: done");
    expect(kinds(patched)).toContain("false-done");
    const twice = ["completed", "pending"].map((status) => ({ content: "write the docs", status }));
    const messages = [user("go"), ...call("TodoWrite", { todos: twice }, "ok")];
    expect(gate(messages, "go\n- [x] write the docs").patched).toEqual([]);
  });

  it("is not found in a task's own words", () => {
    const list = todos({ "Show completed orders as done": "pending" });
    expect(gate([user("go"), ...list], "go\n- Show completed orders as done").patched).toEqual([]);
  });

  it("is a failing command said to pass", () => {
    const messages = [user("go"), ...call("Bash", { command: "npm test" }, "Error: expected 2", true)];
    const { summary, patched } = gate(messages, "go\nAll is well: npm test passes.");
    expect(kinds(patched)).toEqual(["false-done"]);
    expect(summary).toContain("npm test passes. (its last run failed: Error: expected 2)");
    // An earlier run may have passed, as long as the last one is told.
    expect(gate(messages, "go\n- `npm test` passed\n- `npm test` failed").patched).toEqual([]);
  });
});

describe("what cannot be put right", () => {
  it("is refused with its reasons, and as much as possible is put right all the same", () => {
    const request = `Rename these. ${"One more word. ".repeat(200)}`;
    const refused = gate([user(request), ...todos({ "write docs": "pending" })], "We talked.", 0, 60);
    expect(refused.ok).toBe(false);
    expect(refused.ok ? [] : kinds(refused.reasons)).toEqual(["request"]);
    expect(refused.summary).toContain("[pending] write docs");
  });

  it("is not refused for a few of many names, but for most of them", () => {
    const names = Array.from({ length: 40 }, (_, at) => `\`oldFunctionNumber${at}\``);
    const messages = [user("go"), said("ok"), user(`Call none of ${names.join(", ")} again.`)];
    const request = `Call none of ${names.join(", ")} again.`;
    expect(gate(messages, request, 0, 500).ok).toBe(true);
    const edits = Array.from({ length: 5 }, (_, at) =>
      call("Edit", { file_path: `/src/file${at}.ts`, old_string: "x", new_string: "y" }, "ok"),
    ).flat();
    const refused = gate([user("go"), ...edits], "go", 0, 40);
    expect(refused.ok ? [] : [...new Set(kinds(refused.reasons))]).toEqual(["identifier"]);
  });

  it("includes corrections for which there is no room", () => {
    const messages = [user("go"), ...todos({ "migrate the session store": "pending" })];
    const refused = gate(messages, "go\n- [x] migrate the session store", 0, 3);
    expect(refused.ok ? [] : kinds(refused.reasons)).toEqual(["false-done"]);
  });
});

describe("any summary of any conversation", () => {
  it("is patched within the tokens, and what was patched is not missed again", () => {
    fc.assert(
      fc.property(anyHistory, fc.nat(3_000), fc.boolean(), (history, patchTokens, own) => {
        const half = history.slice(Math.floor(history.length / 2));
        const summary = own
          ? summariseDeterministically({ history, budget: 2_000, family: "old" }).text
          : "They spoke.";
        const once = checkQuality({ history, kept: half, summary, family: "old", patchTokens });
        const added = estimateText(once.summary, "old") - estimateText(summary, "old");
        expect(added).toBeLessThanOrEqual(patchTokens);
        const again = checkQuality({ history, kept: half, summary: once.summary, family: "old" });
        const asked = new Set(again.patched.map(({ kind, text }) => `${kind} ${text}`));
        expect(once.patched.filter(({ kind, text }) => asked.has(`${kind} ${text}`))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
