// From the store to the index: the newest of the project, one line a session, and what is old and about the work.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { projectOf } from "../home/index.ts";
import { type NewObservation, type NewSummary, openStore, type Store } from "../store/index.ts";
import { estimateText } from "../tokens/index.ts";
import { aboutWork, type StartRequest, startText } from "./startText.ts";

let folder = "";
let store: Store;
const now = Date.parse("2026-03-14T12:00:00Z");

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-start-"));
  mkdirSync(path.join(folder, "ferry"));
  store = await openStore({ file: path.join(folder, "throughline.db") });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const work = (): string => path.join(folder, "ferry");
const about = (minutes: number) => ({
  project: projectOf(work()).id,
  promptNumber: 1,
  at: new Date(now - minutes * 60_000).toISOString(),
});
const observation = (minutes: number, title: string, more: Partial<NewObservation> = {}): NewObservation => ({
  session: "s",
  type: "change",
  title,
  ...about(minutes),
  ...more,
});
const summary = (session: string, minutes: number, more: Partial<NewSummary>): NewSummary => ({
  session,
  ...about(minutes),
  ...more,
});
const told = (more: Partial<StartRequest> = {}): Promise<string> =>
  startText(store, {
    folder: work(),
    now,
    tokens: 1_000,
    characters: 10_000,
    language: "en",
    nonce: "00000000",
    timeZone: "UTC",
    ...more,
  });

describe("the text at a session's start", () => {
  it("has one line a session: what it was begun for, what was done last, and where it stood", async () => {
    await store.addSummaries([
      summary("one", 90, { request: "can you find the missing boat", completed: "found it" }),
      summary("one", 70, { request: "yes, go on", completed: "fixed the board" }),
      summary("one", 60, { request: "and the office?", learned: "closed on Sundays", nextSteps: "deploy" }),
      summary("two", 300, { request: "paint the pier", learned: "it is wet" }),
    ]);
    const text = await told();
    expect(text).toContain("| S3 | Mar 14 | Find the missing boat | fixed the board |");
    expect(text).toContain("| S4 | Mar 14 | Paint the pier | it is wet |");
    expect(text).not.toMatch(/\| S[12] \|/);
    expect(text).toContain("Left to do according to S3: deploy");
  });

  it("tells of a session's work by the newest observation of it, not by a later finding", async () => {
    await store.addSummaries([
      summary("one", 60, { request: "find the missing boat", completed: "fixed it" }),
    ]);
    await store.addObservations([
      observation(70, "The board keeps late boats", { type: "bugfix", session: "one" }),
      observation(65, "Sundays are closed", { type: "discovery", session: "one" }),
    ]);
    expect(await told()).toContain("| Find the missing boat | The board keeps late boats |");
  });

  it("tells what a session came to: what was committed and repaired before what was only edited", async () => {
    await store.addSummaries([summary("one", 60, { request: "find the missing boat", completed: "x" })]);
    const of = (promptNumber: number) => ({ session: "one", promptNumber });
    await store.addObservations([
      observation(80, "Show late boats", { ...of(1), type: "bugfix", text: "$ git commit -m boats → ok" }),
      observation(75, "Edit board.ts", { ...of(2), filesModified: ["board.ts"] }),
      observation(74, "The clock is now in UTC", { ...of(2), filesModified: ["clock.ts"] }),
      observation(70, "Renamed the pier", of(3)),
    ]);
    expect(await told()).toContain(
      "| Find the missing boat | Show late boats; The clock is now in UTC; Renamed the pier; Edit board.ts |",
    );
  });

  it("has the ten latest sessions and no more", async () => {
    await store.addSummaries(
      Array.from({ length: 14 }, (_, at) => summary(`s${at}`, at, { request: `request ${at}` })),
    );
    expect((await told()).match(/^\| S\d+ /gm)).toHaveLength(10);
  });

  it("is of this project alone, also where older ones are named", async () => {
    await store.addObservations([
      observation(1, "here"),
      observation(2, "elsewhere", { project: "another" }),
    ]);
    const text = await told({ older: [1, 2, 99] });
    expect(text).toContain("| here |");
    expect(text).not.toContain("elsewhere");
  });

  it("has what is old and about the branch or a changed file, once the worker has looked for it", async () => {
    const long = 60 * 24 * 90;
    await store.addObservations([
      observation(long, "Rename the harbour"),
      observation(long, "Cut piers in two", { filesModified: ["src/piers.ts"], text: "src/piers.ts" }),
      ...Array.from({ length: 250 }, (_, at) => observation(at, `Something else ${at}`)),
    ]);
    const situation = { folder: work(), branch: "fix/rename-harbour", files: ["src/piers.ts"] };
    expect(await told(situation)).not.toMatch(/Rename the harbour|Cut piers/);
    const older = await aboutWork(store, situation);
    const text = await told({ ...situation, older });
    expect(text).toContain("Rename the harbour");
    expect(text).toContain("Cut piers in two");
    expect(await aboutWork(store, { folder: work(), branch: "main" })).toEqual([]);
  });

  it("is empty where nothing is known", async () => {
    expect(await told()).toBe("");
  });
});

describe("the line of a project", () => {
  const chosenTitle =
    "Fixed the timezone of arrivals in the berth allocator by reading the offset of the harbour";
  const keep = async (): Promise<void> => {
    await store.recordEvents([
      {
        ...{ v: 1, id: "e", kind: "prompt", session: "s", lane: "hooks", writer: "test", cwd: work() },
        ...{ at: about(30).at, payload: { prompt: "go on" }, project: projectOf(work()).id },
      },
    ]);
    await store.addObservations([
      observation(5, chosenTitle),
      observation(20, "Measured the tide parser"),
      observation(30, "Wrote the tide parser", { filesModified: ["src/tide.ts"] }),
      observation(40, "Moved things", { filesModified: ["src/tide.ts"] }),
    ]);
  };

  it("is told where the index is off or has no room, within 60 tokens", async () => {
    await keep();
    for (const tokens of [0, 100]) {
      const lines = (await told({ tokens })).split("\n");
      expect(lines).toHaveLength(5);
      const line = lines[2] ?? "";
      expect(line).toMatch(
        /^ferry: 4 observations, 1 sessions; last Mar 14: Fixed the timezone of arrivals.*; topics: tide, parser, tide\.ts$/,
      );
      expect(estimateText(line, "new")).toBeLessThanOrEqual(60);
    }
    const chinese = (await told({ tokens: 0, language: "zh" })).split("\n")[2] ?? "";
    expect(chinese).toMatch(/^ferry：4 条观察，1 个会话；/);
    expect(estimateText(chinese, "new")).toBeLessThanOrEqual(60);
    expect(await told()).not.toContain("4 observations");
  });

  it("is not told where there are no characters left for it, nor of a project of which nothing is known", async () => {
    expect(await told({ tokens: 0 })).toBe("");
    await keep();
    expect(await told({ tokens: 0, characters: 60 })).toBe("");
  });
});
