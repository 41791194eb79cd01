// Pin, unpin and undo: what is pinned is never edited, and what is taken back stays so.
import { describe, expect, it } from "vitest";
import { identify } from "../../test/fixtures/history.ts";
import {
  APPEND_ONLY,
  type Client,
  call,
  KEEP_ALL,
  LEGACY,
  result,
  say,
  seedClient,
  shownOf,
  thinking,
  thriftyClient,
  user,
} from "../../test/fixtures/pipeline/client.ts";
import { check, isThinking, type Message } from "../messages/index.ts";
import { CLEARED } from "./microcompact/clear.ts";
import { pin, snip, undo, unpin, waitingMarks } from "./requests.ts";
import { type PipelineSettings, seedSettings, thriftySettings } from "./settings.ts";
import { turnTags } from "./snip/snip.ts";

const none: Partial<PipelineSettings> = { microcompact: { ...seedSettings.microcompact, keepRecent: 0 } };
const keepNone: Partial<PipelineSettings> = {
  microcompact: { ...thriftySettings.microcompact, keepRecent: 0, smallest: 1 },
};
const big = "b".repeat(60_000);
const sealsIn = (messages: readonly Message[]): unknown[] =>
  messages.flatMap(({ content }) =>
    typeof content === "string" ? [] : content.filter(isThinking).map(({ signature }) => signature),
  );
const idAt = (client: Client, at: number): string => identify(client.messages)[at]?.id ?? "";

describe("what is pinned", () => {
  it("is not cleared, and the attempt is not repeated with every request", () => {
    const client = seedClient(LEGACY, none);
    client.send(user("go"));
    client.send(call("t1", "Read"), result("t1", "one"));
    client.send(call("t2", "Read"), result("t2", "two"));
    pin(client.session, [idAt(client, 2)]);
    const { messages } = client.wait(61).send(say("done"), user("next"));
    expect([shownOf(messages, "t1"), shownOf(messages, "t2")]).toEqual(["one", CLEARED]);
    const entries = client.session.ledger.entries().length;
    client.wait(61).send(say("done"), user("next"));
    expect(client.session.ledger.entries()).toHaveLength(entries);
    unpin(client.session, [idAt(client, 2)]);
    expect(shownOf(client.wait(61).send(say("done"), user("next")).messages, "t1")).toBe(CLEARED);
  });

  it("does not count as something that an edit would free", () => {
    const economics = { ...thriftySettings.economics, horizon: 0, leastInTurn: 1, leastAtTurn: 1 };
    const client = thriftyClient(LEGACY, { ...keepNone, economics });
    client.send(user("go"));
    client.send(call("t1", "Read"), result("t1", "some text ".repeat(100)));
    const held = (): unknown =>
      client.send(say("ok"), user("on")).receipt.levels.find(({ level }) => level === "microcompact")
        ?.waiting;
    expect(held()).toMatch(/^would pay after/);
    pin(client.session, [idAt(client, 2)]);
    expect(held()).toBeUndefined();
  });

  it("is not previewed, when it was pinned before it was ever sent", () => {
    const client = seedClient(LEGACY);
    client.request([user("go")], { ids: ["m1"] });
    const { entries, append } = client.session.ledger;
    const [known] = entries();
    if (known) append([{ ...known, id: "e_pin", edit: { kind: "pin", items: ["m3"] } }]);
    const { messages } = client.request([call("t1", "Read"), result("t1", big)], { ids: ["m1", "m2", "m3"] });
    expect(shownOf(messages, "t1")).toBe(big);
  });

  it("can be a whole turn, by its tag", () => {
    const client = seedClient(LEGACY, none);
    client.send(user("go"), call("t1", "Read"), result("t1", "one"), say("done"), user("next"));
    const { edit } = pin(client.session, [turnTags(identify(client.messages))[0]?.tag ?? ""]);
    expect(edit).toEqual({
      kind: "pin",
      items: identify(client.messages)
        .slice(0, 4)
        .map(({ id }) => id),
    });
    const { messages } = client.wait(61).send(say("done"), user("more"));
    expect(shownOf(messages, "t1")).toBe("one");
  });

  it("is refused by an unknown name", () => {
    const client = seedClient();
    client.send(user("go"));
    expect(() => pin(client.session, ["nothing"])).toThrow(expect.objectContaining({ code: "not-found" }));
  });

  it("withholds a waiting snip, and the receipt says so", () => {
    const client = seedClient(APPEND_ONLY);
    client.send(user("go"), say("done"), user("next"));
    const tag = turnTags(identify(client.messages))[0]?.tag ?? "";
    snip(client.session, { ids: [tag], reason: "" }, { model: APPEND_ONLY, now: client.now });
    pin(client.session, [tag]);
    const { messages, receipt } = client.wait(6).send(say("done"), user("more"));
    expect(receipt.waiting).toEqual([{ mark: expect.any(String), why: "something in this turn is pinned" }]);
    expect(messages).toHaveLength(client.messages.length);
  });

  it("with thinking in it, keeps all old content where thinking is bound", () => {
    const client = thriftyClient(APPEND_ONLY, keepNone);
    client.send(user("go"));
    client.send(call("t1", "Bash", {}, thinking("one")), result("t1", "one"));
    pin(client.session, [idAt(client, 1)]);
    const { messages, receipt } = client.wait(6).send(say("done", thinking("two")), user("next"));
    expect(shownOf(messages, "t1")).toBe("one");
    expect(sealsIn(messages)).toEqual(["one", "two"]);
    expect(receipt.levels.find(({ level }) => level === "microcompact")?.waiting).toMatch(
      /no pinned message/,
    );
  });

  it("with thinking in it, keeps thinking and nothing more where it is not bound", () => {
    const client = thriftyClient(KEEP_ALL, keepNone);
    client.send(user("go"));
    client.send(call("t1", "Bash", {}, thinking("one")), result("t1", "a result of some length".repeat(20)));
    pin(client.session, [idAt(client, 1)]);
    const { messages } = client.wait(6).send(say("done", thinking("two")), user("next"));
    expect(sealsIn(messages)).toEqual(["one", "two"]);
    expect(shownOf(messages, "t1")).toMatch(/cleared/);
  });
});

describe("undo", () => {
  const entryOf = (client: Client, kind: string): string =>
    client.session.ledger.entries().findLast(({ edit }) => edit.kind === kind)?.id ?? "";

  it("brings a cleared result back at once, and it stays", () => {
    const client = seedClient(LEGACY, none);
    client.send(user("go"));
    client.send(call("t1", "Read"), result("t1", "one"));
    client.wait(61).send(say("done"), user("next"));
    const undone = undo(client.session, entryOf(client, "replace-result"), {
      model: LEGACY,
      now: client.now,
    });
    expect(undone.waiting).toBeUndefined();
    expect(shownOf(client.wait(1).send(say("ok"), user("more")).messages, "t1")).toBe("one");
    expect(shownOf(client.wait(90).send(say("ok"), user("again")).messages, "t1")).toBe("one");
  });

  it("brings a previewed result back, although it was not answered yet", () => {
    const client = seedClient(LEGACY);
    client.send(user("go"), call("t1", "Read"), result("t1", big));
    undo(client.session, entryOf(client, "replace-result"), { model: LEGACY, now: client.now });
    expect(shownOf(client.send().messages, "t1")).toBe(big);
    expect(shownOf(client.send(say("ok"), user("more")).messages, "t1")).toBe(big);
  });

  it("of the tags is respected", () => {
    const client = seedClient(LEGACY);
    client.send(user("go"));
    undo(client.session, entryOf(client, "tag-inputs"), { model: LEGACY, now: client.now });
    expect(client.send(say("ok"), user("more")).messages.at(-1)).toEqual(user("more"));
  });

  it("of dropped thinking is respected where thinking is not bound", () => {
    const client = thriftyClient(KEEP_ALL, keepNone);
    client.send(user("go"), say("hm", thinking("one")), user("next"));
    client.wait(6).send(say("ok", thinking("two")), user("more"));
    undo(client.session, entryOf(client, "drop-thinking"), { model: KEEP_ALL, now: client.now });
    const { messages } = client.wait(6).send(say("ok", thinking("three")), user("and more"));
    expect(sealsIn(messages)).toEqual(["one", "two", "three"]);
  });

  it("waits for a cold user turn where thinking is bound, and then takes all thinking along", () => {
    const client = thriftyClient(APPEND_ONLY, keepNone);
    client.send(user("go"));
    client.send(call("t1", "Bash", {}, thinking("one")), result("t1", "one"));
    client.wait(6).send(say("done", thinking("two")), user("next"));
    const id = entryOf(client, "replace-result");
    const options = { model: APPEND_ONLY, now: client.now + 60 * 60_000 };
    expect(undo(client.session, id, options).waiting).toMatch(/waiting for a user turn with a cold cache/);
    expect(undo(client.session, id, options).waiting).toMatch(/waiting/);
    expect(waitingMarks(client.session)).toHaveLength(1);
    const warm = client.wait(1).send(call("t2", "Bash", {}, thinking("three")), result("t2", "two"));
    expect(shownOf(warm.messages, "t1")).toMatch(/cleared/);
    expect(sealsIn(warm.messages)).toEqual(["three"]);
    const cold = client.wait(6).send(say("done", thinking("four")), user("more"));
    expect(shownOf(cold.messages, "t1")).toBe("one");
    expect(sealsIn(cold.messages)).toEqual([]);
    expect(check(cold.messages)).toEqual([]);
    expect(waitingMarks(client.session)).toEqual([]);
  });

  it("of dropped thinking is refused where thinking is bound: the API takes none back", () => {
    const client = thriftyClient(APPEND_ONLY, keepNone);
    client.send(user("go"), say("hm", thinking("one")), user("next"));
    client.wait(6).send(say("ok", thinking("two")), user("more"));
    expect(() => undo(client.session, entryOf(client, "drop-thinking"), { model: APPEND_ONLY })).toThrow(
      expect.objectContaining({ code: "undo-refused", fix: expect.stringContaining("recall") }),
    );
  });

  it("takes a mark back at once in every regime", () => {
    const client = seedClient(APPEND_ONLY);
    client.send(user("go"), say("done"), user("next"));
    const tag = turnTags(identify(client.messages))[0]?.tag ?? "";
    snip(client.session, { ids: [tag], reason: "" }, { model: APPEND_ONLY, now: client.now });
    const [mark] = waitingMarks(client.session);
    expect(
      undo(client.session, mark?.id ?? "", { model: APPEND_ONLY, now: client.now }).waiting,
    ).toBeUndefined();
    expect(waitingMarks(client.session)).toEqual([]);
  });

  it("knows no entry that is not there", () => {
    const client = seedClient();
    client.send(user("go"));
    expect(() => undo(client.session, "e_nothing", { model: KEEP_ALL })).toThrow(
      expect.objectContaining({ code: "not-found" }),
    );
  });
});
