// What a reply answers, and what it chooses where the form of both says so.
import { describe, expect, it } from "vitest";
import { identify } from "../../test/fixtures/history.ts";
import type { Message } from "../messages/index.ts";
import { dialogueOf } from "./exchanges.ts";

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
const exchangesOf = (...messages: Message[]) => dialogueOf(identify(messages)).exchanges;
const chosenBy = (proposal: string, reply: string) =>
  exchangesOf(user("look into it"), said(proposal), user(reply)).at(-1)?.chosen;

const options = `There are three ways:

**Option 1: Keep the map** - nothing changes.
**Option 2: Typed structs** - validated when read.
It needs a migration.
**Option 3: Panics**

Which one do you prefer?`;
const numbered =
  "1. Split the packages, 590 KB\n2. Images to the CDN\n3. Drop lodash, 528 KB\n\nWhat do you say?";

describe("an option", () => {
  it.each([
    ["2", "Typed structs"],
    ["let's try 2=", "Typed structs"],
    ["option 3 please", "Panics"],
    ["I'd go with option 1 for now, it is the least work", "Keep the map"],
    ["the second one", "Typed structs"],
    ["用第二种", "Typed structs"],
    ["方案三", "Panics"],
  ])("is chosen by: %s", (reply, expected) => {
    const chosen = chosenBy(options, reply);
    expect(chosen).toHaveLength(1);
    expect(chosen?.[0]).toContain(expected);
  });

  it("brings its own lines with it, and no others", () => {
    expect(chosenBy(options, "2")?.[0]).toContain("It needs a migration.");
    expect(chosenBy(options, "2")?.[0]).not.toContain("Panics");
  });

  it("of the last option of a plain list takes no words that follow the list", () => {
    const list = "A few options:\n\n1. **Only check**\n2. **Simulate it**\n\nWhat is your use case?";
    expect(chosenBy(list, "2")).toEqual(["Simulate it"]);
  });

  it("may be one of several, and one that is left out is not chosen", () => {
    expect(chosenBy(numbered, "1和3都做 2先不搞")).toEqual([
      expect.stringContaining("Split"),
      expect.stringContaining("lodash"),
    ]);
  });

  it.each(["what would 2 mean for the tests?", "hmm, any other option?", "let's do it in 91"])(
    "is not chosen by: %s",
    (reply) => {
      expect(chosenBy(options, reply)).toEqual([]);
    },
  );

  it("is chosen before a question of the same reply", () => {
    expect(chosenBy(options, "3 and could we test it too?")?.[0]).toContain("Panics");
  });

  it("may have been proposed some answers before, if it is called an option", () => {
    const talk = [user("how?"), said(options), user("how would that work?"), said("With a map of counts.")];
    const [found] = exchangesOf(...talk, user("keep it, I'd go with option 2 now")).slice(-1);
    expect(found?.chosen[0]).toContain("Typed structs");
    expect(found?.proposal?.text).toBe(options);
    expect(exchangesOf(...talk, user("2 of them")).at(-1)?.chosen).toEqual([]);
  });

  it("is not chosen by a log that was pasted", () => {
    const log = `${"x".repeat(200)}\n=== Step 2: Check ===\nok\n=== Step 3: Done ===`;
    expect(chosenBy(numbered, log)).toEqual([]);
  });
});

describe("numbered questions", () => {
  it("are answered one by one", () => {
    const asked = "Before I start:\n1. Should the old name stay?\n2. Do you want a test for it?";
    expect(chosenBy(asked, "1. no 2. yes, a small one")).toEqual([
      "Should the old name stay? → no",
      "Do you want a test for it? → yes, a small one",
    ]);
  });
});

describe("an offer", () => {
  const offer = "The parser drops empty lines. I would keep them in `readLines`. Want me to change it?";

  it.each(["yes please", "ok do that", "yeah let's do it", "好的", "可以，改吧"])(
    "is accepted by: %s",
    (reply) => {
      expect(chosenBy(offer, reply)?.[0]).toContain("readLines");
    },
  );

  it.each(["no, leave it", "ok, now run the benches", "yes? what for?", "算了"])(
    "is not accepted by: %s",
    (reply) => {
      expect(chosenBy(offer, reply)).toEqual([]);
    },
  );

  it("between two things is not settled by a yes", () => {
    expect(chosenBy("Should I fix it here or in the other branch?", "yes")).toEqual([]);
  });
});

describe("a call", () => {
  it("that was stopped with words is answered by them", () => {
    const refusal =
      "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nlet's do this as a separate PR";
    const [, exchange] = exchangesOf(
      user("fix it"),
      ...call("Edit", { file_path: "/a.ts", new_string: "b" }, refusal, true),
    );
    expect(exchange).toMatchObject({
      reply: "let's do this as a separate PR",
      proposal: { kind: "call", text: "Edit /a.ts: b" },
      stance: "declines",
      chosen: [],
    });
  });

  it("that asks is answered by the option, with what the option says", () => {
    const questions = [
      {
        question: "Which store?",
        options: [
          { label: "SQLite", description: "one file" },
          { label: "Redis", description: "a server" },
        ],
      },
    ];
    const [, exchange] = exchangesOf(
      user("build it"),
      ...call("AskUserQuestion", { questions }, 'User has answered: "Which store?"="SQLite".'),
    );
    expect(exchange?.chosen).toEqual(["Which store? → SQLite: one file"]);
  });

  it("that presents a plan settles it when it is approved, and not before", () => {
    const plan = { plan: "# Move the parser\n1. copy it\n2. delete the old one" };
    const approved = exchangesOf(
      user("plan it"),
      ...call("ExitPlanMode", plan, "User has approved your plan."),
    );
    expect(approved[1]?.chosen[0]).toContain("Move the parser");
    const refused = exchangesOf(
      user("plan it"),
      ...call("ExitPlanMode", plan, "The user doesn't want to proceed with this tool use.", true),
    );
    expect(refused).toHaveLength(1);
  });
});

describe("a number in a reply", () => {
  it("is no option where it belongs to a name", () => {
    const issues =
      "### Critical\n1. No lock\n2. No test of rewinds\n### Important\n1. Long names\n2. Twice the same helper";
    const reply = "Can you go through all issues, and for Critical 2 it might be worth to add a test";
    const found = exchangesOf(user("review it"), said(issues), user(reply));
    expect(found[1]?.chosen).toEqual([]);
    expect(exchangesOf(user("review it"), said(issues), user("Let's do 2"))[1]?.chosen).toHaveLength(1);
  });
});

describe("what is taken back", () => {
  it.each(["no revert those changes", "I concede defeat. let's go back to the old one", "算了，改回去"])(
    "is marked by: %s",
    (reply) => {
      const found = exchangesOf(
        user("which?"),
        said(options),
        user("2"),
        said("Done, the structs are typed."),
        user(reply),
      );
      expect(found.map(({ reversal }) => reversal)).toEqual([undefined, "certain", undefined]);
    },
  );

  it("may be a choice of some replies ago, which is then neither in force nor taken back", () => {
    const found = exchangesOf(
      user("which?"),
      said(options),
      user("2"),
      said("Done."),
      user("为什么不用游标？"),
      said("那样会占住连接。"),
      user("哦 那算了 按现在的 继续吧"),
    );
    expect(found.map(({ reversal }) => reversal)).toEqual([undefined, "possible", undefined, undefined]);
  });

  it("is no choice that lies far behind", () => {
    const later = ["the docs too", "and the tests", "now the linter", "the changelog"].flatMap((words) => [
      user(words),
      said("Done."),
    ]);
    const found = exchangesOf(
      user("which?"),
      said(options),
      user("2"),
      said("Done."),
      ...later,
      user("no revert those changes"),
    );
    expect(found.every(({ reversal }) => reversal === undefined)).toBe(true);
  });

  it("is nothing that was calculated", () => {
    const found = exchangesOf(
      user("which?"),
      said(options),
      user("2"),
      said("Done."),
      user("我算了一下 要两分钟"),
    );
    expect(found.every(({ reversal }) => reversal === undefined)).toBe(true);
  });

  it("is not what a question speaks of", () => {
    const found = exchangesOf(
      user("which?"),
      said(options),
      user("2"),
      said("Done."),
      user("can we revert later?"),
    );
    expect(found.every(({ reversal }) => reversal === undefined)).toBe(true);
  });
});

describe("every exchange", () => {
  it("names the rows of reply and proposal", () => {
    const history = identify([user("a"), said("b?"), user("c")]);
    const [first, second] = dialogueOf(history).exchanges;
    expect(first).toMatchObject({ reply: "a", at: 0 });
    expect(first?.proposal).toBeUndefined();
    expect(second).toMatchObject({
      row: history[2]?.id,
      proposal: { row: history[1]?.id, text: "b?", kind: "words" },
    });
  });
});
