// Every path that shows a memory says how old it is, how far it is trusted, and what of it no longer holds.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { keptHere } from "../../test/worker/kept.ts";
import { promptText } from "../inject/index.ts";
import { DAY } from "../lib/index.ts";
import { saveMemory } from "../memdir/index.ts";
import { redactValue } from "../redact/index.ts";
import { makeFinder } from "./finder.ts";
import { memoryFolderFor } from "./memoryFolder.ts";
import { memorySources } from "./memorySource.ts";
import { remember } from "./remember.ts";
import { type ToolContext, tools } from "./tools.ts";

const kept = keptHere();
const env = () => ({ CLAUDE_CONFIG_DIR: path.join(kept.folder, "claude") });
let folder = "";
const now = () => Date.now() + 3 * DAY;
const stale = "there is no src/berths.ts";
const standing = "written 3 days ago, never verified, trust high";

beforeEach(async () => {
  folder = path.join(kept.folder, "ferry");
  mkdirSync(path.join(folder, "src"), { recursive: true });
  writeFileSync(path.join(folder, "src", "ferries.ts"), "export const ferries = 1;\n");
  await saveMemory(memoryFolderFor({ home: kept.home, env: env(), folder }).place, {
    ...{ name: "Berth keys", description: "who holds the keys of the northern berths", type: "project" },
    ...{ body: "Marit holds the keys, because src/berths.ts was hers.", author: "user" },
  });
});

const sources = () => memorySources({ home: kept.home, env: env(), store: kept.store, clock: { now } });
const context = (): ToolContext => {
  const finder = makeFinder({ store: kept.store, memoriesFrom: sources() });
  return {
    ...{
      home: kept.home,
      env: env(),
      folder,
      isExcluded: () => false,
      model: "claude-sonnet-4-5",
      models: {},
    },
    backend: {
      find: (what, request) => finder[what](request),
      turns: async () => undefined,
      remember: (request) =>
        remember(
          {
            ...{ store: kept.store, isExcluded: () => false, isPaused: () => false },
            redact: (payload) => redactValue(payload).value,
            placeOf: () => memoryFolderFor({ home: kept.home, env: env(), folder }).place,
            clock: { now: () => Date.now() - 9 * DAY },
          },
          request,
        ),
    },
  };
};
const ask = async (name: string, input: object) => {
  const answer = await tools.find((tool) => tool.name === name)?.answer(context(), input);
  return {
    text: answer?.text ?? "",
    items: (answer?.data.items ?? []) as Record<string, unknown>[],
    data: answer?.data,
  };
};

/** An item of an index as data: its values. */
const row = (id: string, said: string) => [
  id,
  ...Array(3).fill(expect.any(String)),
  expect.any(Number),
  said,
];

describe("a file of the memory directory", () => {
  it("has them in what search gives, as text and as data", async () => {
    const { text, items } = await ask("search", { query: "who holds the keys of the northern berths" });
    expect(text).toContain(`berth-keys.md · `);
    expect(text).toContain(
      ` · ${standing} · Berth keys\n> **STALE: verify before relying on this**\n> - ${stale}`,
    );
    expect(items).toEqual([row("berth-keys.md", `${standing}; stale: ${stale}`)]);
  });

  it("has them in what get_observations gives, with the check before recommending as a section", async () => {
    const { text, items, data } = await ask("get_observations", { ids: ["berth-keys.md"] });
    expect(text).toContain(`${standing} · Berth keys\n> **STALE`);
    expect(text).toMatch(/^## Before recommending from memory$/m);
    expect(items).toMatchObject([{ standing, stale: [stale], text: expect.stringContaining("Marit") }]);
    expect(data?.advice).toMatch(/^## Before recommending from memory/);
  });

  it("has no banner when what it points at is there again", async () => {
    writeFileSync(path.join(folder, "src", "berths.ts"), "export const berths = 1;\n");
    const { text, items } = await ask("get_observations", { ids: ["berth-keys.md"] });
    expect(text).not.toContain("STALE");
    expect(items[0]).not.toHaveProperty("stale");
    expect(items[0]).toMatchObject({ standing });
  });

  it("has them where a prompt is told of it, once it was checked", async () => {
    const source = sources()(folder);
    await source.check?.(["berth-keys.md"]);
    const text = await promptText(
      { store: kept.store, memories: source },
      {
        ...{ prompt: "who holds the keys of the northern berths", folder, session: "s" },
        ...{ language: "en", nonce: "00000000" },
      },
    );
    expect(text).toContain(`, ${standing}): Berth keys\n> **STALE`);
  });
});

describe("what save_memory keeps without a type", () => {
  beforeEach(async () => {
    await ask("save_memory", { text: "The tide table is drawn by src/tides.ts, and the old one was wrong." });
  });

  it("has its age and the trust of an assistant's words", async () => {
    const { items } = await ask("search", { query: "tide table drawn wrong" });
    expect(items).toEqual([row("#1", "written 9 days ago, never verified, trust medium")]);
  });

  it("is checked where its text is shown", async () => {
    const { text, items } = await ask("get_observations", { ids: ["#1"] });
    expect(items).toMatchObject([{ stale: ["there is no src/tides.ts"] }]);
    expect(text).toMatch(/STALE: verify.*\n.*src\/tides\.ts[\s\S]*## Before recommending from memory/);
  });
});
