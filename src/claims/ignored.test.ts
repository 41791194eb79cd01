// Holds what is taken for ignored to the rules of .gitignore.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ignoredPaths } from "./ignored.ts";

let root = "";
beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), "throughline-ignored-"));
  execFileSync("git", ["init", "-q", root]);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function ignored(text: string, wanted: string, folder = ""): boolean | undefined {
  const file = path.join(root, folder, ".gitignore");
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${text}\n`);
  try {
    return ignoredPaths(root, [wanted])?.has(wanted);
  } finally {
    rmSync(file);
  }
}

describe("a rule of .gitignore", () => {
  it.each([
    ["dist", "dist/"],
    ["dist", "web/dist/app.js"],
    ["dist/", "web/dist/app.js"],
    ["/dist", "dist/app.js"],
    ["*.log", "a/b.log"],
    ["a/*.log", "a/b.log"],
    ["a/**", "a/b/c"],
    ["**/tmp", "a/b/tmp/c"],
    ["a/**/z", "a/b/c/z"],
    ["file[0-9].txt", "file7.txt"],
    ["a+b(c).txt", "a+b(c).txt"],
    ["\\#x", "#x"],
    ["dist  \r", "dist/"],
    ["**/**/**/x", "x"],
  ])("%j covers %s", (text, wanted) => {
    expect(ignored(text, wanted)).toBe(true);
  });

  it.each([
    ["dist/", "dist"],
    ["/dist", "web/dist/app.js"],
    ["a/*.log", "b/a/c.log"],
    ["*.log", "a.logs"],
    ["# dist", "dist/"],
    ["", "dist/"],
    ["*.log\n!keep.log", "keep.log"],
    ["file[!0-9].txt", "file7.txt"],
    [`${"*a".repeat(30)}b`, "aaab"],
  ])("%j leaves %s", (text, wanted) => {
    expect(ignored(text, wanted)).toBe(false);
  });

  it("counts from its own folder", () => {
    expect(ignored("/out", "web/out/x", "web")).toBe(true);
    expect(ignored("/out", "out/x", "web")).toBe(false);
    expect(ignored("*.log", "web/a/b.log", "web")).toBe(true);
  });

  it("is not known where there is no repository", () => {
    const plain = mkdtempSync(path.join(tmpdir(), "throughline-plain-"));
    writeFileSync(path.join(plain, ".gitignore"), "dist\n");
    expect(ignoredPaths(plain, ["dist/"])).toBeUndefined();
    rmSync(plain, { recursive: true });
  });
});
