// Level 2: tags in the sent copy alone, whole turns leave on the model's word, and every refusal says what to do.
import { describe, expect, it } from "vitest";
import { identify } from "../../../test/fixtures/history.ts";
import {
  APPEND_ONLY,
  Client,
  call,
  disk,
  image,
  KEEP_ALL,
  LEGACY,
  result,
  say,
  seedClient,
  thinking,
  thriftyClient,
  user,
} from "../../../test/fixtures/pipeline/client.ts";
import { check, isThinking, type Message } from "../../messages/index.ts";
import { recall } from "../../vault/index.ts";
import { pin, snip, unpin, unsnip, waitingMarks } from "../requests.ts";
import { thriftySettings } from "../settings.ts";
import { turnTags } from "./snip.ts";

const folder = disk();

const todo = "帮我找一下项目里所有的 TODO,我想集中处理一下";
const bug = "算了先别搞 TODO 了,线上登录报 500 的 bug 更紧急,先修这个";

/** Turn 1: five messages with two tool pairs. */
const turn1: readonly Message[] = [
  user(todo),
  {
    role: "assistant",
    content: [
      { type: "text", text: "好的,我用 Grep 搜索一下。" },
      { type: "tool_use", id: "toolu_01", name: "Grep", input: { pattern: "TODO", path: "src/" } },
    ],
  },
  result("toolu_01", "src/auth/login.ts:42: // TODO: handle refresh token\n... 共 23 处 ..."),
  {
    role: "assistant",
    content: [
      { type: "text", text: "我打开 login.ts 看一下那个 refresh token 的 TODO 具体场景。" },
      { type: "tool_use", id: "toolu_02", name: "Read", input: { file_path: "src/auth/login.ts" } },
    ],
  },
  result("toolu_02", "<login.ts 全文,约 4KB>"),
];
/** Turn 2, up to the call that snips Turn 1. */
const turn2: readonly Message[] = [
  user(bug),
  {
    role: "assistant",
    content: [
      { type: "text", text: "理解,TODO 先放下。登录 500 我查一下最近的错误日志。" },
      {
        type: "tool_use",
        id: "toolu_03",
        name: "Bash",
        input: { command: "tail -200 /var/log/app/error.log" },
      },
    ],
  },
  result("toolu_03", "<日志 tail 输出>"),
];

const [tag1 = "", tag2 = ""] = turnTags(identify([...turn1, ...turn2])).map(({ tag }) => tag);

/** Makes every request of the two turns. */
function play(client: Client): Client {
  client.send(...turn1.slice(0, 1));
  client.send(...turn1.slice(1, 3));
  client.send(...turn1.slice(3, 5));
  client.send(...turn2.slice(0, 1));
  client.send(...turn2.slice(1));
  return client;
}

const tagged = (message: Message, tag: string): Message => ({
  ...message,
  content: `${message.content}\n[id:${tag}]`,
});
const snipCall = (ids: readonly string[]): Message => call("toolu_04", "snip", { ids, reason: "改方向了" });

describe("tags", () => {
  it("stand at the end of every real user input, from its first send on and alike ever after", () => {
    const client = seedClient();
    const first = client.send(...turn1.slice(0, 1)).messages;
    expect(first[0]).toEqual(tagged(user(todo), tag1));
    client.send(...turn1.slice(1));
    const { messages } = client.send(...turn2);
    expect(messages[0]).toEqual(first[0]);
    expect(messages[5]).toEqual(tagged(user(bug), tag2));
    expect(tag1).toMatch(/^[a-z0-9]{6}$/);
  });

  it("are not on tool results, on what the client wrote, or on the assistant's words", () => {
    const client = seedClient();
    const { messages } = client.send(
      ...turn1,
      say("done"),
      user("<system-reminder>be brief</system-reminder>"),
      user([{ type: "text", text: "next" }]),
    );
    expect(messages.filter((message) => JSON.stringify(message).includes("[id:"))).toHaveLength(1);
    expect(JSON.stringify(messages.at(-1))).toContain("[id:");
  });

  it("go behind the last text of an input made of blocks, or into one of their own", () => {
    const client = seedClient();
    const { messages } = client.send(user([{ type: "text", text: "see" }, image]));
    expect(messages[0]?.content).toEqual([
      { type: "text", text: expect.stringMatching(/^see\n\[id:[a-z0-9]{6}\]$/) },
      image,
    ]);
    const alone = seedClient().send(user([image])).messages;
    expect(alone[0]?.content).toEqual([
      image,
      { type: "text", text: expect.stringMatching(/^\[id:[a-z0-9]{6}\]$/) },
    ]);
  });

  it("never reach the client's own messages", () => {
    const messages = structuredClone([...turn1, say("done"), ...turn2]);
    const client = seedClient();
    client.send(...messages);
    expect(messages).toEqual([...turn1, say("done"), ...turn2]);
  });

  it("leave alone what was sent without them before there was a Throughline", () => {
    const { messages } = seedClient().send(...turn1, say("done"), user(bug));
    expect(messages[0]).toEqual(user(todo));
    expect(JSON.stringify(messages.at(-1))).toContain("[id:");
  });

  it("can be switched off", () => {
    const { messages } = seedClient(KEEP_ALL, { snip: { tags: false } }).send(user("hello"));
    expect(messages).toEqual([user("hello")]);
  });
});

describe("snip of Turn 1", () => {
  const settled = (client: Client): readonly Message[] =>
    client.send(snipCall([tag1]), result("toolu_04", "ok")).messages;

  it("takes its five messages and both tool pairs out of the next request, and nothing of Turn 2", () => {
    // Nothing in this conversation is thinking, so that nothing is bound on a model that binds it.
    for (const model of [KEEP_ALL, LEGACY, APPEND_ONLY]) {
      const client = seedClient(model);
      play(client);
      const answer = snip(client.session, { ids: [tag1], reason: "改方向了" }, { model, now: client.now });
      expect(answer).toEqual({ isError: false, text: `${tag1}: leaves with the next request, 5 messages.` });
      expect(settled(client)).toEqual([
        tagged(user(bug), tag2),
        ...turn2.slice(1),
        snipCall([tag1]),
        result("toolu_04", "ok"),
      ]);
    }
  });

  it("keeps what left word for word, and records which messages they were", () => {
    const client = play(seedClient());
    snip(client.session, { ids: [tag1] }, { model: KEEP_ALL, now: client.now });
    const { receipt } = client.send(snipCall([tag1]), result("toolu_04", "ok"));
    const removal = receipt.edits.find(({ edit }) => edit.kind === "remove-turn");
    const removedIds = identify(turn1).map(({ id }) => id);
    expect(removal?.edit).toEqual({ kind: "remove-turn", turn: removedIds[0], items: removedIds });
    expect(JSON.parse(recall(client.session.vault, removal?.handles?.[0] ?? "").text)).toEqual(turn1);
  });

  it("is replayed by a process that starts anew", () => {
    const client = play(new Client(folder.open("snip")));
    snip(client.session, { ids: [tag1], reason: "x" }, { model: KEEP_ALL, now: client.now });
    const before = settled(client);
    const resumed = new Client(folder.open("snip"));
    const { messages, receipt } = resumed.send(...client.messages);
    expect(JSON.stringify(messages)).toBe(JSON.stringify(before));
    expect(receipt.edits).toEqual([]);
  });

  it("is carried out by a new process when the old one died with the mark", () => {
    const client = play(new Client(folder.open("marked")));
    snip(client.session, { ids: [tag1], reason: "x" }, { model: KEEP_ALL, now: client.now });
    const resumed = new Client(folder.open("marked"));
    const { messages } = resumed.send(...client.messages, snipCall([tag1]), result("toolu_04", "ok"));
    expect(messages[0]).toEqual(tagged(user(bug), tag2));
  });

  it("understands the tag however it is written", () => {
    for (const id of [`[id:${tag1}]`, `id:${tag1}`, ` ${tag1} `]) {
      const client = play(seedClient());
      const { text } = snip(client.session, { ids: [id], reason: "" }, { model: KEEP_ALL, now: client.now });
      expect(text).toMatch(new RegExp(`^${tag1}: leaves with the next request`));
    }
  });
});

describe("what is refused", () => {
  const ask = (client: Client, input: unknown) =>
    snip(client.session, input, { model: KEEP_ALL, now: client.now });

  it("names what could be removed instead of an unknown turn", () => {
    const client = play(seedClient());
    expect(ask(client, { ids: ["zzzzzz"], reason: "" })).toEqual({
      isError: true,
      text: `zzzzzz: there is no such turn. Turns that can be removed: ${tag1}.`,
    });
  });

  it("keeps the current turn", () => {
    const answer = ask(play(seedClient()), { ids: [tag2], reason: "" });
    expect(answer.isError).toBe(true);
    expect(answer.text).toMatch(/current turn/);
  });

  it("keeps a pinned turn, and does not offer it", () => {
    const client = play(seedClient());
    pin(client.session, [tag1], { now: client.now });
    expect(ask(client, { ids: [tag1], reason: "" })).toEqual({
      isError: true,
      text: `${tag1}: the user pinned something in this turn; it stays. Turns that can be removed: none.`,
    });
    unpin(client.session, [tag1], { now: client.now });
    expect(ask(client, { ids: [tag1], reason: "" }).isError).toBe(false);
  });

  it("says that a turn is removed already", () => {
    const client = play(seedClient());
    ask(client, { ids: [tag1], reason: "" });
    expect(ask(client, { ids: [tag1], reason: "" })).toMatchObject({ isError: true });
    client.send(snipCall([tag1]), result("toolu_04", "ok"));
    expect(ask(client, { ids: [tag1], reason: "" }).text).toMatch(/is removed already/);
    expect(client.session.ledger.entries().filter(({ edit }) => edit.kind === "remove-turn")).toHaveLength(1);
  });

  it("answers for every turn that was named, and does what it can", () => {
    const client = play(seedClient());
    const { isError, text } = ask(client, { ids: [tag1, tag2, tag1], reason: "" });
    expect(isError).toBe(false);
    expect(text.split("\n")).toHaveLength(2);
  });

  it("explains itself to malformed input, and records nothing", () => {
    const client = play(seedClient());
    const entries = client.session.ledger.entries().length;
    for (const input of [undefined, null, "abc123", {}, { ids: [] }, { ids: "abc123" }, { ids: [7] }, []]) {
      const answer = ask(client, input);
      expect(answer.isError).toBe(true);
      expect(answer.text).toContain('{"ids": ["abc123"]');
      expect(unsnip(client.session, input, { model: KEEP_ALL }).isError).toBe(true);
    }
    expect(client.session.ledger.entries()).toHaveLength(entries);
  });

  it("asks for a conversation first", () => {
    expect(() => ask(seedClient(), { ids: ["abc123"], reason: "" })).toThrow(/no conversation yet/);
  });
});

describe("unsnip", () => {
  const model = KEEP_ALL;

  it("keeps a turn that had not left yet", () => {
    const client = play(seedClient());
    snip(client.session, { ids: [tag1], reason: "" }, { model, now: client.now });
    expect(unsnip(client.session, { ids: [tag1] }, { model, now: client.now }).text).toMatch(
      /had not left yet/,
    );
    expect(client.send(call("t5", "Bash"), result("t5", "ok")).messages[0]).toEqual(tagged(user(todo), tag1));
    expect(waitingMarks(client.session)).toEqual([]);
  });

  it("brings back exactly what was there", () => {
    const client = play(seedClient());
    const before = client.send(call("t5", "Bash"), result("t5", "ok")).messages;
    snip(client.session, { ids: [tag1], reason: "" }, { model, now: client.now });
    expect(client.send(call("t6", "Bash"), result("t6", "ok")).messages[0]).toEqual(tagged(user(bug), tag2));
    expect(unsnip(client.session, { ids: [`[id:${tag1}]`] }, { model, now: client.now })).toEqual({
      isError: false,
      text: `${tag1}: is back with the next request.`,
    });
    const after = client.send(call("t7", "Bash"), result("t7", "ok")).messages;
    expect(JSON.stringify(after.slice(0, before.length))).toBe(JSON.stringify(before));
    expect(snip(client.session, { ids: [tag1], reason: "" }, { model, now: client.now }).isError).toBe(false);
  });

  it("knows only removed turns", () => {
    const answer = unsnip(play(seedClient()).session, { ids: [tag1] }, { model });
    expect(answer).toEqual({ isError: true, text: `${tag1}: no removed turn has this tag.` });
  });
});

describe("where thinking is bound to what precedes it", () => {
  const model = APPEND_ONLY;
  const thoughtful = (client: Client): Client => {
    client.send(user("first"));
    client.send(call("t1", "Bash", {}, thinking("one")), result("t1", "ok"));
    client.send(say("done", thinking("two")), user("second"));
    client.send(call("t2", "Bash", {}, thinking("three")), result("t2", "ok"));
    return client;
  };
  const tagsOf = (client: Client): string[] => turnTags(identify(client.messages)).map(({ tag }) => tag);
  const sealsIn = (messages: readonly Message[]): unknown[] =>
    messages.flatMap(({ content }) =>
      typeof content === "string" ? [] : content.filter(isThinking).map(({ signature }) => signature),
    );

  for (const [name, make] of [
    ["seed", () => seedClient(model)],
    ["thrifty", () => thriftyClient(model)],
  ] as const) {
    it(`a mark waits for a cold user turn, and takes all thinking with it (${name})`, () => {
      const client = thoughtful(make());
      const [tag = ""] = tagsOf(client);
      const answer = snip(client.session, { ids: [tag], reason: "" }, { model, now: client.now });
      expect(answer.isError).toBe(false);
      expect(answer.text).toBe(
        `${tag}: is marked and leaves later (claude-opus-5-5 binds thinking to all that precedes it: waiting for a user turn with a cold cache), 4 messages.`,
      );
      const inCall = client.wait(10).send(call("t3", "snip"), result("t3", answer.text));
      expect(inCall.messages).toHaveLength(client.messages.length);
      expect(inCall.receipt.waiting).toEqual([
        { mark: expect.any(String), why: expect.stringContaining("user turn") },
      ]);
      const warm = client.wait(1).send(say("done", thinking("four")), user("third"));
      expect(sealsIn(warm.messages)).toEqual(["one", "two", "three", "four"]);
      expect(warm.receipt.waiting).toEqual([
        { mark: expect.any(String), why: expect.stringContaining("cold") },
      ]);
      const cold = client.wait(6).send(say("done", thinking("five")), user("fourth"));
      expect(sealsIn(cold.messages)).toEqual([]);
      expect(JSON.stringify(cold.messages)).not.toContain("first");
      expect(check(cold.messages)).toEqual([]);
      expect(cold.receipt.waiting).toEqual([]);
      expect(waitingMarks(client.session)).toEqual([]);
    });
  }

  it("a turn comes back at the next such point, and may be kept out after all", () => {
    const client = thoughtful(seedClient(model));
    const [tag = ""] = tagsOf(client);
    snip(client.session, { ids: [tag], reason: "" }, { model, now: client.now });
    client.wait(6).send(say("done", thinking("four")), user("third"));
    const back = unsnip(client.session, { ids: [tag] }, { model, now: client.now });
    expect(back.text).toMatch(/^\w{6}: comes back later \(claude-opus-5-5 binds/);
    expect(unsnip(client.session, { ids: [tag] }, { model, now: client.now }).text).toMatch(
      /on its way back/,
    );
    expect(snip(client.session, { ids: [tag], reason: "" }, { model, now: client.now }).text).toMatch(
      /stays removed/,
    );
    unsnip(client.session, { ids: [tag] }, { model, now: client.now });
    const warm = client.wait(1).send(say("done", thinking("five")), user("fourth"));
    expect(JSON.stringify(warm.messages)).not.toContain("first");
    const cold = client.wait(6).send(say("done", thinking("six")), user("fifth"));
    expect(JSON.stringify(cold.messages)).toContain("first");
    expect(sealsIn(cold.messages)).toEqual([]);
    expect(check(cold.messages)).toEqual([]);
  });
});

describe("where an edit has its price", () => {
  it("a mark that does not pay waits for a cold cache, and the answer says so", () => {
    const client = thriftyClient(KEEP_ALL, { economics: { ...thriftySettings.economics, horizon: 10 } });
    client.send(user("a short question"));
    client.send(say("a short answer"), user("the long one"));
    for (let at = 0; at < 12; at++)
      client.send(call(`t${at}`, "Read"), result(`t${at}`, `${at} `.repeat(1_400)));
    const [tag = ""] = turnTags(identify(client.messages)).map((turn) => turn.tag);
    const answer = snip(client.session, { ids: [tag], reason: "" }, { model: KEEP_ALL, now: client.now });
    expect(answer.text).toMatch(
      /is marked and leaves later \(would pay after \d+ requests, later than the 10 expected\)/,
    );
    const { receipt } = client.send(call("s", "snip"), result("s", answer.text));
    expect(receipt.waiting).toHaveLength(1);
    const cold = client.wait(6).send(call("u", "Bash"), result("u", "ok"));
    expect(JSON.stringify(cold.messages)).not.toContain("a short question");
  });
});
