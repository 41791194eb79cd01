// A text saved on request is kept once, without its secrets, and found again.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { keptHere, second } from "../../test/worker/kept.ts";
import { redactValue } from "../redact/index.ts";
import { search } from "../search/index.ts";
import { type RememberParts, remember } from "./remember.ts";

const kept = keptHere();
let folder = "";

beforeEach(() => {
  folder = path.join(kept.folder, "ferry");
  mkdirSync(folder);
});

const parts = (more: Partial<RememberParts> = {}): RememberParts => ({
  store: kept.store,
  redact: (payload) => redactValue(payload).value,
  isExcluded: () => false,
  isPaused: () => false,
  placeOf: () => ({
    folder: path.join(kept.folder, "memories"),
    books: path.join(kept.folder, "books"),
    isClaudes: false,
  }),
  clock: { now: () => second(5) },
  ...more,
});

describe("remember", () => {
  it("keeps a text that can be found, named by its first line", async () => {
    const text = "# The pier's clock is four minutes late\nAsk Marit before changing it.";
    const done = await remember(parts(), { text, folder });
    expect(done).toEqual({ ref: "#1", title: "The pier's clock is four minutes late", known: false });
    const { hits } = await search({ store: kept.store }, { query: "ask Marit about the clock" });
    expect(hits.map(({ ref }) => ref)).toEqual(["#1"]);
  });

  it("keeps the same text once", async () => {
    await remember(parts(), { text: "use pnpm here", folder });
    expect(await remember(parts(), { text: " use pnpm here\n", folder })).toEqual({
      title: "use pnpm here",
      known: true,
    });
    expect((await kept.store.observations()).items).toHaveLength(1);
  });

  it("keeps no secret and nothing private", async () => {
    const text = "deploy with ghp_16C7e42F292c6912E7710c838347Ae178B4a <private>my salary</private>";
    await remember(parts(), { text, folder });
    expect(JSON.stringify((await kept.store.observations()).items)).not.toMatch(/ghp_|salary/);
  });

  it("refuses what is none, too long, paused or excluded, and keeps nothing", async () => {
    const wrong: [RememberParts, object, string][] = [
      [parts(), {}, "usage"],
      [parts(), { text: " ", folder }, "usage"],
      [parts(), { text: "x".repeat(20_001), folder }, "memory-refused"],
      [parts({ isPaused: () => true }), { text: "x", folder }, "memory-refused"],
      [parts({ isExcluded: () => true }), { text: "x", folder }, "memory-refused"],
    ];
    for (const [of, request, code] of wrong)
      await expect(remember(of, request)).rejects.toMatchObject({ code });
    expect((await kept.store.observations()).items).toEqual([]);
  });
});
