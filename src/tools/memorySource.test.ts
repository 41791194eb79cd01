// Every search finds memories beside everything else: the asker's own by their file, those of other projects by project and file.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, expect, it } from "vitest";
import { captured, keptHere } from "../../test/worker/kept.ts";
import { promptPayload } from "../../test/worker/payloads.ts";
import { projectOf } from "../home/index.ts";
import { saveMemory } from "../memdir/index.ts";
import { makeFinder } from "./finder.ts";
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
const memory = () =>
  makeFinder({
    store: kept.store,
    memoriesFrom: memorySources({ ...around(), store: kept.store }),
  });
/** Something happened there, so that the project is known. */
const work = (cwd: string) =>
  kept.ingest.keep([captured({ ...promptPayload(`s-${path.basename(cwd)}`, "hello"), cwd }, 1_000)]);
const found = async (request: object): Promise<string[]> =>
  (await memory().search(request)).hits.map(({ ref }) => ref);

const query = "who has the keys of the berths";

it("finds a memory from its project's folder by its file, and where nothing is known of that project, from no other", async () => {
  expect(await found({ query, folder })).toEqual(["berth-keys.md"]);
  expect(await found({ query, folder, projects: [projectOf(folder).id] })).toEqual(["berth-keys.md"]);
  expect(await found({ query })).toEqual([]);
  const other = path.join(kept.folder, "other");
  mkdirSync(other);
  expect(await found({ query, folder: other })).toEqual([]);
});

it("finds those of every project that was worked on, from nowhere and from another, by project and file", async () => {
  await work(folder);
  const { id } = projectOf(folder);
  const other = path.join(kept.folder, "other");
  mkdirSync(other);
  expect(await found({ query })).toEqual([`${id}/berth-keys.md`]);
  expect(await found({ query, folder: other })).toEqual([`${id}/berth-keys.md`]);
  expect(await found({ query, folder })).toEqual(["berth-keys.md"]);
  expect(await found({ query, projects: [id] })).toEqual([`${id}/berth-keys.md`]);
  expect(await found({ query, projects: ["another"] })).toEqual([]);
  for (const [refs, from] of [
    [`${id}/berth-keys.md`, undefined],
    [`${id}/berth-keys.md`, folder],
    ["berth-keys.md", folder],
  ])
    expect(await memory().show({ refs, folder: from })).toMatchObject({ items: [{ kind: "memory" }] });
});

it("assigns a folder that several projects share to none", async () => {
  const shared = path.join(kept.folder, "shared");
  mkdirSync(kept.home.config, { recursive: true });
  writeFileSync(path.join(kept.home.config, "config.jsonc"), JSON.stringify({ memory: { dir: shared } }));
  const other = path.join(kept.folder, "other");
  mkdirSync(other);
  await save("Tide table", "The tide table hangs by the keys of the berths.");
  await work(folder);
  await work(other);
  const { hits } = await memory().search({ query, kinds: ["memory"] });
  expect(hits).toMatchObject([{ ref: "tide-table.md", project: "" }]);
  expect(await found({ query, projects: [projectOf(other).id], kinds: ["memory"] })).toEqual([
    "tide-table.md",
  ]);
});

it("is the middle of a timeline by its time", async () => {
  await work(folder);
  const { items } = await memory().timeline({ around: "berth-keys.md", folder });
  expect(items).toMatchObject([{ kind: "prompt", title: "hello" }]);
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
