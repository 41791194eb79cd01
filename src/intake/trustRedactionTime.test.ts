// An event whose redaction takes too long neither blocks the queue nor leaves anything unredacted behind.
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { captured, keptHere, second } from "../../test/worker/kept.ts";
import { toolPayload } from "../../test/worker/payloads.ts";
import { redactValue, timeLimit } from "../redact/index.ts";
import { spoolBacklog } from "../spool/index.ts";
import { keepMessages, makeIngest, type RedactPayload } from "./ingest.ts";

const kept = keptHere();
const spool = (): string => path.join(kept.home.state, "spool");
const badFolder = (): string => path.join(spool(), "bad");

const SLOW = "every line of this output is slow";

/** A clock on which a payload with this text in it takes a minute, and every other no time. */
const redact: RedactPayload = (payload) => {
  let now = 0;
  const step = JSON.stringify(payload).includes(SLOW) ? 60_000 : 0;
  const clock = (): number => {
    now += step;
    return now;
  };
  return redactValue(payload, timeLimit(5_000, clock)).value;
};

const isExcluded = (): boolean => false;
const ingestHere = () =>
  makeIngest({ store: kept.store, redact, isExcluded, badFolder: badFolder(), log: kept.log });
const slowEvent = (at: number) =>
  captured(
    toolPayload("s1", at, { tool_response: { stdout: `${SLOW}: ${"word ".repeat(50)}` } }),
    second(at),
  );

describe("an event whose redaction takes too long", () => {
  it("is set aside with its reason, also when it is the only one, and the queue goes on", async () => {
    const ingest = ingestHere();
    expect(await ingest.keep([slowEvent(1)])).toMatchObject({ added: 1, bad: 1 });
    expect(await ingest.keep([captured(toolPayload("s1", 2), second(2))])).toMatchObject({
      added: 1,
      bad: 0,
    });
    const [name = ""] = readdirSync(badFolder());
    const file = path.join(badFolder(), name);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
      ...slowEvent(1),
      setAside: expect.stringMatching(/^redaction took longer than 5000 ms and was stopped at the rule "/),
    });
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(spoolBacklog(spool())).toMatchObject({ bad: 1, reason: expect.stringContaining("5000 ms") });
  });

  it("is stored without its content, and nothing of it is in the log", async () => {
    await ingestHere().keep([slowEvent(1)]);
    const [stored] = await kept.events();
    expect(stored?.payload).toMatchObject({
      session_id: "s1",
      tool_use_id: "toolu_s1_1",
      tool_response: "[redacted: took too long]",
    });
    expect(JSON.stringify(stored)).not.toContain(SLOW);
    expect(readFileSync(path.join(kept.home.state, "worker.log"), "utf8")).not.toContain(SLOW);
  });

  it("is set aside once, however often it comes", async () => {
    const ingest = ingestHere();
    for (const _ of [1, 2, 3]) await ingest.keep([slowEvent(1)]);
    expect(readdirSync(badFolder())).toHaveLength(1);
    expect(await kept.events()).toHaveLength(1);
  });

  it("does not stop what was said before and after it from being kept", async () => {
    const said = [SLOW, "hello there"].map((text, at) => ({
      uuid: `u${at}`,
      role: "user" as const,
      text,
      at: second(at),
    }));
    const stored: string[] = [];
    const store = {
      addMessages: async (messages: readonly { text: string }[]) => {
        stored.push(...messages.map(({ text }) => text));
        return { added: [], known: [] };
      },
    };
    await keepMessages({ store, redact, isExcluded }, "s1", said);
    expect(stored).toEqual(["[redacted: took too long]", "hello there"]);
  });
});
