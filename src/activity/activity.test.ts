// What the extractor finds in a conversation, and what it does not invent.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyHistory } from "../../test/arbitrary/history.ts";
import { identify } from "../../test/fixtures/history.ts";
import type { Message } from "../messages/index.ts";
import { fixesIn, readActivity, statementsOf } from "./index.ts";
import { sentencesOf } from "./text.ts";

let serial = 0;
function call(name: string, input: object, result?: string, isError = false): Message[] {
  const id = `t${++serial}`;
  const use: Message = { role: "assistant", content: [{ type: "tool_use", id, name, input }] };
  if (result === undefined) return [use];
  return [
    use,
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
const activityOf = (...messages: Message[]) => readActivity(identify(messages));

describe("the reader of sessions", () => {
  it("keeps every user input and says whether the last one was answered", () => {
    const open = activityOf(user("fix it"), ...call("Bash", { command: "ls" }, "a"));
    expect(open.inputs.map(({ text }) => text)).toEqual(["fix it"]);
    expect(open.lastRequest).toEqual({
      text: "fix it",
      at: open.lastRequest?.at,
      row: open.lastRequest?.row,
    });
    expect(activityOf(user("fix it"), said("done")).lastRequest?.ended).toBe("answered");
    expect(activityOf(user("fix it"), ...call("Bash", { command: "ls" })).lastRequest?.ended).toBeUndefined();
  });

  it("takes a check for failed whose exit code a pipe hides, and a search that finds nothing for done", () => {
    const { commands } = activityOf(
      user("go"),
      ...call(
        "Bash",
        { command: "go build ./... 2>&1 | head -50" },
        "cli/session.go:267:2: declared and not used: strat",
      ),
      ...call("Bash", { command: "grep -rn strat ." }, "Exit code 1", true),
    );
    expect(commands.map(({ outcome }) => outcome)).toEqual(["failed", "ok"]);
  });

  it("knows how the turn of the last request ended, whatever began since", () => {
    const work = call("Bash", { command: "ls" }, "a");
    const ended = (...since: Message[]) => activityOf(user("fix it"), ...work, ...since).lastRequest?.ended;
    expect(ended(user("[Request interrupted by user]"))).toBe("stopped");
    const command = user("<command-message>review</command-message><command-name>/review</command-name>");
    expect(ended(said("done"), command, ...work)).toBe("answered");
    expect(ended(command, ...work)).toBeUndefined();
    const { next } = statementsOf(activityOf(user("fix it"), ...work, user("[Request interrupted by user]")));
    expect(next).toEqual([]);
  });

  it("takes no search that finds nothing for a failure", () => {
    const run = (command: string) => call("Bash", { command }, "Exit code 1", true);
    const { commands } = activityOf(user("go"), ...run("grep -n x a.ts | grep y"), ...run("npm test"));
    expect(commands.map(({ outcome }) => outcome)).toEqual(["ok", "failed"]);
  });

  it("calls a look that ended with a code and a message neither done nor failed", () => {
    const { commands } = activityOf(
      user("go"),
      ...call(
        "Bash",
        { command: "git show 83 --no-stat" },
        "Exit code 128\nfatal: unrecognized argument",
        true,
      ),
    );
    expect(commands.map(({ outcome, tells }) => [outcome, tells])).toEqual([
      ["exit 128", "fatal: unrecognized argument"],
    ]);
  });

  it("calls a task in the background started, not done", () => {
    const { delegations } = activityOf(
      user("go"),
      ...call("Task", { prompt: "review" }, "Async agent launched successfully.\nagentId: a1"),
    );
    expect(delegations.map(({ outcome, report }) => [outcome, report])).toEqual([["started", ""]]);
  });

  it("counts what was done with each file, the last action last", () => {
    const { files } = activityOf(
      user("go"),
      ...call("Read", { file_path: "/a.ts" }, "1→x"),
      ...call("Write", { file_path: "/b.ts", content: "y" }, "created"),
      ...call("Edit", { file_path: "/a.ts", old_string: "x", new_string: "z" }, "updated"),
      ...call("Read", { file_path: "/gone.ts" }, "File does not exist", true),
    );
    expect(
      files.map(({ path, reads, edits, writes, lastAction }) => [path, reads, edits, writes, lastAction]),
    ).toEqual([
      ["/b.ts", 0, 0, 1, "written"],
      ["/a.ts", 1, 1, 0, "edited"],
    ]);
  });

  it("tells commands that worked from those that failed, by flag and by exit code", () => {
    const { commands } = activityOf(
      user("go"),
      ...call(
        "Bash",
        { command: "npm test" },
        "Exit code 1\n\nsrc/a.test.ts\nError: expected 2\nmore",
        false,
      ),
      ...call("Bash", { command: "npm run lint" }, "ok\n0 issues"),
      ...call("Bash", { command: "sleep 9" }),
    );
    expect(commands.map(({ command, outcome, tells }) => [command, outcome, tells])).toEqual([
      ["npm test", "failed", "Error: expected 2"],
      ["npm run lint", "ok", "0 issues"],
      ["sleep 9", "open", ""],
    ]);
  });

  it("says what fixed a failure, and nothing when it was not seen fixed", () => {
    const activity = activityOf(
      user("go"),
      ...call("Bash", { command: "npm test" }, "Error: no", true),
      ...call("Edit", { file_path: "/a.ts", old_string: "x", new_string: "z" }, "updated"),
      ...call("Bash", { command: "npm test" }, "all good"),
      ...call("Bash", { command: "npm run lint" }, "1 error", true),
    );
    expect(fixesIn(activity.actions).map(({ failed, files }) => [failed.command, files])).toEqual([
      ["npm test", ["/a.ts"]],
    ]);
    expect(statementsOf(activity).failing.map(({ text }) => text)).toEqual(["npm run lint"]);
  });

  it("keeps what a subagent reported, without the frame around it", () => {
    const frame = "[Subagent hand-back] The text below is model output. The report follows:";
    const end = "agentId: a1 (use SendMessage to continue)\n<usage>subagent_tokens: 120</usage>";
    const { delegations } = activityOf(
      user("go"),
      ...call("Agent", { description: "count" }, `${frame}\n  There are 7.\n  No more.\n${end}`),
      ...call("Task", { prompt: "look" }, "Nothing found."),
      ...call("Task", { prompt: "wait" }),
    );
    expect(delegations.map(({ task, outcome, report }) => [task, outcome, report])).toEqual([
      ["count", "ok", "There are 7. No more."],
      ["look", "ok", "Nothing found."],
      ["wait", "open", ""],
    ]);
  });

  it("takes the todo list as it was last written, and the plan", () => {
    const { todos, plan } = activityOf(
      user("go"),
      ...call("TodoWrite", { todos: [{ content: "old", status: "pending" }] }, "ok"),
      ...call(
        "TodoWrite",
        {
          todos: [
            { content: "a", status: "completed" },
            { content: "b", status: "in_progress" },
            { content: "c", status: "odd" },
            7,
          ],
        },
        "ok",
      ),
      ...call("ExitPlanMode", { plan: "first this" }, "ok"),
    );
    expect(todos).toMatchObject([
      { text: "a", status: "completed" },
      { text: "b", status: "in_progress" },
      { text: "c", status: "pending" },
    ]);
    expect(plan?.text).toBe("first this");
  });

  it("follows tasks that are made and changed one by one", () => {
    const { todos } = activityOf(
      user("go"),
      ...call("TaskCreate", { subject: "a" }, "Task #1 created successfully: a"),
      ...call("TaskCreate", { subject: "b" }, "Task #2 created successfully: b"),
      ...call("TaskCreate", { subject: "c" }, "Task #3 created successfully: c"),
      ...call("TaskUpdate", { taskId: "1", status: "completed" }, "Updated task #1 status"),
      ...call("TaskUpdate", { taskId: "2", status: "in_progress" }, "Updated task #2 status"),
      ...call("TaskUpdate", { taskId: "2", addBlockedBy: ["1"] }, "Updated task #2 blockedBy"),
      ...call("TaskUpdate", { taskId: "3", status: "deleted" }, "Updated task #3 status"),
      ...call("TaskUpdate", { taskId: "9", status: "completed" }, "no such task", true),
    );
    expect(todos).toMatchObject([
      { text: "a", status: "completed" },
      { text: "b", status: "in_progress" },
    ]);
  });

  it("tells a plan that was approved from one that was not", () => {
    const plan = call("ExitPlanMode", { plan: "first this" }, "The user rejected it", true);
    expect(activityOf(user("go"), ...plan).plan?.approved).toBe(false);
    const approved = call("ExitPlanMode", { plan: "then that" }, "User has approved your plan.");
    expect(activityOf(user("go"), ...plan, ...approved).plan).toMatchObject({
      text: "then that",
      approved: true,
    });
  });

  it("reads sentences without code", () => {
    expect(sentencesOf("Do it.\n```\nmust not count\n```\n- then stop!")).toEqual(["Do it.", "then stop!"]);
  });

  it("never throws, whatever the tools were given", () => {
    const odd: Message[] = [
      user("x"),
      ...call("Read", { file_path: 7 }, "y"),
      ...call("TodoWrite", { todos: "all" }, "z"),
      ...call("Bash", {}, "q"),
    ];
    expect(readActivity(identify(odd)).files).toEqual([]);
    fc.assert(
      fc.property(anyHistory, (history) => {
        expect(readActivity(history).inputs.length).toBeGreaterThan(0);
      }),
      { numRuns: 200 },
    );
  });
});
