// What state a session is in when its conversation ends, and what its files looked like.
import { describe, expect, it } from "vitest";
import { identify } from "../../test/fixtures/history.ts";
import type { Message } from "../messages/index.ts";
import { knownContents, sessionState } from "./index.ts";

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
const stateOf = (...messages: Message[]) => sessionState(identify([user("go"), ...messages]));

describe("the state of a session", () => {
  it("is plan mode from the tool that enters it to an approved plan", () => {
    const enter = call("EnterPlanMode", {}, "Entered plan mode.");
    const rejected = call("ExitPlanMode", { plan: "p" }, "rejected", true);
    const approved = call("ExitPlanMode", { plan: "p" }, "User has approved your plan.");
    expect(stateOf().planMode).toBe(false);
    expect(stateOf(...enter).planMode).toBe(true);
    expect(stateOf(...enter, ...rejected)).toMatchObject({ planMode: true, plan: "p" });
    expect(stateOf(...enter, ...approved)).toMatchObject({ planMode: false, plan: "p" });
  });

  it("hears the client's reminders and not a person who quotes them", () => {
    const reminder = user("<system-reminder>\nPlan mode is active. Do not edit.\n</system-reminder>\nhello");
    expect(stateOf(reminder).planMode).toBe(true);
    expect(stateOf(user("why does it say Plan mode is active?")).planMode).toBe(false);
    const left = user("<system-reminder>You have exited plan mode.</system-reminder>");
    expect(stateOf(reminder, left).planMode).toBe(false);
  });

  it("forgets a plan whose tasks are all done, and one that was refused", () => {
    const approved = call("ExitPlanMode", { plan: "p" }, "User has approved your plan.");
    const todo = (status: string) => call("TodoWrite", { todos: [{ content: "a", status }] }, "ok");
    expect(stateOf(...todo("completed"), ...approved).plan).toBe("p");
    expect(stateOf(...approved, ...todo("in_progress")).plan).toBe("p");
    expect(stateOf(...approved, ...todo("completed")).plan).toBeUndefined();
    expect(stateOf(...call("ExitPlanMode", { plan: "p" }, "no", true)).plan).toBeUndefined();
  });

  it("names each skill once, the latest first, with its instructions", () => {
    const loaded = (name: string) => user(`Base directory for this skill: /skills/${name}\n\n# ${name}`);
    const { skills } = stateOf(
      ...call("Skill", { skill: "pack:tdd" }, "Launching skill: pack:tdd"),
      loaded("tdd"),
      loaded("review"),
      ...call("Skill", { skill: "pack:tdd" }, "Launching skill: pack:tdd"),
      ...call("Skill", { skill: "unknown" }, "no such skill", true),
    );
    expect(skills).toEqual([
      { name: "pack:tdd", content: "Base directory for this skill: /skills/tdd\n\n# tdd" },
      { name: "review", content: "Base directory for this skill: /skills/review\n\n# review" },
    ]);
  });

  it("counts tasks in the background until their end is told", () => {
    const agent = call(
      "Task",
      { description: "Review tests", prompt: "…", run_in_background: true },
      "Async agent launched successfully.\nagentId: a1b2 (internal)\nworking in the background",
    );
    const shell = call("Bash", { command: "npm run dev" }, "Command running in background with ID: b7");
    const server = call("Bash", { command: "serve" }, "Command running in background with ID: b8");
    const told = user(
      "<task-notification>\n<task-id>a1b2</task-id>\n<status>completed</status>\n</task-notification>",
    );
    expect(stateOf(...agent, ...shell).tasks).toEqual([
      { id: "a1b2", about: "Review tests" },
      { id: "b7", about: "npm run dev" },
    ]);
    const asked = call("BashOutput", { bash_id: "b7" }, "<status>failed</status>");
    const stopped = call("KillShell", { shell_id: "b8" }, "killed");
    expect(stateOf(...agent, ...shell, ...server, told, ...asked, ...stopped).tasks).toEqual([]);
  });
});

describe("known contents", () => {
  const known = (...messages: Message[]) =>
    knownContents(identify([user("go"), ...messages])).map((file) => [file.path, file.known()]);

  it("are what was read, without line numbers and reminders, with later edits made", () => {
    const read = call(
      "Read",
      { file_path: "/a" },
      "     1→const a = 1;\n     2→use(a);\n<system-reminder>x</system-reminder>",
    );
    const edit = call("Edit", { file_path: "/a", old_string: "a = 1", new_string: "a = '$&'" }, "updated");
    expect(known(...read, ...edit)).toEqual([["/a", { text: "const a = '$&';\nuse(a);" }]]);
  });

  it("are what was written, and follow the order of the last action", () => {
    const write = call("Write", { file_path: "/b", content: "b" }, "created");
    const read = call("Read", { file_path: "/a" }, "1→a");
    const failed = call("Write", { file_path: "/c", content: "c" }, "denied", true);
    const edits = [{ old_string: "b", new_string: "b$&", replace_all: true }];
    const several = call("MultiEdit", { file_path: "/b", edits }, "updated");
    expect(known(...write, ...read, ...several, ...failed)).toEqual([
      ["/a", { text: "a" }],
      ["/b", { text: "b$&" }],
    ]);
  });

  it("say where a part begins, and are not lessened by one", () => {
    const part = call("Read", { file_path: "/a", offset: 40, limit: 1 }, "    40→x");
    const whole = call("Read", { file_path: "/a" }, "1→a\n2→b");
    expect(known(...part)).toEqual([["/a", { text: "x", firstLine: 40 }]]);
    expect(known(...whole, ...part)).toEqual([["/a", { text: "a\nb" }]]);
  });
});
