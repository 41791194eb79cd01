// Holds the reading of .gitignore to what git does with it.
import { describe, expect, it } from "vitest";
import { ignoreRules, isIgnored } from "./ignored.ts";

const ignored = (text: string, path: string, folder = ""): boolean =>
  isIgnored(path, ignoreRules(text, folder));

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
  ])("%j covers %s", (text, path) => {
    expect(ignored(text, path)).toBe(true);
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
    ["**/**/**/x", "x"],
  ])("%j leaves %s", (text, path) => {
    expect(ignored(text, path)).toBe(false);
  });

  it("counts from its own folder", () => {
    expect(ignored("/out", "web/out/x", "web")).toBe(true);
    expect(ignored("/out", "out/x", "web")).toBe(false);
    expect(ignored("*.log", "web/a/b.log", "web")).toBe(true);
  });
});
