// What is stated, with the rows it rests on, and what is left out because nothing proves it.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyHistory } from "../../test/arbitrary/history.ts";
import { identify } from "../../test/fixtures/history.ts";
import type { Message } from "../messages/index.ts";
import { conversationText, readActivity, statementsOf } from "./index.ts";

const user = (content: string): Message => ({ role: "user", content });
const said = (content: string): Message => ({ role: "assistant", content });
let serial = 0;
function call(name: string, input: object, result: string, isError = false): Message[] {
  const id = `t${++serial}`;
  return [
    { role: "assistant", content: [{ type: "tool_use", id, name, input }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: result, is_error: isError }] },
  ];
}
const stated = (...messages: Message[]) => statementsOf(readActivity(identify(messages)));
const texts = (statements: readonly { readonly text: string }[]) => statements.map(({ text }) => text);
const todos = (...entries: readonly (readonly [string, string])[]) =>
  call("TodoWrite", { todos: entries.map(([content, status]) => ({ content, status })) }, "ok");

describe("a next step", () => {
  it("is the request that no turn has ended since", () => {
    const request = user("rename the parser to reader");
    expect(texts(stated(request, ...call("Bash", { command: "ls" }, "a")).next)).toEqual([
      "rename the parser to reader",
    ]);
    expect(stated(request, said("Renamed. Want me to commit it?")).next).toEqual([]);
  });

  it("names what the assistant last announced for it", () => {
    const { next } = stated(
      user("the tests fail since the rebase"),
      said("I see. The fixture is stale.\n\nLet me update the fixture of the parser:"),
      ...call("Edit", { file_path: "/fixture.ts" }, "ok"),
    );
    expect(texts(next)).toEqual([
      "the tests fail since the rebase — begun: Let me update the fixture of the parser",
    ]);
    expect(next[0]?.rows).toHaveLength(2);
  });

  it("names what was announced as it is until a call for it has come back", () => {
    const [asked, ...answer] = call("Read", { file_path: "/a.ts" }, "a");
    const opening = [
      user("do we need that check?"),
      said("You are right. Let me remove it:"),
      asked as Message,
    ];
    expect(texts(stated(...opening).next)).toEqual(["do we need that check? — Let me remove it"]);
    expect(texts(stated(...opening, ...answer).next)).toEqual([
      "do we need that check? — begun: Let me remove it",
    ]);
  });

  it("is not the request once a list divides it, unless something was announced since", () => {
    const listed = [user("go through the review"), ...todos(["rename it", "in_progress"])];
    expect(texts(stated(...listed).next)).toEqual(["rename it (in progress)"]);
    const going = [...listed, said("Now the docs of the reader."), ...call("Read", { file_path: "/a" }, "x")];
    expect(texts(stated(...going).next)).toHaveLength(2);
  });

  it("is not the request whose call the user did not allow", () => {
    const refusal =
      "The user doesn't want to proceed with this tool use. The tool use was rejected. STOP what you are doing and wait for the user to tell you how to proceed.";
    expect(stated(user("plan it"), ...call("ExitPlanMode", { plan: "# A" }, refusal, true)).next).toEqual([]);
  });

  it("is what was agreed to, where the request only agrees", () => {
    const { next } = stated(
      user("why is it slow?"),
      said("It sorts twice in `rank()`. I would sort once. Want me to change that?"),
      user("yes please"),
      ...call("Read", { file_path: "/a.ts" }, "x"),
    );
    expect(next[0]?.text).toContain("rank()");
    expect(next[0]?.rows).toHaveLength(2);
  });

  it("is an open item of the newest list, the one in progress first", () => {
    const { next } = stated(
      user("go"),
      ...todos(["old", "pending"]),
      ...todos(["a", "completed"], ["b", "pending"], ["c", "in_progress"]),
    );
    expect(texts(next)).toEqual(["c (in progress)", "b"]);
  });

  it("is in progress only while the turn is", () => {
    const { next } = stated(user("go"), ...todos(["b", "pending"], ["c", "in_progress"]), said("c waits."));
    expect(texts(next)).toEqual(["c", "b"]);
  });

  it("is none of a list whose work the user stopped", () => {
    const refusal = "The user doesn't want to proceed with this tool use. The user said: let's discuss";
    const stopped = call("Edit", { file_path: "/a.ts" }, refusal, true);
    const half = todos(["b", "pending"], ["c", "in_progress"]);
    expect(stated(user("go"), ...half, ...stopped, said("Sure.")).next).toEqual([]);
    expect(stated(user("go"), ...stopped, ...half, said("Sure.")).next).toHaveLength(2);
    expect(stated(user("go"), ...todos(["b", "pending"]), ...stopped, said("Sure.")).next).toHaveLength(1);
  });
});

describe("a core of one command", () => {
  it("is a command that was typed alone, once it is the latest", () => {
    const review = user(
      "<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args></command-args>",
    );
    const before = [user("rename the parser to reader, please"), said("Renamed the parser to reader.")];
    const { core } = stated(...before, review, said("The reader drops the last line of a file."));
    expect(core?.text).toBe("/review — The reader drops the last line of a file.");
    expect(
      stated(...before, review, said("Fine."), user("now write the docs of the reader")).core?.text,
    ).toBe("now write the docs of the reader");
  });

  it("holds what was agreed to, where nothing has been said since", () => {
    const { core } = stated(
      user("hmm, panics in code are not great either, any other option?"),
      said("1. Return errors from every call\n2. Validate the ids while they are parsed"),
      user("option 2"),
      ...call("Read", { file_path: "/a.go" }, "x"),
    );
    expect(core?.text).toContain("panics");
    expect(core?.text).toContain("Validate the ids while they are parsed");
    expect(core?.rows.length).toBeGreaterThan(1);
  });
});

describe("a failure", () => {
  const failing = "FAIL a.test.ts > adds\nAssertionError: expected 3 to be 4";

  it.each([
    ["that the user interrupted", "Exit code 137\n[Request interrupted by user for tool use]\n--- PASS: a"],
    ["that was dropped with one beside it", "<tool_use_error>Sibling tool call errored</tool_use_error>"],
  ])("is no run %s", (_which, output) => {
    expect(stated(user("go"), ...call("Bash", { command: "npm test" }, output, true)).failing).toEqual([]);
  });

  it("is no check that passed otherwise while nothing was changed", () => {
    const [green, red] = [
      call("Bash", { command: "eslint ." }, "0 problems"),
      call("Bash", { command: "eslint --no-config ." }, "a.ts:1:1: unused", true),
    ];
    expect(stated(user("go"), ...green, ...red).failing).toEqual([]);
    const change = call("Edit", { file_path: "/a.ts" }, "ok");
    expect(stated(user("go"), ...green, ...change, ...red).failing).toHaveLength(1);
  });

  it("is a check that has not passed since", () => {
    const run = call("Bash", { command: "npx vitest run" }, failing, true);
    const { failing: stands } = stated(user("go"), ...run);
    expect(stands[0]?.text).toContain("expected 3 to be 4");
    expect(stands[0]?.rows).toHaveLength(1);
    expect(stated(user("go"), ...run, ...call("Bash", { command: "npm test" }, "12 passed")).failing).toEqual(
      [],
    );
  });

  it("to build is settled by tests that had to be built", () => {
    const build = call("Bash", { command: "go build ./..." }, "Exit code 1\na.go:4:2: undefined: x", true);
    const test = call("Bash", { command: "go test -c ./..." }, "");
    expect(stated(user("go"), ...build).failing).toHaveLength(1);
    expect(stated(user("go"), ...build, ...test).failing).toEqual([]);
    expect(stated(user("go"), ...build, ...call("Bash", { command: "npm test" }, "")).failing).toHaveLength(
      1,
    );
  });

  it("of an earlier turn is not stated: it may be settled unseen", () => {
    const run = call("Bash", { command: "npx vitest run" }, failing, true);
    expect(stated(user("go"), ...run, said("It fails."), user("thanks, now the docs")).failing).toEqual([]);
  });

  it("is no call that the user stopped", () => {
    const refusal = "The user doesn't want to proceed with this tool use.";
    expect(stated(user("go"), ...call("Bash", { command: "npm test" }, refusal, true)).failing).toEqual([]);
  });
});

describe("a decision", () => {
  it("is a choice, with both of its rows", () => {
    const history = identify([user("how?"), said("1. by hand\n2. with a script\nWhich?"), user("2")]);
    const { decisions } = statementsOf(readActivity(history));
    expect(decisions).toMatchObject([{ text: "with a script\nWhich?".split("\n").join(" ") }]);
    expect(decisions[0]?.rows).toEqual([history[2]?.id, history[1]?.id]);
  });

  it.each(["yeah let's look at the logs", "I decided to go to lunch", "这个要识别吗", "别的地方也看一下"])(
    "is not made by: %s",
    (reply) => {
      expect(stated(user("hi"), said("The build is green."), user(reply)).decisions).toEqual([]);
    },
  );

  it("that was taken back is gone", () => {
    const { decisions } = stated(
      user("how?"),
      said("1. by hand\n2. with a script\nWhich?"),
      user("2"),
      said("Done."),
      user("no revert that, by hand"),
    );
    expect(decisions).toEqual([]);
  });
});

describe("the core", () => {
  it("is the last request with something in it, over replies that only agree", () => {
    const { core } = stated(
      user("make the export faster, it takes three minutes"),
      said("I would page by id. Want me to?"),
      user("yes"),
      said("Paged by id: 20 s now."),
    );
    expect(core?.text).toMatch(/^make the export faster/);
  });

  it("counts the signs of Chinese, where words are not divided", () => {
    const { core } = stated(
      user("身份证识别完之后 性别没回填，姓名和号码都有"),
      said("已改成 res.sex。"),
      user("左边那栏有点窄 160 -> 200"),
      said("改成 200rpx 了。"),
    );
    expect(core?.text).toMatch(/^左边那栏有点窄/);
  });
});

describe("files in play", () => {
  it("are those of the latest turns, changed ones first", () => {
    const edit = (file: string) => call("Edit", { file_path: file, old_string: "a", new_string: "b" }, "ok");
    const read = (file: string) => call("Read", { file_path: file }, "x");
    const turns = Array.from({ length: 6 }, () => [user("and now the next one"), said("ok")]).flat();
    const { files } = stated(
      user("go"),
      ...edit("/old.ts"),
      ...turns,
      user("the other one"),
      ...read("/read.ts"),
      ...edit("/new.ts"),
    );
    expect(files).toEqual(["/new.ts", "/read.ts"]);
  });
});

describe("the conversation", () => {
  it("shows every short reply of the user, whatever else is cut", () => {
    const long = "This explains a great deal about the parser and its tests. ".repeat(60);
    const messages = Array.from({ length: 20 }, (_, at) => [
      user(`please do part ${at} of it`),
      said(long),
    ]).flat();
    const text = conversationText(readActivity(identify(messages)), 4_000);
    for (let at = 0; at < 20; at++) expect(text).toContain(`user: please do part ${at} of it`);
    expect(text.length).toBeLessThanOrEqual(4_000);
  });

  it("keeps everything where there is room", () => {
    const text = conversationText(readActivity(identify([user("one"), said("two"), user("three")])), 500);
    expect(text).toBe("user: one\nassistant: two\nuser: three");
  });

  it("stays within its size, whatever was said", () => {
    fc.assert(
      fc.property(anyHistory, fc.nat(3_000), (history, budget) => {
        expect(conversationText(readActivity(history), budget).length).toBeLessThanOrEqual(budget);
      }),
      { numRuns: 100 },
    );
  });
});
