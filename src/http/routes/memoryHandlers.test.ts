// The handlers find a project's memories and its repository by the folder of work, and hands everything else on.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, expect, it } from "vitest";
import { keptHere } from "../../../test/worker/kept.ts";
import { saveMemory } from "../../memdir/index.ts";
import { memoryFolderFor } from "../../tools/memoryFolder.ts";
import { type MemoryHandlers, makeMemoryHandlers } from "./memoryHandlers.ts";

const kept = keptHere();
let folder = "";
let handlers: MemoryHandlers;
beforeEach(async () => {
  folder = path.join(kept.folder, "ferry");
  mkdirSync(folder);
  writeFileSync(path.join(folder, "package.json"), "{}");
  writeFileSync(path.join(folder, "berths.ts"), "export const berths = 4;\n");
  const around = { home: kept.home, env: { CLAUDE_CONFIG_DIR: path.join(kept.folder, "claude") } };
  handlers = makeMemoryHandlers(around);
  await saveMemory(memoryFolderFor({ ...around, folder }).place, {
    ...{ name: "Berths", description: "berths are counted at night", type: "project", author: "user" },
    body: "Berths are counted at night, see `berths.ts`.",
  });
});

it("lists, shows, edits and takes back, by the folder of work", async () => {
  const { memories } = await handlers.list(folder);
  expect(memories).toMatchObject([{ file: "berths.md", standing: "fresh", age: { days: 0 } }]);
  const shown = await handlers.show(folder, "berths.md");
  const hash = shown?.memory.hash ?? "";
  expect(await handlers.edit(folder, { file: "berths.md", hash, body: "By day." })).toMatchObject({
    outcome: "saved",
  });
  expect(await handlers.edit(folder, { file: "berths.md", hash, body: "At noon." })).toMatchObject({
    outcome: "conflict",
    current: { body: "By day." },
  });
  expect(handlers.version(folder, "berths.md", hash)).toBe(shown?.memory.text);
  expect(await handlers.undo(folder)).toMatchObject({ outcome: "undone" });
  expect((await handlers.show(folder, "berths.md"))?.memory.hash).toBe(hash);
  expect(await handlers.remove(folder, { file: "berths.md", hash })).toMatchObject({ outcome: "removed" });
  expect(await handlers.show(folder, "berths.md")).toBeUndefined();
});

it("says nothing of what is stale when the repository takes too long to read", async () => {
  rmSync(path.join(folder, "berths.ts"));
  const hurried = makeMemoryHandlers({
    ...{ home: kept.home, env: { CLAUDE_CONFIG_DIR: path.join(kept.folder, "claude") } },
    mostMs: -1,
  });
  expect((await hurried.list(folder)).memories[0]).not.toHaveProperty("standing");
  expect((await handlers.list(folder)).memories).toMatchObject([{ standing: "stale" }]);
});

it("has nothing of a project to another", async () => {
  const other = path.join(kept.folder, "other");
  mkdirSync(other);
  expect((await handlers.list(other)).memories).toEqual([]);
  expect(handlers.quarantine(other)).toEqual([]);
  expect(await handlers.approve(other, "qua_0")).toMatchObject({ outcome: "not-found" });
  expect(await handlers.reject(other, "qua_0")).toMatchObject({ outcome: "not-found" });
});
