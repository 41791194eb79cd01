// Level 3, the server's path: the directives to the letter, nothing that may be cleared is unkept, one note.
import { describe, expect, it } from "vitest";
import {
  Client,
  call,
  disk,
  image,
  LEGACY,
  result,
  say,
  seedClient,
  shownOf,
  thriftyClient,
  user,
} from "../../../test/fixtures/pipeline/client.ts";
import type { Message } from "../../messages/index.ts";
import { recall } from "../../vault/index.ts";
import { undo } from "../requests.ts";
import { seedSettings, thriftySettings } from "../settings.ts";
import { CLEARED } from "./clear.ts";
import { CLEARING_NOTE, withCacheEdits } from "./server.ts";

const folder = disk();
const edits = [
  { type: "clear_thinking_20251015", keep: "all" },
  {
    type: "clear_tool_uses_20250919",
    trigger: { type: "input_tokens", value: 180_000 },
    clear_at_least: { type: "input_tokens", value: 140_000 },
  },
];

describe("the directives", () => {
  it("go with every request under seed that has thinking on, thinking first, with their beta", () => {
    const client = seedClient();
    const body = { thinking: { type: "adaptive" } };
    for (const added of [[user("go")], [say("hi"), user("go on")]]) {
      expect(client.request(added, { body }).params).toEqual({
        body: { context_management: { edits } },
        betas: ["context-management-2025-06-27"],
      });
    }
    expect(client.session.ledger.entries().filter(({ edit }) => edit.kind === "directive")).toHaveLength(1);
  });

  it("leave thinking out where the request has none on, as the API would refuse it", () => {
    const client = seedClient();
    const off = [{}, { body: {} }, { body: { thinking: { type: "disabled" } } }];
    for (const more of off) {
      const { params } = client.request([user("go"), say("hi"), user("go on")], more);
      expect(params.body).toEqual({ context_management: { edits: [edits[1]] } });
      expect(params.betas).toEqual(["context-management-2025-06-27"]);
    }
  });

  it("stand back with their beta where the caller manages the context itself, and the receipt says so", () => {
    const client = seedClient();
    client.send(user("go"));
    const own = { context_management: { edits: [{ type: "clear_tool_uses_20250919" }] } };
    const { params, receipt } = client.request([say("hi"), user("go on")], { body: own });
    expect(params).toEqual({ body: {}, betas: [] });
    expect(receipt.levels).toContainEqual(
      expect.objectContaining({ level: "microcompact", waiting: expect.stringContaining("by itself") }),
    );
  });

  it("leave the messages as they are", () => {
    const client = seedClient(LEGACY, { snip: { tags: false } });
    const conversation = [user("go"), call("t1", "Read"), result("t1", "text")];
    expect(client.send(...conversation).messages).toEqual(conversation);
  });

  it("are off in thrifty unless they are chosen", () => {
    expect(thriftyClient().send(user("go")).params).toEqual({ body: {}, betas: [] });
    const chosen = thriftyClient(LEGACY, { microcompact: { ...thriftySettings.microcompact, server: true } });
    const thinking = { body: { thinking: { type: "enabled", budget_tokens: 2_000 } } };
    expect(chosen.request([user("go")], thinking).params.body).toEqual({ context_management: { edits } });
  });

  it("give way to the time path: when that acts, it alone does", () => {
    const microcompact = { ...seedSettings.microcompact, keepRecent: 0 };
    const client = seedClient(LEGACY, { microcompact });
    const history = [user("go"), call("t1", "Read"), result("t1", "text"), say("done"), user("go on")];
    const provenance = [{}, {}, {}, { at: client.now - 61 * 60_000 }, {}];
    const { messages, params } = client.request(history, { provenance });
    expect(shownOf(messages, "t1")).toBe(CLEARED);
    expect(params).toEqual({ body: {}, betas: [] });
    expect(client.wait(1).request([say("ok"), user("more")]).params.betas).toHaveLength(1);
  });

  it("cannot be undone here, and the refusal says why", () => {
    const client = seedClient();
    client.send(user("go"));
    const [directive] = client.session.ledger.entries().filter(({ edit }) => edit.kind === "directive");
    expect(() => undo(client.session, directive?.id ?? "", { model: client.model })).toThrow(
      /carried out by the API/,
    );
  });
});

describe("what the API may clear", () => {
  it("is in the vault before the request goes out, whole, under its tool_use_id", () => {
    const client = seedClient();
    const big = "b".repeat(60_000);
    client.send(user("go"), call("t1", "Read"), result("t1", "small"));
    client.send(call("t2", "mcp__x__y"), result("t2", big));
    client.send(call("t3", "Read"), result("t3", [{ type: "text", text: "words" }, image]));
    const texts = ["t1", "t2", "t3"].map((id) => recall(client.session.vault, id).text);
    expect(texts).toEqual(["small", big, "words"]);
    expect(client.session.vault.list().map(({ bytes }) => bytes)).toContain(JSON.stringify([image]).length);
  });

  it("includes what was sent before this process started", () => {
    const client = seedClient();
    client.send(user("go"), call("t1", "Read"), result("t1", "one"));
    client.send(call("t2", "Read"), result("t2", "two"), call("t3", "Read"), result("t3", "three"));
    expect(recall(client.session.vault, "t2").text).toBe("two");
  });

  it("is found by a later process, and kept by it too", () => {
    const first = new Client(folder.open("server"));
    first.send(user("go"), call("t1", "Read"), result("t1", "one"));
    const later = new Client(folder.open("server"));
    later.send(...first.messages, call("t2", "Read"), result("t2", "two"));
    expect(recall(folder.open("server").vault, "t1").text).toBe("one");
    expect(recall(folder.open("server").vault, "t2").text).toBe("two");
  });
});

describe("the note", () => {
  const text = "const value = compute(input, options);\n".repeat(1_200);
  const isNote = (message: Message): boolean => message.content === CLEARING_NOTE;

  it("comes once, before the trigger can be reached, and stays where it is", () => {
    const client = seedClient();
    client.send(user("go"));
    const places: number[] = [];
    const totals: number[] = [];
    for (let at = 0; at < 14; at++) {
      const { messages, receipt } = client.send(call(`t${at}`, "Read"), result(`t${at}`, `${at} ${text}`));
      expect(messages.filter(isNote).length).toBeLessThanOrEqual(1);
      places.push(messages.findIndex(isNote));
      totals.push(receipt.tokens.upperBound);
    }
    const first = places.findIndex((place) => place >= 0);
    expect(first).toBeGreaterThan(0);
    expect(new Set(places.slice(first)).size).toBe(1);
    expect(totals[first - 1]).toBeLessThan(180_000);
    expect(totals.at(-1)).toBeGreaterThan(180_000);
  });

  it("is not written into short conversations", () => {
    const client = seedClient();
    const { messages } = client.send(user("go"), call("t1", "Read"), result("t1", text));
    expect(messages.some(isNote)).toBe(false);
  });
});

describe("cache_edits", () => {
  const messages = [
    user("go"),
    call("t1", "Read"),
    result("t1", "one"),
    call("t2", "Read"),
    result("t2", "two"),
  ];

  it("are never in what is prepared", () => {
    for (const client of [seedClient(), thriftyClient()])
      expect(JSON.stringify(client.send(...messages))).not.toMatch(/cache_(edits|reference)/);
  });

  it("change nothing without a probe that was accepted", () => {
    expect(withCacheEdits(messages, [{ at: 4, cleared: ["t1"] }], { accepted: false })).toBe(messages);
    expect(withCacheEdits(messages, [], { accepted: true })).toBe(messages);
  });

  it("stay with the message that asked first, and leave the content on the client's side", () => {
    const request = [...messages, say("ok"), user("go on")];
    const edited = withCacheEdits(request, [{ at: 4, cleared: ["t1"] }], { accepted: true });
    expect(edited[2]?.content).toEqual([
      { type: "tool_result", tool_use_id: "t1", content: "one", cache_reference: "t1" },
    ]);
    expect(edited[4]?.content).toEqual([
      { type: "tool_result", tool_use_id: "t2", content: "two" },
      { type: "cache_edits", edits: [{ type: "delete", cache_reference: "t1" }] },
    ]);
    expect(edited.slice(5)).toEqual(request.slice(5));
  });
});
