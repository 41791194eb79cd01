// Level 3 under `thrifty`: old results go when the cache is cold or when it pays, and leave their handle.

import { describe, expect, it } from "vitest";
import {
  APPEND_ONLY,
  type Client,
  call,
  KEEP_ALL,
  LEGACY,
  result,
  say,
  shownOf,
  thinking,
  thriftyClient,
  user,
} from "../../../test/fixtures/pipeline/client.ts";
import type { EconomicsSettings } from "../../economics/index.ts";
import { check, isThinking, type Message } from "../../messages/index.ts";
import { recall } from "../../vault/index.ts";
import { snip } from "../requests.ts";
import { type PipelineSettings, thriftySettings } from "../settings.ts";
import { turnTags } from "../snip/snip.ts";
import { CLEARED } from "./clear.ts";

const { keepRecent, smallest } = thriftySettings.microcompact;
const output = (at: number): string => `line ${at} of an output that is worth a placeholder\n`.repeat(40);

const priced = (changes: Partial<EconomicsSettings>): Partial<PipelineSettings> => ({
  economics: { ...thriftySettings.economics, ...changes },
});

/** So many rounds of one turn, a result each. */
function rounds(client: Client, count: number, from = 0): Client {
  for (let at = from; at < from + count; at++)
    client.send(call(`t${at}`, "Bash"), result(`t${at}`, output(at)));
  return client;
}
const clearedIn = (messages: readonly Message[], count: number): number[] =>
  Array.from({ length: count }, (_, at) => at).filter((at) =>
    shownOf(messages, `t${at}`).startsWith(CLEARED),
  );
const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

function started(client: Client): Client {
  client.send(user("go"));
  return client;
}

describe("a cold cache", () => {
  it("is the time to clear, with the handle behind the placeholder", () => {
    const client = rounds(started(thriftyClient()), keepRecent + 2);
    const { messages, receipt } = client.wait(6).send(say("done"), user("go on"));
    expect(clearedIn(messages, keepRecent + 2)).toEqual([0, 1]);
    const handle = /^\[Old tool result content cleared\] recall (tl:[0-9a-f]{12})$/.exec(
      shownOf(messages, "t0"),
    )?.[1];
    expect(recall(client.session.vault, handle ?? "").text).toBe(output(0));
    expect(receipt.cache.predicted).toBe("cold");
    expect(receipt.edits.map(({ why }) => why)).toContain("the cache is cold anyway");
  });

  it("is one after five minutes, unless the last response wrote it for an hour", () => {
    for (const [ttl, minutes, cleared] of [
      ["5m", 5, false],
      ["5m", 5.1, true],
      ["1h", 59, false],
      ["1h", 60.1, true],
    ] as const) {
      const client = rounds(started(thriftyClient()), keepRecent + 1).answered(ttl);
      const { messages, receipt } = client.wait(minutes).send(say("done"), user("go on"));
      expect(clearedIn(messages, keepRecent + 1)).toEqual(cleared ? [0] : []);
      expect(receipt.cache.ttl).toBe(ttl);
    }
  });

  it("is used inside a turn as well, where the regime allows it", () => {
    const client = rounds(started(thriftyClient(LEGACY)), keepRecent + 2);
    const id = `t${keepRecent + 2}`;
    const { messages } = client.wait(6).send(call(id, "Bash"), result(id, "ok"));
    expect(clearedIn(messages, keepRecent + 3)).toEqual(upTo(3));
  });

  it("leaves small results alone: a placeholder would hardly be shorter", () => {
    const client = started(thriftyClient());
    client.send(call("t0", "Bash"), result("t0", "x".repeat(smallest - 1)));
    client.send(call("t1", "Bash"), result("t1", "x".repeat(smallest)));
    rounds(client, keepRecent, 2);
    const { messages } = client.wait(6).send(say("done"), user("go on"));
    expect(clearedIn(messages, keepRecent + 2)).toEqual([1]);
  });

  it("takes earlier turns' thinking with it where that is kept and billed, and it stays in the vault", () => {
    const client = started(thriftyClient(KEEP_ALL));
    client.send(call("t0", "Bash", {}, thinking("one")), result("t0", output(0)));
    client.send(say("done", thinking("two")), user("next"));
    client.send(call("t1", "Bash", {}, thinking("three")), result("t1", output(1)));
    const { messages, receipt } = client
      .wait(6)
      .send(call("t2", "Bash", {}, thinking("four")), result("t2", "ok"));
    expect(sealsIn(messages)).toEqual(["three", "four"]);
    const drop = receipt.edits.find(({ edit }) => edit.kind === "drop-thinking");
    expect(recall(client.session.vault, drop?.handles?.[0] ?? "").text).toContain('"signature":"two"');
  });

  it("leaves the thinking of a call whose results have just come, even with a new input behind them", () => {
    const client = started(thriftyClient(KEEP_ALL));
    client.send(call("t0", "Bash", {}, thinking("one")), result("t0", output(0)));
    client.send(say("done", thinking("two")), user("next"));
    const { messages } = client
      .wait(6)
      .send(
        call("t1", "Bash", {}, thinking("three")),
        result("t1", "cut short"),
        user("stop, do this instead"),
      );
    expect(sealsIn(messages)).toEqual(["three"]);
  });
});

const sealsIn = (messages: readonly Message[]): unknown[] =>
  messages.flatMap(({ content }) =>
    typeof content === "string" ? [] : content.filter(isThinking).map(({ signature }) => signature),
  );

describe("a warm cache", () => {
  it("is broken when that repays itself within the requests expected", () => {
    const client = started(
      thriftyClient(LEGACY, priced({ horizon: 1_000, leastInTurn: 500, leastAtTurn: 500 })),
    );
    rounds(client, keepRecent + 6);
    const edits = client.session.ledger.entries().filter(({ edit }) => edit.kind === "replace-result");
    expect(edits.length).toBeGreaterThan(0);
    expect(edits[0]?.why).toMatch(/^pays after \d+ requests$/);
  });

  it("is not broken when that would take too long, and the receipt says so", () => {
    const client = started(thriftyClient(LEGACY, priced({ horizon: 1, leastInTurn: 500, leastAtTurn: 500 })));
    rounds(client, keepRecent + 6);
    const { messages, receipt } = client.send(call("x", "Bash"), result("x", "ok"));
    expect(clearedIn(messages, keepRecent + 6)).toEqual([]);
    expect(receipt.levels.find(({ level }) => level === "microcompact")).toMatchObject({
      made: 0,
      waiting: expect.stringMatching(/^would pay after \d+ requests, later than the 1 expected$/),
    });
  });

  it("is broken for a batch and then left alone until another batch is there", () => {
    const least = 2_000;
    const client = started(
      thriftyClient(LEGACY, priced({ horizon: 1_000, leastInTurn: least, leastAtTurn: least })),
    );
    let edits = 0;
    let batches = 0;
    for (let at = 0; at < 30; at++) {
      const { receipt } = client.send(call(`t${at}`, "Bash"), result(`t${at}`, output(at)));
      const made = receipt.edits.filter(({ level }) => level === "microcompact");
      edits += made.length;
      if (made.length === 0) continue;
      batches++;
      const freed = made.reduce((sum, { tokens }) => sum + (tokens ? tokens.before - tokens.after : 0), 0);
      expect(freed).toBeGreaterThanOrEqual(least);
    }
    expect(batches).toBeGreaterThan(1);
    expect(edits / batches).toBeGreaterThanOrEqual(3);
  });

  it("waits for less at the start of a turn than in its middle", () => {
    const changes = priced({ horizon: 1_000, leastInTurn: 1_000_000, leastAtTurn: 500 });
    const client = rounds(started(thriftyClient(LEGACY, changes)), keepRecent + 6);
    expect(clearedIn(client.send().messages, keepRecent + 6)).toEqual([]);
    const { messages } = client.send(say("done"), user("next"));
    expect(clearedIn(messages, keepRecent + 6)).toEqual(upTo(6));
    // Reminders that a client puts behind the input do not hide that a turn begins.
    const other = rounds(started(thriftyClient(LEGACY, changes)), keepRecent + 6);
    const meta = Array.from({ length: other.messages.length + 2 }, () => ({}));
    const reminded = other.request(
      [say("done"), user("next"), user("<system-reminder>x</system-reminder>")],
      {
        provenance: [...meta, { meta: true }],
      },
    );
    expect(clearedIn(reminded.messages, keepRecent + 6)).toEqual(upTo(6));
  });
});

describe("a recalled text", () => {
  const recalled = output(7).repeat(4);
  const session = (client: Client) => {
    const first = started(client).send(call("t0", "mcp__throughline__recall"), result("t0", recalled));
    const then = [1, 2, 3].map((at) => client.send(call(`t${at}`, "Bash"), result(`t${at}`, `short ${at}`)));
    return [first, ...then].map(({ messages }) => shownOf(messages, "t0"));
  };

  it("leaves again after an answer, with its handle, while the cache is warm", () => {
    const client = thriftyClient();
    const [first, second, third] = session(client);
    expect(first).toBe(recalled);
    expect(second).toMatch(/^\[Old tool result content cleared\] recall tl:[0-9a-f]{12}$/);
    expect(third).toBe(second);
    expect(recall(client.session.vault, /tl:\w+/.exec(second ?? "")?.[0] ?? "").text).toBe(recalled);
  });

  it("stays when it was asked for again", () => {
    const client = started(thriftyClient());
    const asked = { handle: "tl:0123456789ab" };
    const short = (at: number) => client.send(call(`t${at}`, "Bash"), result(`t${at}`, `short ${at}`));
    client.send(call("r0", "recall", asked), result("r0", recalled));
    expect(shownOf([1, 2].map(short).at(-1)?.messages ?? [], "r0")).toContain(CLEARED);
    client.send(call("r1", "recall", asked), result("r1", recalled));
    expect(shownOf([3, 4, 5].map(short).at(-1)?.messages ?? [], "r1")).toBe(recalled);
  });

  it("leaves alone: a turn that the model snipped before it waits for a better time", () => {
    const client = started(thriftyClient());
    client.send(say("gone"), user("go on"));
    const { session } = rounds(client, 3);
    const [{ tag = "" } = {}] = turnTags(session.runtime.lastHistory);
    snip(session, { ids: [tag], reason: "x" }, { model: KEEP_ALL, now: client.now });
    client.send(call("r0", "recall"), result("r0", recalled));
    client.send(call("s1", "Bash"), result("s1", "short"));
    const { messages } = client.send(call("s2", "Bash"), result("s2", "short"));
    expect(shownOf(messages, "r0")).toContain(CLEARED);
    expect(JSON.stringify(messages)).toContain("gone");
  });

  it("stays where an edit of old content was made behind it: the cache has no end of a request before that", () => {
    const client = started(thriftyClient());
    const short = (at: number) => client.send(call(`t${at}`, "Bash"), result(`t${at}`, `short ${at}`));
    client.send(call("t0", "recall"), result("t0", recalled));
    client.send(call("t1", "recall"), result("t1", output(8)));
    expect(shownOf(short(2).messages, "t0")).toContain(CLEARED);
    for (const { messages } of [short(3), short(4)]) expect(shownOf(messages, "t1")).toBe(output(8));
  });

  it("stays where thinking is bound to what precedes it", () => {
    const client = started(thriftyClient(APPEND_ONLY));
    client.send(call("t0", "recall", {}, thinking("look")), result("t0", recalled));
    const { messages } = client.send(call("t1", "Bash"), result("t1", "short"));
    expect(shownOf(messages, "t0")).toBe(recalled);
  });
});

describe("where thinking is bound to what precedes it", () => {
  const bound = (): Client => {
    const client = started(thriftyClient(APPEND_ONLY));
    for (let at = 0; at < keepRecent + 2; at++)
      client.send(call(`t${at}`, "Bash", {}, thinking(`s${at}`)), result(`t${at}`, output(at)));
    return client;
  };

  it("nothing is cleared inside a turn or with a warm cache, and the receipt says why", () => {
    const inTurn = bound()
      .wait(10)
      .send(call("x", "Bash", {}, thinking("x")), result("x", "ok"));
    expect(inTurn.receipt.levels.find(({ level }) => level === "microcompact")?.waiting).toMatch(/user turn/);
    expect(sealsIn(inTurn.messages)).toHaveLength(keepRecent + 3);
    expect(clearedIn(inTurn.messages, keepRecent + 2)).toEqual([]);
  });

  it("a cold user turn clears, and all thinking goes with it", () => {
    const { messages } = bound()
      .wait(6)
      .send(say("done", thinking("last")), user("next"));
    expect(clearedIn(messages, keepRecent + 2)).toEqual([0, 1]);
    expect(sealsIn(messages)).toEqual([]);
    expect(check(messages)).toEqual([]);
  });

  it("an input behind the results of a call is not such a turn: the call's thinking is still wanted", () => {
    const { messages } = bound()
      .wait(6)
      .send(call("x", "Bash", {}, thinking("x")), result("x", "cut short"), user("do this instead"));
    expect(clearedIn(messages, keepRecent + 2)).toEqual([]);
    expect(sealsIn(messages)).toHaveLength(keepRecent + 3);
  });
});
