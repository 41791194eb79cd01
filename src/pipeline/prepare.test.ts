// The call itself: bad input, a result of 30 MB, dry runs, what is remembered, and an account that adds up.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  Client,
  call,
  disk,
  KEEP_ALL,
  LEGACY,
  result,
  say,
  seedClient,
  shownOf,
  thriftyClient,
  user,
} from "../../test/fixtures/pipeline/client.ts";
import { MINUTE } from "../lib/index.ts";
import type { Message } from "../messages/index.ts";
import { cost, lookupModel } from "../tokens/index.ts";
import { recall } from "../vault/index.ts";
import { prepare } from "./prepare.ts";
import { snip } from "./requests.ts";
import { memorySession } from "./session.ts";
import { seedSettings, settingsFor, thriftySettings } from "./settings.ts";
import { turnTags } from "./snip/snip.ts";

const folder = disk();

describe("bad input", () => {
  const refusal = (messages: unknown, model = KEEP_ALL): unknown => {
    const session = memorySession("bad");
    try {
      prepare({ session, messages: messages as Message[], model });
    } catch (error) {
      expect(session.ledger.entries()).toEqual([]);
      expect(session.vault.list()).toEqual([]);
      return error;
    }
    return undefined;
  };

  it("is refused with a code and a way out, and nothing is recorded", () => {
    const bad = [
      [],
      undefined,
      null,
      "hello",
      [null],
      [{}],
      [{ role: "user" }],
      [{ role: "user", content: 7 }],
      [{ role: "user", content: [null] }],
      [user("a"), { role: "assistant", content: [null] }],
      [user("a"), { role: "assistant", content: [{ text: "no type" }] }],
      [{ role: "robot", content: "x" }],
      [{ content: "x" }],
      [say("the assistant begins")],
    ];
    for (const messages of bad) {
      expect(refusal(messages), JSON.stringify(messages)).toMatchObject({
        code: "invalid-history",
        fix: expect.stringMatching(/\w/),
      });
    }
  });

  it("names an unknown model, and the nearest known one", () => {
    expect(refusal([user("a")], "claude-opus-9")).toMatchObject({
      code: "unknown-model",
      fix: expect.stringContaining("claude-opus-"),
    });
  });

  it("that is too large even when previewed is refused before anything is recorded", () => {
    const images = Array.from({ length: 9 }, () => ({
      type: "image",
      source: { type: "base64", media_type: "image/png", data: "A".repeat(4_000_000) },
    }));
    expect(refusal([user(images)])).toMatchObject({
      code: "invalid-history",
      message: expect.stringMatching(/32 MB/),
    });
  });
});

describe("a result of 30 MB", () => {
  it("goes to the vault and to a file, and a preview is sent", () => {
    for (const settings of [seedSettings, thriftySettings]) {
      const client = new Client(folder.open(`huge-${settings.policy}`, settings));
      const text = `${"0123456789 the same line again and again ".repeat(20)}\n`.repeat(37_000);
      expect(text.length).toBeGreaterThan(30_000_000);
      const { messages, receipt } = client.send(user("go"), call("t1", "Bash"), result("t1", text));
      expect(shownOf(messages, "t1").length).toBeLessThan(4_000);
      expect(recall(client.session.vault, "t1").text).toBe(text);
      const file = path.join(folder.folder, `huge-${settings.policy}`, "tool-results", "t1.txt");
      expect(readFileSync(file, "utf8")).toBe(text);
      expect(receipt.tokens.after).toBeLessThan(receipt.tokens.before / 1_000);
      expect(client.send(say("done"), user("next")).messages.slice(0, 3)).toEqual(messages);
    }
  });

  it("in a single line is no trouble either", () => {
    const text = "word ".repeat(6_000_000);
    for (const tool of ["Read", "Bash"]) {
      const { messages } = thriftyClient().send(user("go"), call("t1", tool), result("t1", text));
      expect(shownOf(messages, "t1").length).toBeLessThan(4_000);
    }
  });
});

describe("a dry run", () => {
  const filesIn = (name: string): string[] =>
    existsSync(name) ? readdirSync(name, { recursive: true }).map(String).sort() : [];

  it("gives what the real one would, and changes neither ledger, vault, files nor state", () => {
    const budget = thriftySettings.budget;
    const client = new Client(folder.open("dry", { ...thriftySettings, budget }));
    client.send(user("go"));
    client.answered();
    const before = [filesIn(folder.folder), client.session.ledger.entries(), client.session.state.load()];
    const added = [call("t1", "Bash"), result("t1", "x".repeat(100_000))];
    const preview = client.request(added, { dryRun: true });
    expect([filesIn(folder.folder), client.session.ledger.entries(), client.session.state.load()]).toEqual(
      before,
    );
    expect(preview.receipt.dryRun).toBe(true);
    expect(preview.receipt.edits).toHaveLength(1);
    const real = client.request([]);
    expect(real.messages).toEqual(preview.messages);
    expect(real.receipt.tokens).toEqual(preview.receipt.tokens);
    expect(real.receipt.cost).toEqual(preview.receipt.cost);
  });

  it("of another conversation is not taken for this one, nor is a subagent's or a summary's", () => {
    for (const more of [{ dryRun: true }, { source: "subagent" as const }, { source: "compact" as const }]) {
      const client = seedClient();
      const { items } = client.send(user("mine"), say("ok"), user("more"));
      const later = client.now + 10 * MINUTE;
      prepare({ session: client.session, messages: [user("another")], model: KEEP_ALL, now: later, ...more });
      const asked = { ids: [turnTags(items)[0]?.tag], reason: "" };
      expect(snip(client.session, asked, { model: KEEP_ALL, now: client.now }).isError).toBe(false);
      expect(client.wait(11).send(say("ok"), user("on")).receipt.cache.idle).toBe(11 * MINUTE);
    }
  });
});

describe("a message that was changed in place", () => {
  it("is found when its content was replaced, and checked again", () => {
    const client = seedClient(KEEP_ALL, { snip: { tags: false } });
    const message = { role: "assistant" as const, content: [{ type: "text", text: "before" }] };
    client.send(user("go"), message, user("next"));
    message.content = [{ type: "text", text: "after" }];
    expect(client.send().messages[1]).toEqual(say("after"));
    message.content = [{ type: "text", text: "" }];
    expect(client.send(say("ok"), user("more")).receipt.repairs).toHaveLength(1);
  });

  it("does not matter to a client that grows one and the same array", () => {
    const session = memorySession("grows");
    const messages: Message[] = [user("go")];
    prepare({ session, messages, model: KEEP_ALL });
    messages.push(call("t1", "Bash"), user("never answered"), say("ok"), user("more"));
    const { receipt } = prepare({ session, messages, model: KEEP_ALL });
    expect(receipt.repairs).toHaveLength(1);
  });
});

describe("a conversation that grows past what one request may hold", () => {
  it("is refused with the message that makes it too much, and what was sent before stays", () => {
    const session = memorySession("album", { settings: settingsFor("thrifty", { whenWarm: false }) });
    const source = { type: "base64", media_type: "image/png", data: "aGVsbG8=" };
    const page = (count: number): Message => ({
      role: "user",
      content: Array.from({ length: count }, () => ({ type: "image", source })),
    });
    const messages = [page(400), say("seen"), page(200)];
    expect(prepare({ session, messages, model: KEEP_ALL }).messages).toHaveLength(3);
    expect(() =>
      prepare({ session, messages: [...messages, say("seen"), page(1)], model: KEEP_ALL }),
    ).toThrow(/600 images/);
    expect(prepare({ session, messages, model: KEEP_ALL }).messages).toHaveLength(3);
  });
});

describe("a client that moves its breakpoint with every request", () => {
  const control = { cache_control: { type: "ephemeral" } };
  const marked = (messages: readonly Message[]): number[] =>
    messages.flatMap(({ content }, at) => (JSON.stringify(content).includes("cache_control") ? [at] : []));

  it("finds it where it put it, whether it sends new objects or changes its own", () => {
    const session = memorySession("moves");
    const block = (text: string): { type: "text"; text: string; cache_control?: unknown } => ({
      type: "text",
      text,
    });
    const blocks = [block("go"), block("and on")];
    const [first, second] = blocks.map((one): Message => ({ role: "user", content: [one] }));
    const answer = say("ok");
    const send = (messages: readonly (Message | undefined)[]): number[] =>
      marked(prepare({ session, messages: messages as Message[], model: KEEP_ALL }).messages);
    Object.assign(blocks[0] ?? {}, control);
    expect(send([first])).toEqual([0]);
    delete blocks[0]?.cache_control;
    Object.assign(blocks[1] ?? {}, control);
    expect(send([first, answer, second])).toEqual([2]);
    expect(send([first, answer, second])).toEqual([2]);
    const third: Message = { role: "user", content: [{ ...block("more"), ...control }] };
    delete blocks[1]?.cache_control;
    expect(send([first, answer, second, say("yes"), third])).toEqual([4]);
  });
});

describe("the receipt", () => {
  const text = "const value = compute(input, options);\n".repeat(2_000);

  it("counts the same before and after when nothing was done", () => {
    const client = seedClient(LEGACY, { snip: { tags: false } });
    client.send(user("go"));
    client.answered();
    for (const { receipt } of [
      client.send(say("hi"), user("on")),
      client.answered().send(say("hi"), user("on")),
    ]) {
      expect(receipt.tokens.before).toBe(receipt.tokens.after);
      expect(receipt.cost.with).toBe(receipt.cost.without);
    }
  });

  it("shows what a preview saves, in tokens and in money", () => {
    const client = seedClient(LEGACY);
    client.send(user("go"));
    const { receipt } = client.wait(1).send(call("t1", "Bash"), result("t1", text));
    const budget = receipt.levels.find(({ level }) => level === "budget");
    expect(budget).toMatchObject({ level: "budget", made: 1 });
    const saved = (budget?.before ?? 0) - (budget?.after ?? 0);
    expect(Math.abs(receipt.tokens.before - receipt.tokens.after - saved)).toBeLessThan(saved * 0.1);
    expect(receipt.cost.with).toBeLessThan(receipt.cost.without / 5);
  });

  it("charges reads for what was sent before and writes for the rest", () => {
    const client = seedClient(LEGACY, { snip: { tags: false } });
    const system = "You are a careful engineer. ".repeat(2_000);
    client.request([user("go")], { system });
    const warm = client.wait(1).request([say("hi"), user("go on")], { system }).receipt;
    const cold = client.wait(6).request([], { system }).receipt;
    const model = lookupModel(LEGACY);
    const empty = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 };
    expect(cold.cost.with).toBeCloseTo(cost({ ...empty, cacheWrite5m: cold.tokens.after }, model), 9);
    expect(warm.cost.with).toBeLessThan(cold.cost.with / 8);
    expect(warm.cost.with).toBeGreaterThan(cost({ ...empty, cacheRead: warm.tokens.after }, model));
  });

  it("counts system prompt and tools, also when only one of them changes", () => {
    const client = seedClient(LEGACY);
    const tools = [{ name: "Bash", description: "runs a command", input_schema: { type: "object" } }];
    const sizes = ["short", "a long system prompt ".repeat(500), undefined].map(
      (system) =>
        client.request([], { tools, messages: [user("go")], ...(system ? { system } : {}) }).receipt.tokens
          .after,
    );
    expect(sizes[1]).toBeGreaterThan((sizes[0] ?? 0) + 1_000);
    expect(sizes[2]).toBeLessThan(sizes[0] ?? 0);
  });
});

describe("a session in memory", () => {
  it.each(["seed", "thrifty"] as const)("names no file, but the handle of a large result: %s", (policy) => {
    const { budget, ...settings } = settingsFor(policy);
    const session = memorySession("m", { settings: { ...settings, budget } });
    const text = "a line of output\n".repeat(5_000);
    const messages: Message[] = [
      { role: "user", content: "go" },
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Bash", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: text }] },
    ];
    const sent = JSON.stringify(prepare({ session, messages, model: "claude-opus-5" }).messages);
    expect(sent).not.toMatch(/saved to|\.txt/);
    const handle = /recall (tl:[0-9a-f]{12})/.exec(sent)?.[1] ?? "";
    expect(recall(session.vault, handle).text).toBe(text);
  });
});
