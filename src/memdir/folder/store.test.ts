// Holds the folder to what it promises: a memory and its line together, nothing destroyed, everything undoable.
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { newPlace } from "../../../test/fixtures/memory/newPlace.ts";
import { commitEdits } from "./commit.ts";
import { recordIntent } from "./journal.ts";
import type { MemoryContent } from "./model.ts";
import {
  fileNameFor,
  findMemory,
  historyOf,
  openFolder,
  outsideChanges,
  readFolder,
  readMemoryFile,
  removeMemory,
  undoChange,
  writeMemory,
} from "./store.ts";

const place = newPlace();

const clock = { now: () => Date.parse("2026-03-02T09:00:00Z") };
const memory = (name: string, more: Partial<MemoryContent> = {}): MemoryContent => ({
  name,
  description: `what is known of ${name}`,
  type: "project",
  body: `The ${name} is on Thursdays.`,
  created: "2026-03-01T10:00:00Z",
  author: "user",
  trust: "high",
  ...more,
});
const index = (): string => readFileSync(path.join(place.folder, "MEMORY.md"), "utf8");
const file = (name: string): string => path.join(place.folder, name);
const read = (name: string) => {
  const found = readMemoryFile(place, name);
  if (found === undefined) throw new Error(`${name} is not there`);
  return found;
};

describe("a folder", () => {
  it("has the memories that lie in it, and those below it that its index names", async () => {
    await writeMemory(place, memory("a"));
    await writeMemory(place, memory("b"), { file: "team/b.md" });
    writeFileSync(file("team/c.md"), "a note that nobody listed");
    writeFileSync(file("MEMORY.md"), `${index()}- [out](../../outside.md) — x\n- [log](logs/x.md) — x\n`);
    const { memories, unreadable } = readFolder(place);
    expect(memories.map((each) => each.file)).toEqual(["a.md", "team/b.md"]);
    expect(unreadable).toEqual([]);
    expect(outsideChanges(place, readFolder(place))).toEqual(new Map());
  });

  it("shows what it cannot have, and says why", async () => {
    await writeMemory(place, memory("a"));
    writeFileSync(file("cafe\u0301.md"), "x");
    writeFileSync(file("memory.md"), "x");
    expect(readFolder(place).unreadable).toEqual([
      { file: "cafe\u0301.md", problem: expect.stringContaining("accents") },
      { file: "memory.md", problem: expect.stringContaining("index") },
    ]);
  });

  it("is no file, and says what to do about it", async () => {
    writeFileSync(place.folder, "a file");
    expect(() => readFolder(place)).toThrow(/it is a file|no folder|not a directory/);
    await expect(writeMemory(place, memory("a"))).rejects.toMatchObject({
      code: "io-failed",
      fix: expect.stringContaining("memory.dir"),
    });
  });

  it("is written by one at a time: who was overtaken writes nothing more, and nothing of it is lost", async () => {
    await writeMemory(place, memory("first"));
    const lock = path.join(place.books, "lock");
    let other: Promise<unknown> | undefined;
    const change = await commitEdits(place, "add", () => {
      // Asleep for so long that another process has taken over.
      utimesSync(lock, 0, 0);
      other = writeMemory(place, memory("second"));
      return [
        { file: "third.md", text: "---\nname: third\n---\n", expect: undefined, line: "- [t](third.md) — x" },
      ];
    });
    await other;
    expect(readdirSync(place.folder)).not.toContain("third.md");
    const { memories, index: lines } = await openFolder(place);
    expect(memories.map((each) => each.file)).toEqual(["first.md", "second.md", "third.md"]);
    expect(lines.map((line) => line.file)).toEqual(["first.md", "second.md", "third.md"]);
    expect(historyOf(place).map(({ id }) => id)).toContain(change?.id);
  });
});

describe("saving a memory", () => {
  it("writes a file with its frontmatter, then one line of the index", async () => {
    await writeMemory(place, memory("Deploy window"));
    expect(readFileSync(file("deploy-window.md"), "utf8")).toBe(
      [
        "---",
        "name: Deploy window",
        "description: what is known of Deploy window",
        "type: project",
        "created: 2026-03-01T10:00:00Z",
        "author: user",
        "trust: high",
        "---",
        "",
        "The Deploy window is on Thursdays.",
        "",
      ].join("\n"),
    );
    expect(index()).toBe("- [Deploy window](deploy-window.md) — what is known of Deploy window\n");
  });

  it("keeps every field", async () => {
    const whole = memory("Everything: [all] of #it", {
      session: "5f1c",
      turn: "12",
      lastVerified: "2026-03-01",
      expires: "2026-06-01",
      body: "---\nname: forged\n---\n**bold** 中文",
    });
    const { file: name } = await writeMemory(place, whole);
    expect(read(name)).toMatchObject({ ...whole, problems: [] });
    expect(readFolder(place).index).toMatchObject([{ title: "Everything: [all] of #it", file: name }]);
  });

  it("keeps files to their owner", async () => {
    await writeMemory(place, memory("a"));
    expect(statSync(place.folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(place.folder)) expect(statSync(file(name)).mode & 0o777).toBe(0o600);
  });

  it("leaves everything else in the index as it was", async () => {
    await writeMemory(place, memory("one"));
    writeFileSync(file("MEMORY.md"), `# Mine\n\n${index()}\nWords below.\n`);
    await writeMemory(place, memory("two"));
    await writeMemory(place, memory("one", { description: "another" }), { expect: read("one.md").hash });
    expect(index()).toBe(
      "# Mine\n\n- [one](one.md) — another\n- [two](two.md) — what is known of two\n\nWords below.\n",
    );
  });

  it("overwrites nothing that was not read", async () => {
    await writeMemory(place, memory("a"));
    await expect(writeMemory(place, memory("a", { body: "new" }))).rejects.toMatchObject({
      code: "memory-changed",
    });
    const { hash } = read("a.md");
    writeFileSync(file("a.md"), "Claude Code was here");
    await expect(writeMemory(place, memory("a"), { expect: hash })).rejects.toMatchObject({
      code: "memory-changed",
    });
    await expect(removeMemory(place, { ...read("a.md"), hash })).rejects.toMatchObject({
      code: "memory-changed",
    });
    expect(readFileSync(file("a.md"), "utf8")).toBe("Claude Code was here");
  });

  it("leaves fields that it does not know where their author put them", async () => {
    await writeMemory(place, memory("x"));
    const head =
      "name: theirs\ndescription: d\nmetadata:\n  node_type: memory\n  type: user # theirs\n  originSessionId: 5f1c\n";
    writeFileSync(file("theirs.md"), `---\n${head}---\n\nold\n`);
    const { hash, session = "" } = read("theirs.md");
    expect(session).toBe("5f1c");
    const content: MemoryContent = {
      name: "theirs",
      description: "e",
      type: "project",
      body: "new",
      session,
    };
    await writeMemory(place, content, { file: "theirs.md", expect: hash });
    expect(read("theirs.md").text).toBe(
      `---\n${head.replace("description: d", "description: e").replace("type: user", "type: project")}---\n\nnew\n`,
    );
  });

  it("makes no file that another system would take for one that is there", async () => {
    await writeMemory(place, memory("a"));
    writeFileSync(file("Deploy.md"), "theirs");
    await expect(writeMemory(place, memory("deploy"))).rejects.toThrow(/Deploy\.md differs from it in case/);
    await writeMemory(place, memory("b"), { file: "Team/b.md" });
    await expect(writeMemory(place, memory("c"), { file: "team/c.md" })).rejects.toThrow(/Team differs/);
    expect(fileNameFor("Memory")).toBe("memory-note.md");
  });

  it.each([
    ["CON", /^_con-[0-9a-f]{8}\.md$/],
    ["../../etc/passwd", /^etc-passwd\.md$/],
    ["部署 窗口", /^部署-窗口\.md$/],
    ["Cafe\u0301 hours", /^café-hours\.md$/],
    ["x".repeat(300), /^x{60}-[0-9a-f]{6}\.md$/],
    ["部署".repeat(100), /^(?:部署)+部?-[0-9a-f]{8}\.md$/],
  ])("names the file of %s safely", (name, expected) => {
    expect(fileNameFor(name)).toMatch(expected);
  });

  it("goes on with the change that a crash interrupted, before the file or between file and index", async () => {
    const { change } = await writeMemory(place, memory("a"));
    rmSync(file("MEMORY.md"));
    recordIntent(place, { ...change, id: "again" });
    expect((await openFolder(place)).index).toMatchObject([{ file: "a.md" }]);
    rmSync(file("a.md"));
    rmSync(file("MEMORY.md"));
    recordIntent(place, { ...change, id: "once more" });
    const folder = await openFolder(place);
    expect(folder.memories.map((each) => each.file)).toEqual(["a.md"]);
    expect(folder.index).toMatchObject([{ file: "a.md" }]);
  });

  it("leaves alone what another process has written where a crash interrupted it", async () => {
    const { change } = await writeMemory(place, memory("a"));
    writeFileSync(file("a.md"), "theirs");
    recordIntent(place, { ...change, id: "again" });
    await openFolder(place);
    expect(readFileSync(file("a.md"), "utf8")).toBe("theirs");
  });

  it("lets a change wait where something stands that must not be written through", async () => {
    const { change } = await writeMemory(place, memory("a"));
    rmSync(file("a.md"));
    symlinkSync(path.join(place.root, "outside.md"), file("a.md"));
    recordIntent(place, { ...change, id: "again" });
    expect((await openFolder(place)).unreadable).toMatchObject([{ file: "a.md" }]);
    await writeMemory(place, memory("b"));
    rmSync(file("a.md"));
    expect((await openFolder(place)).memories.map((each) => each.file)).toEqual(["a.md", "b.md"]);
  });

  it("refuses what is too large for a memory", async () => {
    await expect(writeMemory(place, memory("a", { body: "x".repeat(200_000) }))).rejects.toThrow(
      /most is 100000/,
    );
    expect(existsSync(file("a.md"))).toBe(false);
  });
});

describe("superseding", () => {
  it("keeps the old memory with its interval, and takes it out of the index", async () => {
    await writeMemory(place, memory("old way"));
    await writeMemory(place, memory("new way", { supersedes: ["old-way.md"] }), { clock });
    expect(read("old-way.md")).toMatchObject({
      created: "2026-03-01T10:00:00Z",
      validUntil: "2026-03-02T09:00:00.000Z",
      supersededBy: "new-way.md",
      body: "The old way is on Thursdays.",
    });
    expect(readFolder(place).index.map((line) => line.file)).toEqual(["new-way.md"]);
  });

  it("is one change", async () => {
    await writeMemory(place, memory("old"));
    await expect(writeMemory(place, memory("new", { supersedes: ["gone.md"] }))).rejects.toMatchObject({
      code: "not-found",
    });
    expect(existsSync(file("new.md"))).toBe(false);
    await writeMemory(place, memory("new", { supersedes: ["old.md"] }));
    await undoChange(place);
    expect(readFolder(place).index.map((line) => line.file)).toEqual(["old.md"]);
    expect(read("old.md").supersededBy).toBeUndefined();
  });

  it("leaves comments and fields that it does not know in the old file", async () => {
    await writeMemory(place, memory("x"));
    const theirs =
      "---\nname: theirs\ndescription: d\nmetadata:\n  type: user # as it is\n  node: 7\n---\n\nBody\n\n---\n\nmore\n";
    writeFileSync(file("theirs.md"), theirs);
    await writeMemory(place, memory("new", { supersedes: ["theirs.md"] }), { clock });
    expect(readFileSync(file("theirs.md"), "utf8")).toBe(
      theirs.replace(
        "  node: 7\n",
        "  node: 7\nvalid_until: 2026-03-02T09:00:00.000Z\nsuperseded_by: new.md\n",
      ),
    );
  });
});

describe("history", () => {
  it("brings back what was removed and what was changed, also by others", async () => {
    await writeMemory(place, memory("a"));
    writeFileSync(file("a.md"), readFileSync(file("a.md"), "utf8").replace("Thursdays", "Fridays"));
    const theirs = read("a.md");
    expect(outsideChanges(place, readFolder(place))).toEqual(new Map([["a.md", "changed"]]));
    await writeMemory(place, memory("a", { body: "ours" }), { expect: theirs.hash });
    await removeMemory(place, read("a.md"));
    expect(readdirSync(place.folder)).toEqual(["MEMORY.md"]);
    expect(index()).toBe("");
    await undoChange(place);
    expect(read("a.md").body).toBe("ours");
    await undoChange(place);
    expect(read("a.md").text).toBe(theirs.text);
    expect(index()).toContain("(a.md)");
    expect(historyOf(place, "a.md").map(({ action }) => action.split(" ")[0])).toEqual([
      "undo",
      "undo",
      "rm",
      "edit",
      "add",
    ]);
  });

  it("can be walked forth again, and is refused over a later change", async () => {
    await writeMemory(place, memory("a"));
    const { change } = await undoChange(place);
    expect(readFolder(place).memories).toEqual([]);
    await expect(undoChange(place)).rejects.toMatchObject({ code: "not-found" });
    await undoChange(place, { id: change.id });
    writeFileSync(file("a.md"), "theirs");
    await expect(undoChange(place)).rejects.toMatchObject({ code: "memory-changed" });
  });
});

describe("reading the folder", () => {
  it("finds a memory by its file, its name or its beginning, and says what was probably meant", async () => {
    for (const name of ["deploy window", "deploy target", "review habits"])
      await writeMemory(place, memory(name));
    const folder = readFolder(place);
    for (const wanted of ["review-habits.md", "Review Habits", "review"])
      expect(findMemory(folder, wanted).file).toBe("review-habits.md");
    expect(() => findMemory(folder, "deploy")).toThrow(/several/);
    expect(() => findMemory(folder, "reveiw-habits")).toThrow(/did you mean review-habits/);
  });

  it("reads what Claude Code writes, and lists what cannot be read with the reason", async () => {
    await writeMemory(place, memory("a"));
    writeFileSync(
      file("claudes.md"),
      "---\nname: claudes\ndescription: d\nmetadata:\n  type: feedback\n---\n\nBody\n",
    );
    writeFileSync(file("bare.md"), "no head at all");
    writeFileSync(file("binary.md"), Buffer.from([0x66, 0, 0x67]));
    symlinkSync("/etc/passwd", file("link.md"));
    const { memories, unreadable } = readFolder(place);
    expect(memories.map((each) => [each.file, each.type, each.problems.length])).toEqual([
      ["a.md", "project", 0],
      ["bare.md", undefined, 1],
      ["claudes.md", "feedback", 0],
    ]);
    expect(unreadable).toMatchObject([
      { file: "binary.md", problem: expect.stringContaining("no text") },
      { file: "link.md", problem: expect.stringContaining("symbolic link") },
    ]);
    expect(outsideChanges(place, readFolder(place)).get("claudes.md")).toBe("new");
  });

  it("is empty where there is no folder", () => {
    expect(readFolder(place)).toMatchObject({ memories: [], unreadable: [], index: [] });
  });

  it("says what the system says where a folder cannot be read", () => {
    writeFileSync(place.folder, "a file");
    chmodSync(place.folder, 0o600);
    expect(() => readFolder(place)).toThrow(/ENOTDIR/);
  });
});
