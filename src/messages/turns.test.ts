// What counts as a person's input, and where turns begin and end.

import { describe, expect, it } from "vitest";
import { firstBrokenThinking } from "../../test/brokenThinking.ts";
import { identify } from "../../test/fixtures/history.ts";
import {
  beginsTurn,
  isUserInput,
  type Message,
  type Provenance,
  stoppingPoint,
  toolPairs,
  userTurns,
  userWords,
} from "./index.ts";

const item = (content: unknown, more: Provenance = {}) => ({
  id: "x",
  message: { role: "user", content } as Message,
  ...more,
});

describe("a real user input", () => {
  it.each([
    ["a prompt", "fix it"],
    [
      "a prompt in blocks with a reminder",
      [
        { type: "text", text: "<system-reminder>x</system-reminder>" },
        { type: "text", text: "go" },
      ],
    ],
    ["a prompt behind a reminder in one text", "<system-reminder>today</system-reminder>\nplease go"],
    ["a lone image", [{ type: "image", source: {} }]],
    [
      "a slash command with arguments",
      "<command-name>/review</command-name><command-args>PR 12</command-args>",
    ],
  ])("is %s", (_name, content) => {
    expect(isUserInput(item(content))).toBe(true);
  });

  it.each([
    ["a tool result", [{ type: "tool_result", tool_use_id: "t", content: "x" }]],
    [
      "a tool result with words behind it",
      [
        { type: "tool_result", tool_use_id: "t", content: "x" },
        { type: "text", text: "hm" },
      ],
    ],
    ["a reminder", "<system-reminder>x</system-reminder>"],
    ["a command's output", "<local-command-stdout>done</local-command-stdout>"],
    ["a slash command alone", "<command-name>/clear</command-name>\n<command-args></command-args>"],
    ["an interruption", "[Request interrupted by user for tool use]"],
    [
      "a compact summary by its words",
      "This session is being continued from a previous conversation that ran out of context.",
    ],
    ["nothing", ""],
  ])("is not %s", (_name, content) => {
    expect(isUserInput(item(content))).toBe(false);
  });

  it("is never a row that the client marked as its own", () => {
    expect(isUserInput(item("hi", { meta: true }))).toBe(false);
    expect(isUserInput(item("hi", { compactSummary: true }))).toBe(false);
    expect(userWords(item("hi", { meta: true }))).toBe("");
  });

  it("gives the person's words without what the client added", () => {
    expect(userWords(item("<system-reminder>x</system-reminder> please go"))).toBe("please go");
    expect(userWords(item("<command-name>/review</command-name><command-args>PR 12</command-args>"))).toBe(
      "PR 12",
    );
  });
});

const conversation: Message[] = [
  { role: "user", content: "<system-reminder>context</system-reminder>" },
  { role: "user", content: "first" },
  {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "t", signature: "s1" },
      { type: "tool_use", id: "a", name: "Read", input: {} },
    ],
  },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "A" }] },
  {
    role: "assistant",
    content: [
      { type: "text", text: "done" },
      { type: "server_tool_use", id: "s", name: "web", input: {} },
      { type: "web_tool_result", tool_use_id: "s", content: [] },
    ],
  },
  { role: "user", content: "second" },
  { role: "assistant", content: [{ type: "tool_use", id: "b", name: "Bash", input: {} }] },
];

describe("turns and pairs", () => {
  it("run from one real input to the next and leave the preamble out", () => {
    expect(userTurns(identify(conversation)).map(({ start, end }) => [start, end])).toEqual([
      [1, 5],
      [5, 7],
    ]);
  });

  it("pair every kind of call with its answer and leave an open call open", () => {
    const pairs = toolPairs(identify(conversation));
    expect(pairs.map(({ id, name, resultAt }) => [id, name, resultAt?.item])).toEqual([
      ["a", "Read", 3],
      ["s", "web", 4],
      ["b", "Bash", undefined],
    ]);
  });
});

describe("firstBrokenThinking", () => {
  const later: Message[] = [...conversation.slice(0, 6), { role: "assistant", content: "ok" }];
  it("finds nothing when messages are only added", () => {
    expect(firstBrokenThinking(conversation.slice(0, 6), later)).toBeUndefined();
  });
  it("finds kept thinking behind a changed message", () => {
    expect(
      firstBrokenThinking(conversation, [{ role: "user", content: "changed" }, ...conversation.slice(1)]),
    ).toBe(2);
  });
  it("finds nothing when the thinking is gone as well", () => {
    const bare = conversation.map((message, at) =>
      at === 2 ? { ...message, content: [{ type: "tool_use", id: "a", name: "Read", input: {} }] } : message,
    );
    expect(firstBrokenThinking(conversation, bare)).toBeUndefined();
    expect(
      firstBrokenThinking(conversation, [{ role: "user", content: "changed" }, ...bare.slice(1)]),
    ).toBeUndefined();
  });
});

describe("a conversation", () => {
  const user = (content: Message["content"]): Message => ({ role: "user", content });
  const said = (content: Message["content"]): Message => ({ role: "assistant", content });
  const use = said([{ type: "tool_use", id: "t", name: "Bash", input: {} }]);
  const result = user([{ type: "tool_result", tool_use_id: "t", content: "ok" }]);
  const refused = user([
    {
      type: "tool_result",
      tool_use_id: "t",
      content:
        "The user doesn't want to proceed with this tool use. The tool use was rejected. STOP what you are doing and wait for the user to tell you how to proceed.",
    },
  ]);
  const interruption = user("[Request interrupted by user for tool use]");
  const done = [user("fix it"), use, result, said("Fixed.")];

  it.each<[string, Message[], ReturnType<typeof stoppingPoint>]>([
    ["waits for an answer", [user("fix it")], "new-message"],
    ["waits for a result", [user("fix it"), use], "in-turn"],
    ["is in a turn with a result", [user("fix it"), use, result], "in-turn"],
    ["was answered", done, "answered"],
    [
      "is in a turn with thoughts alone",
      [user("fix it"), use, result, { role: "assistant", content: [{ type: "thinking", thinking: "hm" }] }],
      "in-turn",
    ],
    ["was stopped by the user", [user("fix it"), use, result, interruption], "stopped"],
    ["was stopped at a call that the user did not allow", [user("fix it"), use, refused], "stopped"],
    ["has a new message", [...done, user("now the docs")], "new-message"],
    [
      "waits for the answer to a command",
      [...done, user("<command-message>review</command-message><command-name>/review</command-name>")],
      "new-message",
    ],
    [
      "was answered before the client noted something",
      [
        ...done,
        user("<command-name>/exit</command-name>"),
        user("<local-command-stdout>Bye!</local-command-stdout>"),
      ],
      "answered",
    ],
  ])("%s", (_name, messages, point) => {
    expect(stoppingPoint(identify(messages))).toBe(point);
  });

  it("goes on with a prompt, with a command that is one, and when a task ends", () => {
    const begins = [
      user("go"),
      user("<command-message>x</command-message>"),
      user("<task-notification><task-id>b1</task-id></task-notification>"),
    ];
    expect(identify(begins).map(beginsTurn)).toEqual([true, true, true]);
    const goesOn = [result, interruption, user("<command-name>/exit</command-name>"), said("ok")];
    expect(identify(goesOn).map(beginsTurn)).toEqual([false, false, false, false]);
  });
});
