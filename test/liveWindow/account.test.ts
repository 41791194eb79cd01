// What the live engine learns of a session: dollars with and without edits, its own cache misses, and looks at what it cut.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Home, projectOf, sessionPlace } from "../../src/home/index.ts";
import { liveAccount } from "../../src/inspector/index.ts";
import { systemClock as clock } from "../../src/lib/index.ts";
import { compactionEvents, makeLiveHandlers } from "../../src/live/index.ts";
import { type Message, textOf } from "../../src/messages/index.ts";
import { userSettings } from "../../src/settings/index.ts";
import { liveSession, messagesIn } from "./session.ts";

let folder = "";
let home: Home;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-account-"));
  const inside = (name: string): string => path.join(folder, name);
  home = { config: inside("config"), data: inside("data"), state: inside("state") };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const quiet = () => undefined;
const log = { info: quiet, warn: quiet, error: quiet, debug: quiet } as never;

/** A session whose requests a worker in this process edits. */
function open(session: string): { client: ReturnType<typeof liveSession>; lines: string[] } {
  const handlers = makeLiveHandlers({
    ...{ home, clock, log, isExcluded: () => false, takesMods: () => true },
    events: compactionEvents({ home, version: "1", clock, answer: async () => ({}) }),
    settings: () => userSettings(home, {}),
  });
  const lines: string[] = [];
  const ask = async (op: string, question: unknown): Promise<unknown> => {
    const reply = await handlers.ask(op, JSON.parse(JSON.stringify(question)));
    const data = reply.kind === "done" ? JSON.parse(JSON.stringify(reply.data)) : undefined;
    if (typeof data?.line === "string") lines.push(data.line);
    return data;
  };
  const client = liveSession({
    ...{ session, project: folder, window: 100_000, ask, tell: (op, question) => void ask(op, question) },
  });
  return { client, lines };
}

const placeOf = (session: string): string => sessionPlace(home, projectOf(folder).id, session).folder;
const looksOf = (session: string): unknown =>
  JSON.parse(readFileSync(path.join(placeOf(session), "window.json"), "utf8")).looks;
const handleIn = (text: string): string => /recall (tl:[0-9a-f]{12})/.exec(text)?.[1] ?? "";

it("knows what the session cost and would have cost, and which cache misses its edits caused", async () => {
  const { client } = open("s-1");
  for (let step = 0; step < 90; step++) await client.step(2_400);
  await client.send();
  const account = liveAccount(placeOf("s-1"));
  expect(account?.requests).toBe(91);
  expect(account?.measured).toBeGreaterThan(0);
  expect(account?.measured).toBeLessThan(account?.without ?? 0);
  const shorter = client.sent.filter(({ text }, at) => text.length < (client.sent[at - 1]?.text.length ?? 0));
  expect(shorter.length).toBeGreaterThan(0);
  expect(account?.ownMisses).toBe(shorter.length);
  expect(account?.misses).toBe(shorter.length);
}, 120_000);

it("counts the looks at what was cut, leaves them out of what the session would have cost, and tells the next session", async () => {
  const { client } = open("s-1");
  for (let step = 0; step < 6; step++) await client.step(20_000);
  const { text } = await client.send();
  const handle = handleIn(messagesIn(text).at(-1) ?? "");
  expect(handle).not.toBe("");
  const before = liveAccount(placeOf("s-1"))?.without ?? 0;
  const call = { type: "tool_use", id: "r1", name: "mcp__throughline__recall", input: { handle } };
  const whole = textOf((client.messages.at(-1) as Message).content) || "all of it";
  client.messages.push({ role: "assistant", content: [call] });
  client.messages.push({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "r1", content: whole }],
  });
  await client.send();
  expect(looksOf("s-1")).toMatchObject({ Bash: { looked: 1 } });
  // The answer to it is there on both sides, the request and the call are not.
  expect(liveAccount(placeOf("s-1"))?.without).toBeCloseTo(before, 6);
  const always = { Bash: { cut: 400, looked: 400 } };
  const file = path.join(placeOf("s-1"), "window.json");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), looks: always }));
  const { client: next } = open("s-2");
  for (let step = 0; step < 6; step++) await next.step(20_000);
  expect(handleIn((await next.send()).text)).toBe("");
}, 120_000);

it("makes no new edits, and says why, in a session that has cost more than without them for 20 requests", async () => {
  const { client, lines } = open("s-1");
  await client.step(500);
  await client.send();
  const file = path.join(placeOf("s-1"), "live.json");
  const kept = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...kept, measured: 9, without: 2, above: 20 }));
  const { client: again, lines: said } = open("s-1");
  again.messages.push(...client.messages.slice(again.messages.length));
  for (let step = 0; step < 6; step++) await again.step(20_000);
  expect(handleIn((await again.send()).text)).toBe("");
  expect(lines).toEqual([]);
  expect(said[0]).toContain("no new edits: for 20 requests this session has cost more");
}, 120_000);
