// Memories of a person on two machines: added, changed, merged, deleted, and never a line lost.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { projectOf, resolveHome } from "../../src/home/index.ts";
import { folderTexts, type MemoryPlace, memoryPlace, writeMemory } from "../../src/memdir/index.ts";
import { exchangeMemories, makeClient } from "../../src/remote/index.ts";
import { openStore, type Store } from "../../src/store/index.ts";
import { prompt } from "../storeContract/setting.ts";
import { startTestServer, type TestServer } from "./teamServer.ts";

let server: TestServer;
let folder: string;
const stores: Store[] = [];

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-memories-"));
  server = await startTestServer();
});
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Machine {
  readonly place: MemoryPlace;
  sync(): Promise<void>;
  write(file: string, text: string): void;
  texts(): Promise<Record<string, string>>;
  remember(name: string, body: string): Promise<unknown>;
}

/** A machine with a clone of the repository, under another path than on the others. */
async function machine(name: string, secret: string): Promise<Machine> {
  const work = path.join(folder, name, "work");
  mkdirSync(path.join(work, ".git"), { recursive: true });
  writeFileSync(path.join(work, ".git", "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(
    path.join(work, ".git", "config"),
    '[remote "origin"]\n\turl = git@example.org:birds/herons.git\n',
  );
  const homeFolder = path.join(folder, name);
  const home = resolveHome({
    env: { THROUGHLINE_HOME: path.join(homeFolder, "home") },
    platform: "linux",
    homeFolder,
  });
  const place = memoryPlace({
    home,
    cwd: work,
    env: {},
    claudeFolder: path.join(homeFolder, "claude"),
    homeFolder,
  });
  mkdirSync(place.folder, { recursive: true });
  const store = await openStore({ file: path.join(homeFolder, "throughline.db") });
  stores.push(store);
  await store.recordEvents([prompt("p1", 1, "hello", { cwd: work, project: projectOf(work).id })]);
  const client = makeClient({ url: server.url, key: secret });
  return {
    place,
    sync: () =>
      exchangeMemories({
        ...{ store, client, placeOf: () => place },
        onProblem: (_, problem) => {
          throw new Error(problem);
        },
      }),
    write: (file, text) => writeFileSync(path.join(place.folder, file), text),
    texts: async () => Object.fromEntries(await folderTexts(place)),
    remember: (title, body) =>
      writeMemory(place, { name: title, description: `${title}, in short`, type: "project", body }),
  };
}

async function two() {
  const { secret } = await server.key("herons", "ada");
  return [await machine("laptop", secret), await machine("desktop", secret)] as const;
}

describe("memories of one person", () => {
  it("are on every machine, with their lines of the index, and go from every machine", async () => {
    const [laptop, desktop] = await two();
    await laptop.remember("Release freeze", "Merges stop on 2026-03-05.");
    await desktop.remember("Staging account", "It is renewed each Monday.");
    await laptop.sync();
    await desktop.sync();
    await laptop.sync();
    const texts = await laptop.texts();
    expect(Object.keys(texts).sort()).toEqual(["MEMORY.md", "release-freeze.md", "staging-account.md"]);
    expect(texts["MEMORY.md"]).toContain("release-freeze.md");
    expect(texts["MEMORY.md"]).toContain("staging-account.md");
    expect(await desktop.texts()).toEqual(texts);
    rmSync(path.join(laptop.place.folder, "release-freeze.md"));
    await laptop.sync();
    await desktop.sync();
    expect(Object.keys(await desktop.texts()).sort()).toEqual(["MEMORY.md", "staging-account.md"]);
  });

  it("that both changed are merged, or stand side by side", async () => {
    const [laptop, desktop] = await two();
    const lines = ["one", "two", "three", "four", "five"];
    laptop.write("notes.md", lines.join("\n"));
    await laptop.sync();
    await desktop.sync();
    laptop.write("notes.md", ["ONE", ...lines.slice(1)].join("\n"));
    desktop.write("notes.md", [...lines.slice(0, 4), "FIVE"].join("\n"));
    for (const one of [laptop, desktop, laptop]) await one.sync();
    expect((await laptop.texts())["notes.md"]).toBe("ONE\ntwo\nthree\nfour\nFIVE");
    expect(await desktop.texts()).toEqual(await laptop.texts());
    laptop.write("notes.md", "ONE\ntwo\nthe laptop says\nfour\nFIVE");
    desktop.write("notes.md", "ONE\ntwo\nthe desktop says\nfour\nFIVE");
    for (const one of [laptop, desktop, laptop]) await one.sync();
    const texts = await laptop.texts();
    expect(Object.keys(texts).sort()).toEqual([
      expect.stringMatching(/^notes-conflict-\w{6}\.md$/),
      "notes.md",
    ]);
    const all = Object.values(texts).join("\n");
    expect(all).toContain("the laptop says");
    expect(all).toContain("the desktop says");
    expect(await desktop.texts()).toEqual(texts);
  });

  it("that one changed come back where another deleted them without knowing", async () => {
    const [laptop, desktop] = await two();
    laptop.write("notes.md", "one");
    await laptop.sync();
    await desktop.sync();
    rmSync(path.join(laptop.place.folder, "notes.md"));
    desktop.write("notes.md", "one, and more");
    for (const order of [
      [laptop, desktop, laptop],
      [desktop, laptop, desktop],
    ])
      for (const one of order) await one.sync();
    expect(await laptop.texts()).toEqual({ "notes.md": "one, and more" });
    expect(await desktop.texts()).toEqual({ "notes.md": "one, and more" });
  });

  it("have no secret on the server, and none on the machine afterwards", async () => {
    const [laptop, desktop] = await two();
    const token = `ghp_${"Ab3dE6gH9j".repeat(4).slice(0, 36)}`;
    laptop.write("notes.md", `the token is ${token}`);
    await laptop.sync();
    await desktop.sync();
    for (const one of [laptop, desktop])
      expect((await one.texts())["notes.md"]).toMatch(/^the token is \[redacted/);
  });

  it("are no other person's, whatever that one asks for", async () => {
    const [laptop] = await two();
    laptop.write("notes.md", "the heronword");
    await laptop.sync();
    for (const [team, person] of [
      ["herons", "bob"],
      ["egrets", "ada"],
    ] as const) {
      const other = await machine(`${team}-${person}`, (await server.key(team, person)).secret);
      await other.sync();
      expect(await other.texts()).toEqual({});
      const client = makeClient({ url: server.url, key: (await server.key(team, person)).secret });
      const project = "herons-aea2a0a4c6e1";
      expect(await client.changedMemories(project, { "notes.md": 1 })).toEqual([
        { file: "notes.md", revision: 0, body: null },
      ]);
      expect(await client.keepMemories(project, [{ file: "notes.md", from: 1, body: "x" }])).toEqual([]);
    }
    await laptop.sync();
    expect(await laptop.texts()).toEqual({ "notes.md": "the heronword" });
  });

  it("that are newer than a server which was set back are sent again", async () => {
    const [laptop, desktop] = await two();
    laptop.write("notes.md", "one");
    await laptop.sync();
    await desktop.sync();
    laptop.write("notes.md", "two");
    await laptop.sync();
    const { default: pg } = await import("pg");
    const { inject } = await import("vitest");
    const admin = new pg.Client(inject("postgresUrl").replace("throughline@", "postgres@"));
    await admin.connect();
    await admin.query(`UPDATE ${server.schema}.memories SET revision = 1, body = 'one'`);
    await admin.end();
    for (const one of [laptop, desktop, laptop]) await one.sync();
    expect(await laptop.texts()).toEqual({ "notes.md": "two" });
    expect(await desktop.texts()).toEqual({ "notes.md": "two" });
  });
});
