// Files that are whole or absent, private, and shared by several writers.
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { appendLines, ensureFolder, writeFileAtomic } from "./files.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-files-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (file: string): number => statSync(file).mode & 0o777;
const posix = it.skipIf(process.platform === "win32");

describe("ensureFolder", () => {
  it("makes every folder that is missing, and is content with those that are there", () => {
    const deep = path.join(folder, "a", "b", "c");
    ensureFolder(deep);
    ensureFolder(deep);
    ensureFolder(path.join(folder, "a", "other"));
    expect(statSync(deep).isDirectory()).toBe(true);
    expect(readdirSync(path.join(folder, "a")).sort()).toEqual(["b", "other"]);
  });

  it("takes a path that is relative", () => {
    ensureFolder(path.relative(process.cwd(), path.join(folder, "x", "y")));
    expect(statSync(path.join(folder, "x", "y")).isDirectory()).toBe(true);
  });

  posix("keeps each of them private", () => {
    ensureFolder(path.join(folder, "a", "b"));
    expect(modeOf(path.join(folder, "a"))).toBe(0o700);
    expect(modeOf(path.join(folder, "a", "b"))).toBe(0o700);
  });

  posix("works below a folder that may be entered but not read", () => {
    const closed = path.join(folder, "closed");
    mkdirSync(closed);
    chmodSync(closed, 0o300);
    try {
      ensureFolder(path.join(closed, "inner"));
      expect(statSync(path.join(closed, "inner")).isDirectory()).toBe(true);
    } finally {
      chmodSync(closed, 0o700);
    }
  });

  it("fails where a file is in the way", () => {
    writeFileSync(path.join(folder, "file"), "");
    expect(() => ensureFolder(path.join(folder, "file", "inner"))).toThrow();
  });
});

describe("writeFileAtomic", () => {
  it("replaces the whole content and leaves nothing else behind", () => {
    const file = path.join(folder, "new", "file.txt");
    writeFileAtomic(file, "first, and longer");
    writeFileAtomic(file, "zweite ü");
    expect(readFileSync(file, "utf8")).toBe("zweite ü");
    writeFileAtomic(file, Uint8Array.from([0, 255]));
    expect([...readFileSync(file)]).toEqual([0, 255]);
    expect(readdirSync(path.dirname(file))).toEqual(["file.txt"]);
  });

  posix("is private from its creation, also when it replaces a file that was not", () => {
    const file = path.join(folder, "file");
    writeFileSync(file, "open to all", { mode: 0o644 });
    writeFileAtomic(file, "secret");
    expect(modeOf(file)).toBe(0o600);
  });

  it("removes its temporary file when the target cannot be replaced", () => {
    const target = path.join(folder, "taken");
    mkdirSync(path.join(target, "inner"), { recursive: true });
    expect(() => writeFileAtomic(target, "x")).toThrow();
    expect(readdirSync(folder)).toEqual(["taken"]);
  });
});

describe("appendLines", () => {
  const linesOf = (file: string): string[] => readFileSync(file, "utf8").split("\n").filter(Boolean);

  it("adds whole lines behind what is there", () => {
    const file = path.join(folder, "new", "log.jsonl");
    appendLines(file, ["one", "two"]);
    appendLines(file, ["three"], { sync: false });
    expect(linesOf(file)).toEqual(["one", "two", "three"]);
    expect(readFileSync(file, "utf8").endsWith("\n")).toBe(true);
  });

  it("closes a line that another writer left torn", () => {
    const file = path.join(folder, "log.jsonl");
    appendFileSync(file, '{"torn":');
    appendLines(file, ["whole"]);
    expect(linesOf(file)).toEqual(['{"torn":', "whole"]);
  });

  it("makes no file for nothing", () => {
    appendLines(path.join(folder, "log.jsonl"), []);
    expect(readdirSync(folder)).toEqual([]);
  });

  posix("makes a private file", () => {
    const file = path.join(folder, "log.jsonl");
    appendLines(file, ["x"]);
    expect(modeOf(file)).toBe(0o600);
  });
});
