// Each rule of the API: an array that breaks it is named, a valid neighbour is not.
import { describe, expect, it } from "vitest";
import { check, type Message, type ViolationCode } from "./index.ts";

const user = (content: unknown): Message => ({ role: "user", content }) as Message;
const assistant = (content: unknown): Message => ({ role: "assistant", content }) as Message;
const call = (id: string) => ({ type: "tool_use", id, name: "Read", input: {} });
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "ok" });
const text = (value: string) => ({ type: "text", text: value });
const thinking = { type: "thinking", thinking: "hm", signature: "s" };
const marked = (value: string) => ({ ...text(value), cache_control: { type: "ephemeral" } });

const codes = (messages: unknown[], rules = {}): ViolationCode[] =>
  check(messages as Message[], rules).map(({ code }) => code);

describe("check", () => {
  const broken: [ViolationCode, unknown[]][] = [
    ["no-messages", []],
    ["unknown-role", [{ role: "tool", content: "x" }]],
    ["bad-content", [user(7)]],
    ["bad-content", [null]],
    ["bad-content", [user([{ text: "no type" }])]],
    ["first-role", [assistant("hi"), user("x")]],
    ["last-role", [user("x"), assistant("hi")]],
    ["empty-content", [user("")]],
    ["empty-content", [user([])]],
    ["empty-text", [user([text("")])]],
    ["system-placement", [user("a"), assistant("b"), { role: "system", content: "s" }, user("c")]],
    ["system-placement", [user("a"), { role: "system", content: "s" }, user("c")]],
    ["system-content", [user("a"), { role: "system", content: [{ type: "image", source: {} }] }]],
    ["block-misplaced", [user([call("a")])]],
    ["block-misplaced", [user([thinking])]],
    ["tool-use-unanswered", [user("a"), assistant([call("t1")]), user("no result")]],
    ["tool-use-unanswered", [user("a"), assistant([call("t1"), call("t2")]), user([result("t1")])]],
    ["tool-result-orphan", [user([result("t9")])]],
    ["tool-result-orphan", [user("a"), assistant([call("t1")]), user([result("t1"), result("t2")])]],
    ["tool-result-not-first", [user("a"), assistant([call("t1")]), user([text("so"), result("t1")])]],
    ["tool-result-not-first", [user("a"), assistant([call("t1")]), user("so"), user([result("t1")])]],
    ["tool-result-repeated", [user("a"), assistant([call("t1")]), user([result("t1"), result("t1")])]],
    [
      "tool-use-repeated",
      [
        user("a"),
        assistant([call("t1")]),
        user([result("t1")]),
        assistant([call("t1")]),
        user([result("t1")]),
      ],
    ],
    [
      "server-tool-unanswered",
      [
        user("a"),
        assistant([{ type: "server_tool_use", id: "s1", name: "web_search", input: {} }]),
        user("b"),
        assistant("c"),
        user("d"),
      ],
    ],
    [
      "server-tool-orphan",
      [
        user("a"),
        assistant([{ type: "advisor_tool_result", tool_use_id: "s1", content: [] }, text("x")]),
        user("b"),
      ],
    ],
    ["thinking-last", [user("a"), assistant([thinking]), user("b")]],
    [
      "thinking-unsigned",
      [user("a"), assistant([{ type: "thinking", thinking: "x" }, text("y")]), user("b")],
    ],
    ["thinking-unsigned", [user("a"), assistant([{ type: "redacted_thinking" }, text("y")]), user("b")]],
    ["too-many-breakpoints", [user([marked("1"), marked("2"), marked("3"), marked("4"), marked("5")])]],
    [
      "breakpoint-misplaced",
      [user("a"), assistant([{ ...thinking, cache_control: {} }, text("y")]), user("b")],
    ],
    ["too-many-images", [user(Array.from({ length: 601 }, () => ({ type: "image", source: {} })))]],
    ["too-large", [user("x".repeat(33 * 1024 * 1024))]],
  ];
  it.each(broken)("reports %s", (code, messages) => {
    expect(codes(messages)).toContain(code);
  });

  const sound: [string, unknown[]][] = [
    ["a string", [user("x")]],
    [
      "a signed compaction block first",
      [assistant([{ type: "compaction", content: "s", signature: "x" }]), user("go")],
    ],
    [
      "parallel calls",
      [user("a"), assistant([call("t1"), call("t2")]), user([result("t2"), result("t1"), text("and")])],
    ],
    [
      "results split over neighbours",
      [user("a"), assistant([call("t1"), call("t2")]), user([result("t1")]), user([result("t2")])],
    ],
    [
      "calls split over neighbours",
      [user("a"), assistant([thinking]), assistant([call("t1")]), user([result("t1")])],
    ],
    [
      "a server tool answered in place, of an unknown kind",
      [
        user("a"),
        assistant([
          { type: "server_tool_use", id: "s1", name: "future", input: {} },
          { type: "future_tool_result", tool_use_id: "s1", content: [] },
          text("x"),
        ]),
        user("b"),
      ],
    ],
    [
      "an MCP tool answered in place",
      [
        user("a"),
        assistant([
          { type: "mcp_tool_use", id: "m1", name: "q", input: {} },
          { type: "mcp_tool_result", tool_use_id: "m1", content: [] },
        ]),
        user("b"),
      ],
    ],
    [
      "a paused server tool at the end",
      [user("a"), assistant([{ type: "server_tool_use", id: "s1", name: "web_search", input: {} }])],
    ],
    [
      "system entries in the middle, empty ones and with extra keys",
      [
        user("a"),
        { role: "system", content: [], output_config: { effort: "low" } },
        assistant("b"),
        user("c"),
        { role: "system", content: "s" },
      ],
    ],
    ["an unknown block", [user([{ type: "container_upload", file_id: "f" }])]],
    ["four breakpoints", [user([marked("1"), marked("2"), marked("3"), marked("4")])]],
  ];
  it.each(sound)("accepts %s", (_name, messages) => {
    expect(check(messages as Message[])).toEqual([]);
  });

  it("says where and what for each violation", () => {
    const [violation] = check([user("a"), assistant([text("x"), call("t1")]), user("b")]);
    expect(violation).toEqual({
      code: "tool-use-unanswered",
      message: 1,
      block: 1,
      meaning: "every tool_use is answered by a tool_result in the next user message",
    });
  });

  it("takes an end for prefill from the caller, and limits from the API", () => {
    expect(codes([user("a"), assistant("b")], { allowPrefill: true })).toEqual([]);
    const many = Array.from({ length: 100_001 }, () => user("a"));
    expect(codes(many)).toEqual(["too-many-messages"]);
  });
});
