// Levels act on the requests of a live session by themselves, and the API takes what comes of it.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Home, ledgerFile, projectOf, sessionPlace } from "../../src/home/index.ts";
import { type Level, openLedger } from "../../src/ledger/index.ts";
import { MINUTE } from "../../src/lib/index.ts";
import { compactionEvents, makeLiveHandlers } from "../../src/live/index.ts";
import { userSettings } from "../../src/settings/index.ts";
import { liveSession } from "./session.ts";

let folder = "";
let home: Home;
let now = 0;
beforeEach(() => {
  now = Date.parse("2026-11-18T10:00:00Z");
  folder = mkdtempSync(path.join(tmpdir(), "throughline-levels-"));
  const inside = (name: string): string => path.join(folder, name);
  home = { config: inside("config"), data: inside("data"), state: inside("state") };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const quiet = () => undefined;
const log = { info: quiet, warn: quiet, error: quiet, debug: quiet } as never;
const clock = { now: () => now };

function open() {
  const handlers = makeLiveHandlers({
    ...{ home, clock, log, isExcluded: () => false, takesMods: () => true },
    events: compactionEvents({ home, version: "1", clock, answer: async () => ({}) }),
    settings: () => userSettings(home, {}),
  });
  const ask = async (op: string, question: unknown): Promise<unknown> => {
    now += 1_000;
    const reply = await handlers.ask(op, JSON.parse(JSON.stringify(question)));
    return reply.kind === "done" ? JSON.parse(JSON.stringify(reply.data)) : undefined;
  };
  const client = liveSession({
    ...{ session: "s-1", project: folder, window: 100_000, ask },
    tell: (op, question) => void ask(op, question),
  });
  return client;
}

/** Edits in the ledger that change what is sent, by level. */
function acting(): readonly Level[] {
  const entries = openLedger(ledgerFile(sessionPlace(home, projectOf(folder).id, "s-1"))).entries();
  const changing = /^(replace-result|replace-prefix)$/;
  return [...new Set(entries.filter(({ edit }) => changing.test(edit.kind)).map(({ level }) => level))];
}

const refusals = ({ sent }: ReturnType<typeof liveSession>) => sent.flatMap(({ refusal }) => refusal ?? []);

it("budget, microcompact, autocompact: a large result, a pause longer than the cache lives, a long conversation", async () => {
  const client = open();
  await client.step(20_000);
  await client.send();
  expect(acting()).toEqual(["budget"]);
  for (let step = 0; step < 10; step++) await client.step(2_400);
  now += 6 * MINUTE;
  await client.send();
  expect(acting()).toEqual(["budget", "microcompact"]);
  for (let step = 0; step < 90; step++) await client.step(2_400);
  expect(acting()).toEqual(["budget", "microcompact", "autocompact"]);
  expect(refusals(client)).toEqual([]);
}, 120_000);
