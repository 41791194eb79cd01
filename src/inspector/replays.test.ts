// Replays of captured sessions in the background: progress, totals, an end that is told once, and sessions that cannot be replayed.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { smallSession, temporaryFolder } from "../../test/fixtures/transcript/session.ts";
import { until } from "../../test/until.ts";
import { resolveHome } from "../home/index.ts";
import { policies } from "../replay/index.ts";
import { makeReplays, type ReplayScope, type ReplayState } from "./replays.ts";

const files = temporaryFolder();
const thread = path.resolve(import.meta.dirname, "../../dist/replayThread.js");
let folder = "";
let replays: ReturnType<typeof makeReplays>;
let transcripts: Record<string, string> = {};
const asked: object[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "replays-"));
  asked.length = 0;
  const home = resolveHome({ env: { THROUGHLINE_HOME: folder }, platform: "linux", homeFolder: folder });
  const event = (session: string) => ({
    ...{ v: 1 as const, id: session, kind: "prompt", at: "2026-03-01T10:00:00.000Z", session, lane: "hooks" },
    ...{
      writer: "test",
      payload: {},
      project: "app",
      promptNumber: 1,
      transcript: transcripts[session] ?? "",
    },
  });
  replays = makeReplays({
    ...{ home, env: {}, thread, log: { warn: () => undefined } },
    store: {
      events: async ({ session = "" } = {}) => ({ items: session in transcripts ? [event(session)] : [] }),
      sessions: async (request = {}) => {
        asked.push(request);
        const items = ["new", "strange", "old"].map((claudeSessionId, at) => ({
          ...{ id: at, claudeSessionId, project: "app", status: "completed" as const, promptCounter: 1 },
          ...{ createdAt: "2026-03-01T10:00:00.000Z", createdAtEpoch: 0, lastActivityAt: "" },
          lastActivityEpoch: Date.parse(claudeSessionId === "old" ? "2026-01-01" : "2026-03-01"),
        }));
        return { items };
      },
    },
  });
});
afterEach(async () => {
  await replays.stop();
  rmSync(folder, { recursive: true, force: true });
});

const finished = (scope: ReplayScope): Promise<ReplayState> =>
  until(() => {
    const state = replays.state(scope);
    return state.state === "running" ? undefined : state;
  }, "the replay");

it("gives the totals of every policy for one session", async () => {
  transcripts = { new: files.write(smallSession().rows) };
  expect(replays.state({ session: "new" })).toMatchObject({ state: "running", totals: [] });
  expect(replays.busy()).toBe(true);
  const { totals, sessions, done, assumptions } = await finished({ session: "new" });
  expect(totals.map(({ policy }) => policy)).toEqual(policies.map(({ name }) => name));
  expect({ sessions, done, busy: replays.busy() }).toEqual({ sessions: 1, done: 1, busy: false });
  expect(assumptions.length).toBeGreaterThan(3);
  for (const { lookedAt } of totals) expect(Object.keys(lookedAt)).toEqual(["never", "half", "always"]);
  // The end is told once: asking again replays what has changed.
  expect(replays.state({ session: "new" }).state).toBe("running");
});

it("takes the sessions of a project since a time, and names those that cannot be replayed", async () => {
  transcripts = { new: files.write(smallSession().rows), strange: files.write([]), old: files.write([]) };
  const scope = { project: "app", from: "2026-02-01T00:00:00.000Z" };
  const { totals, sessions, leftOut } = await finished(scope);
  expect(asked[0]).toMatchObject({ project: "app" });
  expect(sessions).toBe(2);
  expect(totals[0]?.sessions).toBe(1);
  expect(leftOut).toMatchObject([
    { session: "strange", reason: expect.stringMatching(/request|message|empty/) },
  ]);
});

it("replaces what was asked for before, and is done at once where nothing is known", async () => {
  transcripts = { new: files.write(smallSession().rows) };
  replays.state({ session: "other" });
  const state = await finished({ session: "new" });
  expect(state.state).toBe("done");
  expect((await finished({ session: "unknown" })).sessions).toBe(0);
});
