// Level 3 under `seed`: the worked example to the letter, when it acts, and what it never touches.
import { describe, expect, it } from "vitest";
import { identify } from "../../../test/fixtures/history.ts";
import {
  Client,
  call,
  image,
  KEEP_ALL,
  LEGACY,
  result,
  START,
  say,
  seedClient,
  shownOf,
  thinking,
  user,
} from "../../../test/fixtures/pipeline/client.ts";
import { MINUTE } from "../../lib/index.ts";
import type { Message } from "../../messages/index.ts";
import { recall } from "../../vault/index.ts";
import { memorySession } from "../session.ts";
import { type MicrocompactSettings, type PipelineSettings, seedSettings } from "../settings.ts";
import { turnTags } from "../snip/snip.ts";
import { CLEARED } from "./clear.ts";

const withSettings = (changes: Partial<MicrocompactSettings>): Partial<PipelineSettings> => ({
  microcompact: { ...seedSettings.microcompact, ...changes },
});
const assistant = (text: string, id?: string, name?: string, input?: unknown): Message => ({
  role: "assistant",
  content: [{ type: "text", text }, ...(id === undefined ? [] : [{ type: "tool_use", id, name, input }])],
});

describe("70 minutes after three tool calls, with keepRecent 2", () => {
  const question = "帮我了解一下这个项目的结构";
  const next = "那就从 auth 模块开始";
  const conversation: readonly Message[] = [
    user(question),
    assistant("我先看看目录。", "toolu_01", "Glob", { pattern: "**/*.ts" }),
    result("toolu_01", "src/index.ts\nsrc/auth/login.ts\nsrc/api/user.ts\n... 共 147 个文件 ..."),
    assistant("读一下入口文件。", "toolu_02", "Read", { file_path: "src/index.ts" }),
    result("toolu_02", "import { createApp } from './app'\nimport { loadConfig } from './config'\n..."),
    assistant("再扫一下 config 相关的定义。", "toolu_03", "Grep", { pattern: "loadConfig", path: "src/" }),
    result("toolu_03", "src/config.ts:12: export function loadConfig() {\n... 共 8 处匹配 ..."),
    assistant("项目结构大致是单入口 + 按模块分的 config/auth/api 三块。你想先深入哪一块?"),
    user(next),
  ];
  const [first, second] = turnTags(identify(conversation)).map(({ tag }) => tag);

  function play(
    minutes: number,
    changes: Partial<MicrocompactSettings> = { keepRecent: 2 },
  ): readonly Message[] {
    const client = seedClient(LEGACY, withSettings(changes));
    client.send(...conversation.slice(0, 1));
    client.send(...conversation.slice(1, 3));
    client.send(...conversation.slice(3, 5));
    client.send(...conversation.slice(5, 7));
    client.wait(minutes);
    return client.send(...conversation.slice(7)).messages;
  }

  it("exactly the oldest result becomes the placeholder", () => {
    expect(play(70)).toEqual([
      user(`${question}\n[id:${first}]`),
      conversation[1],
      user([{ type: "tool_result", tool_use_id: "toolu_01", content: "[Old tool result content cleared]" }]),
      ...conversation.slice(3, 8),
      user(`${next}\n[id:${second}]`),
    ]);
  });

  it("nothing changes at 60 minutes or before", () => {
    for (const minutes of [0, 5, 59, 60]) expect(shownOf(play(minutes), "toolu_01")).toMatch(/147/);
    expect(shownOf(play(60.1), "toolu_01")).toBe(CLEARED);
  });

  it("nothing changes with the usual five that stay", () => {
    expect(seedSettings.microcompact.keepRecent).toBe(5);
    expect(shownOf(play(70, {}), "toolu_01")).toMatch(/147/);
  });
});

/** A conversation with results of these tools, oldest first, and an answer behind them. */
function withResults(client: Client, tools: readonly string[], text = "some output"): Client {
  client.send(user("go"));
  tools.forEach((tool, at) => {
    client.send(call(`t${at}`, tool), result(`t${at}`, `${text} ${at}`));
  });
  return client;
}
const clearedIn = (messages: readonly Message[], count: number): number[] =>
  Array.from({ length: count }, (_, at) => at).filter((at) =>
    shownOf(messages, `t${at}`).startsWith(CLEARED),
  );

describe("the idle limit", () => {
  it("clears all but the five newest results", () => {
    const client = withResults(
      seedClient(),
      Array.from({ length: 8 }, () => "Read"),
    );
    const { messages, receipt } = client.wait(61).send(say("done"), user("go on"));
    expect(clearedIn(messages, 8)).toEqual([0, 1, 2]);
    expect(receipt.edits.map(({ why }) => why)).toContain("idle for 61 minutes");
  });

  it("counts a result that comes now among the five newest, and never clears it", () => {
    const client = withResults(
      seedClient(),
      Array.from({ length: 6 }, () => "Bash"),
    );
    const { messages } = client.wait(61).send(call("t6", "Bash"), result("t6", "took an hour"));
    expect(clearedIn(messages, 7)).toEqual([0, 1]);
    const few = withResults(seedClient(LEGACY, withSettings({ keepRecent: 0 })), ["Bash"]);
    expect(clearedIn(few.wait(61).send(call("t1", "Bash"), result("t1", "new")).messages, 2)).toEqual([0]);
  });

  it("counts from the last response, where its time is known", () => {
    const client = new Client(memorySession("at", { settings: seedSettings }), LEGACY);
    const history = [
      user("go"),
      ...Array.from({ length: 6 }, (_, at) => [call(`t${at}`, "Read"), result(`t${at}`, "x")]).flat(),
    ];
    client.send(...history);
    const replied = [...Array.from({ length: history.length }, () => ({})), { at: START + 10 * MINUTE }];
    client.wait(65);
    const early = client.request([say("done"), user("go on")], { provenance: replied });
    expect(clearedIn(early.messages, 6)).toEqual([]);
    client.wait(6);
    expect(clearedIn(client.request([], { provenance: replied }).messages, 6)).toEqual([0]);
  });

  it("acts in a process that never saw a request, by the time of the last response alone", () => {
    const history = [user("go"), call("t0", "Read"), result("t0", "x"), say("done"), user("go on")];
    const client = seedClient(LEGACY, withSettings({ keepRecent: 0 }));
    const { messages } = client.request(history, {
      provenance: [{}, {}, {}, { at: START - 61 * MINUTE }, {}],
    });
    expect(clearedIn(messages, 1)).toEqual([0]);
  });

  it("does nothing without a response before", () => {
    const client = seedClient();
    client.send(user("hello"));
    client.wait(100).send(user("anyone there?"));
    expect(client.session.ledger.entries().some(({ edit }) => edit.kind === "replace-result")).toBe(false);
  });

  it("never edits for a subagent or a summary", () => {
    for (const source of ["subagent", "compact"] as const) {
      const client = withResults(seedClient(LEGACY, withSettings({ keepRecent: 0 })), ["Read", "Read"]);
      const before = client.session.ledger.entries();
      const { messages, receipt } = client.wait(90).request([say("done"), user("summarise")], { source });
      expect(clearedIn(messages, 2)).toEqual([]);
      expect(receipt.edits).toEqual([]);
      expect(client.session.ledger.entries()).toBe(before);
    }
  });

  it("stays cleared, to the byte, and clears nothing twice", () => {
    const client = withResults(
      seedClient(LEGACY),
      Array.from({ length: 7 }, () => "Read"),
    );
    const cold = client.wait(61).send(say("done"), user("go on"));
    const warm = client.wait(1).send(call("t7", "Read"), result("t7", "more"));
    expect(JSON.stringify(warm.messages.slice(0, cold.messages.length))).toBe(JSON.stringify(cold.messages));
    expect(clearedIn(client.wait(61).send(say("ok"), user("again")).messages, 8)).toEqual([0, 1, 2]);
    const cleared = client.session.ledger.entries().filter(({ edit }) => edit.kind === "replace-result");
    expect(cleared).toHaveLength(3);
  });
});

describe("which results", () => {
  const changes = withSettings({ keepRecent: 0 });
  const cleared = (tools: readonly string[], more: Partial<MicrocompactSettings> = {}): string[] => {
    const client = withResults(seedClient(LEGACY, withSettings({ keepRecent: 0, ...more })), tools);
    const { messages } = client.wait(61).send(say("done"), user("go on"));
    return clearedIn(messages, tools.length).map((at) => tools[at] ?? "");
  };

  it("are those of the eight tools and of no other", () => {
    const eight = ["Read", "Bash", "Grep", "Glob", "WebSearch", "WebFetch", "Edit", "Write"];
    expect(
      cleared([...eight, "TodoWrite", "ExitPlanMode", "Task", "mcp__github__get", "snip", "recall"]),
    ).toEqual(eight);
  });

  it("can be chosen by patterns, with exemptions", () => {
    const tools = ["mcp__github__list", "mcp__github__get", "mcp__slack__read", "mcpXgithub", "Read"];
    expect(cleared(tools, { tools: ["mcp__github__*"], exempt: ["*__get"] })).toEqual(["mcp__github__list"]);
    expect(cleared(["a.b", "aXb"], { tools: ["a.b"] })).toEqual(["a.b"]);
  });

  it("leave calls, words, thinking and plans as they were", () => {
    const client = seedClient(KEEP_ALL, changes);
    const plan = call("p", "ExitPlanMode", { plan: "first this" }, thinking("two"));
    client.send(user("go"));
    client.send(call("t0", "Read", { file_path: "/a" }, thinking("one")), result("t0", "text"));
    client.send(plan, result("p", "approved"));
    const { messages } = client.wait(61).send(say("done", thinking("three")), user("go on"));
    expect(messages.slice(1, 2)).toEqual(client.messages.slice(1, 2));
    expect(messages.slice(3, -1)).toEqual(client.messages.slice(3, -1));
    expect(shownOf(messages, "t0")).toBe("[Old tool result content cleared]");
  });

  it("are in the vault before they go, images too", () => {
    const client = seedClient(LEGACY, changes);
    client.send(user("go"));
    client.send(call("t0", "Read"), result("t0", [{ type: "text", text: "the text" }, image]));
    client.send(call("t1", "Read"), result("t1", [image]));
    const { receipt } = client.wait(61).send(say("done"), user("go on"));
    const handles = receipt.edits.flatMap(({ edit, handles: own = [] }) =>
      edit.kind === "replace-result" ? own : [],
    );
    expect(handles.map((handle) => recall(client.session.vault, handle).text)).toEqual([
      "the text",
      JSON.stringify([image]),
      JSON.stringify([image]),
    ]);
    expect(recall(client.session.vault, "t0").text).toBe("the text");
    expect(recall(client.session.vault, "t1").text).toBe(JSON.stringify([image]));
  });

  it("are kept whole when the window showed a preview of them", () => {
    const client = seedClient(LEGACY, changes);
    const big = "b".repeat(60_000);
    client.send(user("go"));
    client.send(call("t0", "Bash"), result("t0", big));
    const { messages } = client.wait(61).send(say("done"), user("go on"));
    expect(shownOf(messages, "t0")).toBe(CLEARED);
    expect(recall(client.session.vault, "t0").text).toBe(big);
  });
});
