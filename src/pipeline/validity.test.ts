// Broken arrays: mended where nothing is lost by it, refused by name where something would be.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyHistory } from "../../test/arbitrary/history.ts";
import {
  call,
  KEEP_ALL,
  result,
  resultBlock,
  say,
  seedClient,
  thinking,
  thriftyClient,
  user,
} from "../../test/fixtures/pipeline/client.ts";
import { check, type Message, repair } from "../messages/index.ts";
import { recall } from "../vault/index.ts";
import { snip } from "./requests.ts";
import { turnTags } from "./snip/snip.ts";

const NO_RESULT = "[no result was recorded for this call]";

describe("a repair", () => {
  it("leaves a valid array alone, the same object", () => {
    const messages = [user("go"), call("t1", "Bash"), result("t1", "ok")];
    expect(repair(messages)).toEqual({ messages, repairs: [] });
    expect(repair(messages).messages).toBe(messages);
  });

  it("takes out results that answer nothing", () => {
    const orphan = resultBlock("gone", "left over");
    const { messages, repairs } = repair([
      user("go"),
      say("hi"),
      user([orphan, { type: "text", text: "next" }]),
    ]);
    expect(messages).toEqual([user("go"), say("hi"), user([{ type: "text", text: "next" }])]);
    expect(repairs).toEqual([{ message: 2, what: "left out tool_result", removed: [orphan] }]);
  });

  it("leaves out a message of which nothing is left", () => {
    expect(repair([user("go"), say("hi"), result("gone", "x"), user("next")]).messages).toEqual([
      user("go"),
      say("hi"),
      user("next"),
    ]);
  });

  it("answers calls in the middle that were never answered", () => {
    const two: Message = {
      role: "assistant",
      content: ["t1", "t2"].map((id) => ({ type: "tool_use", id, name: "Bash", input: {} })),
    };
    const { messages, repairs } = repair([user("go"), two, result("t1", "ok"), say("done"), user("next")]);
    expect(messages[2]).toEqual(result("t2", NO_RESULT, { is_error: true }));
    expect(repairs).toEqual([{ message: 1, what: "answered 1 calls that have no result" }]);
    expect(check(messages)).toEqual([]);
  });

  it("leaves a call at the very end open: its result is still to come", () => {
    const messages = [user("go"), call("t1", "Bash")];
    expect(repair(messages).messages).toEqual(messages);
  });

  it("takes out empty text, empty messages and thinking that nothing follows", () => {
    const { messages } = repair([
      user([
        { type: "text", text: "" },
        { type: "text", text: "go" },
      ]),
      { role: "assistant", content: [{ type: "text", text: "hm" }, thinking("s")] },
      user(""),
      user("next"),
    ]);
    expect(messages).toEqual([user([{ type: "text", text: "go" }]), say("hm"), user("next")]);
  });

  it("takes out what an interruption leaves at the end, and answers that were given before", () => {
    const interrupted: Message = {
      role: "assistant",
      content: [{ type: "text", text: "so" }, thinking("s")],
    };
    expect(repair([user("go"), interrupted]).messages).toEqual([user("go"), say("so")]);
    const only: Message = { role: "assistant", content: [thinking("s")] };
    expect(repair([user("go"), only, only]).messages).toEqual([user("go")]);
    const unsigned: Message = { role: "assistant", content: [thinking(""), { type: "text", text: "so" }] };
    expect(repair([user("go"), unsigned, user("next")]).messages).toEqual([
      user("go"),
      say("so"),
      user("next"),
    ]);
    const twice = user([resultBlock("t1", "first"), resultBlock("t1", "second")]);
    expect(repair([user("go"), call("t1", "Bash"), twice, result("t1", "third")]).messages).toEqual([
      user("go"),
      call("t1", "Bash"),
      user([resultBlock("t1", "first")]),
    ]);
  });

  it("puts results before everything else where it had to touch the message", () => {
    const { messages } = repair([
      user("go"),
      call("t1", "Bash"),
      user([{ type: "text", text: "" }, { type: "text", text: "and" }, resultBlock("t1", "ok")]),
    ]);
    expect(messages[2]?.content).toEqual([resultBlock("t1", "ok"), { type: "text", text: "and" }]);
  });

  it("refuses by name what it cannot mend", () => {
    for (const [messages, text] of [
      [[say("hello")], /message 0: the first message must be the user's/],
      [[{ role: "robot", content: "x" }], /message 0: a role is user, assistant or system/],
      [
        [user("a"), { role: "user", content: [{ text: "no type" }] }],
        /message 1: content is a string or an array/,
      ],
      [
        [user("go"), call("t1", "Bash"), result("t1", "a"), call("t1", "Bash"), result("t1", "b")],
        /message 3: tool_use ids are unique \(tool-use-repeated\)/,
      ],
    ] as const) {
      expect(() => repair(messages as unknown as Message[])).toThrow(
        expect.objectContaining({
          code: "invalid-history",
          message: expect.stringMatching(text),
          fix: expect.stringMatching(/\w/),
        }),
      );
    }
  });

  it("never touches the caller's array, and begins alike while the conversation grows", () => {
    const damage = fc.record({ at: fc.nat(), kind: fc.constantFrom("cut", "empty", "orphan") });
    fc.assert(
      fc.property(anyHistory, fc.array(damage, { minLength: 1, maxLength: 3 }), (history, damages) => {
        const whole = history.map(({ message }) => message);
        const broken = damages.reduce((messages, { at, kind }) => {
          const index = 1 + (at % Math.max(1, messages.length));
          if (kind === "cut") return messages.toSpliced(index, 1);
          const inserted = kind === "empty" ? user([{ type: "text", text: "" }]) : result(`orphan${at}`, "x");
          return messages.toSpliced(index, 0, inserted);
        }, whole);
        const copy = JSON.stringify(broken);
        let before: readonly Message[] | undefined;
        for (let end = 1; end <= broken.length; end++) {
          // A request ends with the user's message; what follows it is the response.
          if (broken[end - 1]?.role !== "user" || broken[end]?.role === "user") continue;
          const mended = mendedOrRefused(broken.slice(0, end));
          if (!mended) return;
          expect(check(mended, { allowPrefill: true })).toEqual([]);
          if (before) expect(JSON.stringify(mended.slice(0, before.length))).toBe(JSON.stringify(before));
          before = mended;
        }
        expect(JSON.stringify(broken)).toBe(copy);
      }),
      { numRuns: 500 },
    );
  });
});

function mendedOrRefused(messages: readonly Message[]): readonly Message[] | undefined {
  try {
    return repair(messages).messages;
  } catch (error) {
    expect(error).toMatchObject({ code: "invalid-history" });
    return undefined;
  }
}

describe("prepare with a broken array", () => {
  const broken = [
    user("go"),
    call("t1", "Bash"),
    user("stop"),
    say("ok"),
    result("gone", "left over"),
    user("next"),
  ];

  it("sends it mended, reports every repair, and keeps what it took out", () => {
    const client = seedClient(KEEP_ALL);
    const { messages, receipt } = client.send(...broken);
    expect(check(messages)).toEqual([]);
    expect(receipt.repairs.map(({ message, what }) => [message, what])).toEqual([
      [1, "answered 1 calls that have no result"],
      [4, "left out tool_result"],
    ]);
    const blob = client.session.vault.list().find(({ origins }) => origins[0]?.level === "repair");
    expect(JSON.parse(recall(client.session.vault, blob?.handle ?? "").text)).toEqual([
      resultBlock("gone", "left over"),
    ]);
    expect(client.messages).toEqual(broken);
  });

  it("goes on from there with the same beginning", () => {
    const client = thriftyClient(KEEP_ALL);
    const first = client.send(...broken).messages;
    const second = client.send(call("t2", "Bash"), result("t2", "ok")).messages;
    expect(JSON.stringify(second.slice(0, first.length))).toBe(JSON.stringify(first));
  });

  it("lets a turn be snipped together with what was put in", () => {
    const client = seedClient(KEEP_ALL);
    const tags = turnTags(client.send(...broken).items);
    const stopped = tags.find(({ tag }) => tag === tags[0]?.tag)?.tag ?? "";
    expect(
      snip(client.session, { ids: [stopped], reason: "" }, { model: KEEP_ALL, now: client.now }).isError,
    ).toBe(false);
    const { messages, receipt } = client.send(say("fine"), user("more"));
    expect(receipt.waiting).toEqual([]);
    expect(check(messages)).toEqual([]);
    expect(JSON.stringify(messages)).not.toContain(NO_RESULT);
  });
});
