// Hundreds of memories and paths that mean harm: none leaves the folder, none speaks to a model, each refusal says why.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import {
  hostileHeads as heads,
  hostilePaths as paths,
  hostileTexts as texts,
} from "../../test/fixtures/memory/hostile.ts";
import { newPlace } from "../../test/fixtures/memory/newPlace.ts";
import { ThroughlineError } from "../lib/index.ts";
import { findInjected } from "../redact/index.ts";
import { confirmQuarantined } from "./admit/confirm.ts";
import { listQuarantine } from "./admit/quarantine.ts";
import { type SaveRequest, saveMemory } from "./admit/save.ts";
import { neutralizeMarkup } from "./admit/screen.ts";
import { readMemory } from "./folder/frontmatter.ts";
import { fileNameFor, readFolder, readMemoryFile, removeMemory, writeMemory } from "./folder/store.ts";

const place = newPlace();
beforeEach(() => {
  mkdirSync(place.folder);
  writeFileSync(path.join(place.root, "outside.md"), "the outside");
});

/** Everything outside the folder and its books is as it was. */
function expectUntouched(): void {
  expect(readdirSync(place.root).filter((name) => !["memory", "books", "outside.md"].includes(name))).toEqual(
    [],
  );
  expect(readFileSync(path.join(place.root, "outside.md"), "utf8")).toBe("the outside");
}

describe("a path", () => {
  it(`is refused, and says why (${paths.length} of them)`, async () => {
    for (const wanted of paths) {
      const attempts: (() => unknown)[] = [
        () => readMemoryFile(place, wanted),
        () => writeMemory(place, { name: "x", description: "d", type: "user", body: "b" }, { file: wanted }),
        () => removeMemory(place, { file: wanted, hash: "0".repeat(64) }),
      ];
      for (const attempt of attempts) {
        const error = await Promise.resolve()
          .then(attempt)
          .then(
            () => "nothing was refused",
            (reason: unknown) => reason,
          );
        expect(error, JSON.stringify(wanted)).toBeInstanceOf(ThroughlineError);
        expect(error, JSON.stringify(wanted)).toMatchObject({
          code: "memory-refused",
          message: expect.stringMatching(/: (it|its) /),
          fix: expect.any(String),
        });
      }
      expectUntouched();
    }
    expect(readdirSync(place.folder)).toEqual([]);
  });

  it("that people use is taken", async () => {
    for (const file of [
      "a.md",
      "Feedback_testing.md",
      "部署窗口.md",
      "café.md",
      "notes 2.md",
      "a-b.c.md",
      "sub/x.md",
      "100%.md",
    ])
      expect(
        await writeMemory(place, { name: "x", description: "d", type: "user", body: "b" }, { file }),
      ).toMatchObject({ file });
  });

  it("is the same however its accents are written", async () => {
    const memory = { name: "x", description: "d", type: "user", body: "b" } as const;
    await writeMemory(place, memory, { file: "cafe\u0301.md" });
    expect(readdirSync(place.folder)).toContain("caf\u00e9.md");
    expect(readMemoryFile(place, "cafe\u0301.md")?.file).toBe("caf\u00e9.md");
  });
});

describe("a name", () => {
  it("of any memory becomes a file of the folder, or is refused", () => {
    for (const name of [...paths, ...texts]) {
      try {
        expect(fileNameFor(name)).toMatch(/^[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}_-]*\.md$/u);
        expect(() => readMemoryFile(place, fileNameFor(name))).not.toThrow();
      } catch (error) {
        expect(error, name).toMatchObject({
          code: "memory-refused",
          message: expect.stringContaining("letters"),
        });
      }
    }
  });
});

describe("a file of the folder", () => {
  const inside = (name: string): string => path.join(place.folder, name);
  const traps: [string, (file: string) => void, RegExp][] = [
    [
      "a symbolic link to a file",
      (file) => symlinkSync(path.join(place.root, "outside.md"), file),
      /symbolic link/,
    ],
    ["a relative symbolic link", (file) => symlinkSync("../outside.md", file), /symbolic link/],
    [
      "a symbolic link to nothing",
      (file) => symlinkSync(path.join(place.root, "new.md"), file),
      /symbolic link/,
    ],
    ["a symbolic link to itself", (file) => symlinkSync(path.basename(file), file), /symbolic link/],
    ["a symbolic link to a device", (file) => symlinkSync("/dev/zero", file), /symbolic link/],
    ["a hard link", (file) => linkSync(path.join(place.root, "outside.md"), file), /hard link/],
    ["a pipe", (file) => execFileSync("mkfifo", [file]), /no plain file/],
    ["a folder", (file) => mkdirSync(file), /no file/],
    ["10 MB", (file) => writeFileSync(file, "x".repeat(10_000_000)), /bytes, more than/],
    ["a NUL", (file) => writeFileSync(file, "a\0b"), /no text/],
    ["bytes that are no text", (file) => writeFileSync(file, Buffer.from([0xff, 0xfe, 0x41])), /no text/],
  ];

  it.each(traps)("that is %s is neither read nor written through", async (_, set, why) => {
    set(inside("trap.md"));
    const { memories, unreadable } = readFolder(place);
    expect(memories).toEqual([]);
    expect(unreadable).toMatchObject([{ file: "trap.md", problem: expect.stringMatching(why) }]);
    const memory = { name: "trap", description: "d", type: "user", body: "b" } as const;
    await expect(writeMemory(place, memory, { file: "trap.md" })).rejects.toThrow(why);
    await expect(removeMemory(place, { file: "trap.md", hash: "0".repeat(64) })).rejects.toThrow(why);
    expectUntouched();
  });

  it("is not reached through a folder that is a link", async () => {
    symlinkSync(place.root, inside("sub"));
    expect(() => readMemoryFile(place, "sub/outside.md")).toThrow(/symbolic link/);
    expectUntouched();
  });

  it("is not the index when that is a link", async () => {
    symlinkSync(path.join(place.root, "outside.md"), inside("MEMORY.md"));
    await expect(
      writeMemory(place, { name: "x", description: "d", type: "user", body: "b" }),
    ).rejects.toThrow(/symbolic link/);
    expectUntouched();
  });
});

describe("a frontmatter", () => {
  it.each(heads)("with %s is a problem in words", (_, yaml) => {
    const memory = readMemory(`---\n${yaml}\n---\n\nbody`);
    expect(memory.problems.length).toBeGreaterThan(0);
    expect(memory.body).toBe("body");
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(memory)).toBe(Object.prototype);
  });

  it.each([
    "type: admin",
    "type: [user]",
    "type: {user: 1}",
    "type: null",
    "created: soon",
    "author: system",
    "trust: absolute",
  ])("with %s is not believed", (field) => {
    const memory = readMemory(
      `---\nname: x\ndescription: d\n${field.startsWith("type") ? "" : "type: user\n"}${field}\n---\nbody`,
    );
    expect(memory.problems.length).toBeGreaterThan(0);
  });
});

describe("a text that speaks to a model", () => {
  const plain: SaveRequest = {
    name: "x",
    description: "a plain fact on paper",
    type: "project",
    body: "Some fact.",
    author: "user",
  };
  const places: [string, (text: string) => Partial<SaveRequest>][] = [
    ["the body", (text) => ({ body: `Some fact.\n\n${text}` })],
    ["the description", (text) => ({ description: text.replace(/\n/g, " ").trim() })],
    ["what was surprising", (text) => ({ surprising: text })],
  ];

  it.each(places)(`in %s waits for a person (${texts.length} of them)`, async (where, put) => {
    for (const text of texts) {
      // In one line a forged turn is only a word.
      if (where === "the description" && /\n\n(?:Human|Assistant):/.test(text)) continue;
      const outcome = await saveMemory(place, { ...plain, ...put(text) });
      expect(outcome, JSON.stringify(text)).toMatchObject({ outcome: "quarantined" });
      if (outcome.outcome === "quarantined")
        expect(outcome.suspicions.every(({ kind, evidence }) => kind !== undefined && evidence !== "")).toBe(
          true,
        );
    }
    expect(readdirSync(place.folder)).toEqual([]);
    expect(listQuarantine(place).length).toBeGreaterThan(texts.length - 5);
  });

  const speaking = (text: string) =>
    findInjected(text).filter(({ kind }) => kind !== "instruction" && kind !== "exfiltration");

  it("has no voice of its own once a person has let it through", async () => {
    for (const text of texts) expect(speaking(neutralizeMarkup(`Fact.\n\n${text}`)), text).toEqual([]);
    const body = `Fact.\n\n${texts.join("\n\n")}`;
    await saveMemory(place, { ...plain, body });
    for (const entry of listQuarantine(place)) await confirmQuarantined(place, entry);
    const [memory] = readFolder(place).memories;
    expect(memory?.body).toContain("Fact.");
    expect(speaking(memory?.text ?? "")).toEqual([]);
  });

  it("is refused as a whole when it is no text, or too much of it", async () => {
    const save = (body: string) => saveMemory(place, { ...plain, body });
    expect(await save("a\0b")).toMatchObject({ outcome: "refused", message: "it holds a NUL" });
    expect(await save("word ".repeat(2_000_000))).toMatchObject({
      outcome: "refused",
      message: expect.stringContaining("100000 bytes"),
    });
    expect(existsSync(path.join(place.folder, "x.md"))).toBe(false);
  });
});

it("there are more than two hundred of them", () => {
  expect(paths.length + heads.length + texts.length + 7 + 13).toBeGreaterThan(200);
});
