// Search from a folder of work finds its project's memories beside everything else, and gives one whole by its file.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, expect, it } from "vitest";
import { keptHere } from "../../test/worker/kept.ts";
import { projectOf } from "../lib/index.ts";
import { saveMemory } from "../memdir/index.ts";
import { makeMemory } from "./memory.ts";
import { memoryFolderFor } from "./memoryFolder.ts";
import { memorySources } from "./memorySource.ts";

const kept = keptHere();
let folder = "";
beforeEach(async () => {
  folder = path.join(kept.folder, "ferry");
  mkdirSync(folder);
  await save("Berth keys", "Marit keeps the keys of the northern berths.");
});

const around = () => ({ home: kept.home, env: { CLAUDE_CONFIG_DIR: path.join(kept.folder, "claude") } });
const place = () => memoryFolderFor({ ...around(), folder }).place;
const save = (name: string, body: string, more = {}) =>
  saveMemory(place(), {
    ...{ name, description: `who to ask about ${name}`, type: "project", body, author: "user" },
    ...more,
  });
const memory = () => makeMemory({ store: kept.store, memoriesIn: memorySources(around()) });
const found = async (request: object): Promise<string[]> =>
  (await memory().search(request)).hits.map(({ ref }) => ref);

const query = "who has the keys of the berths";

it("finds a memory from its project's folder, and from no other", async () => {
  expect(await found({ query, folder })).toEqual(["berth-keys.md"]);
  expect(await found({ query, folder, projects: [projectOf(folder).id] })).toEqual(["berth-keys.md"]);
  expect(await found({ query })).toEqual([]);
  const other = path.join(kept.folder, "other");
  mkdirSync(other);
  expect(await found({ query, folder: other })).toEqual([]);
});

it("gives one whole by its file", async () => {
  const { items, missing } = await memory().show({ refs: ["berth-keys.md", "nothing.md"], folder });
  expect(items).toMatchObject([{ kind: "memory", title: "Berth keys" }]);
  expect(items[0]?.text).toContain("Marit keeps the keys");
  expect(missing).toEqual(["nothing.md"]);
});

it("does not find what was superseded", async () => {
  await save("Berth keys now", "Jonas keeps the keys of the northern berths.", {
    supersedes: ["berth-keys.md"],
  });
  expect(await found({ query, folder })).toEqual(["berth-keys-now.md"]);
});

it("finds the rest where the folder of memories is none", async () => {
  const { folder: memories } = memoryFolderFor({ ...around(), folder: kept.folder }).place;
  mkdirSync(path.dirname(memories), { recursive: true });
  writeFileSync(memories, "a file");
  expect(await found({ query, folder: kept.folder })).toEqual([]);
});
