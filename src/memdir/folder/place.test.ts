// Holds the choice of the folder to where Claude Code itself looks.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type MemoryPlaceSources, memoryPlace } from "./place.ts";

let root = "";
let sources: MemoryPlaceSources;
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), "throughline-place-")));
  const home = { config: path.join(root, "c"), data: path.join(root, "d"), state: path.join(root, "s") };
  for (const folder of ["app/.git", "app/src", "claude/projects"])
    mkdirSync(path.join(root, folder), { recursive: true });
  writeFileSync(path.join(root, "app/.git/HEAD"), "ref: refs/heads/main\n");
  sources = {
    home,
    cwd: path.join(root, "app", "src"),
    env: {},
    claudeFolder: path.join(root, "claude"),
    homeFolder: root,
  };
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const claudes = (): string =>
  path.join(root, "claude/projects", path.join(root, "app").replace(/[^A-Za-z0-9]/g, "-"));
const settings = (value: object, file = "claude/settings.json"): void => {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), JSON.stringify(value));
};

describe("memories live", () => {
  it("in our folder where Claude Code has not been, and nothing of ours lies among them", () => {
    const { folder, books, isClaudes } = memoryPlace(sources);
    expect(isClaudes).toBe(false);
    expect(folder.startsWith(path.join(root, "d", "memory") + path.sep)).toBe(true);
    expect(books.startsWith(folder)).toBe(false);
  });

  it("in Claude Code's own folder of the repository, from any folder of it", () => {
    mkdirSync(claudes());
    expect(memoryPlace(sources)).toMatchObject({ folder: path.join(claudes(), "memory"), isClaudes: true });
  });

  it("where worktrees share it", () => {
    mkdirSync(claudes());
    mkdirSync(path.join(root, "app/.git/worktrees/wt"), { recursive: true });
    writeFileSync(path.join(root, "app/.git/worktrees/wt/commondir"), "../..\n");
    mkdirSync(path.join(root, "wt"));
    writeFileSync(path.join(root, "wt/.git"), `gitdir: ${path.join(root, "app/.git/worktrees/wt")}\n`);
    expect(memoryPlace({ ...sources, cwd: path.join(root, "wt") }).folder).toBe(
      path.join(claudes(), "memory"),
    );
  });

  it.each([
    ["by its variable", () => ({ env: { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1" } })],
    ["by the user's settings", () => settings({ autoMemoryEnabled: false })],
    ["by the project's settings", () => settings({ autoMemoryEnabled: false }, "app/.claude/settings.json")],
  ])("in ours when Claude Code's is switched off %s", (_, make) => {
    mkdirSync(claudes());
    expect(memoryPlace({ ...sources, ...(make() ?? {}) }).isClaudes).toBe(false);
  });

  it("where the user moved them, and never where a project says", () => {
    mkdirSync(claudes());
    settings({ autoMemoryDirectory: "/elsewhere" }, "app/.claude/settings.json");
    expect(memoryPlace(sources).folder).toBe(path.join(claudes(), "memory"));
    settings({ autoMemoryDirectory: "~/mine" });
    expect(memoryPlace(sources)).toMatchObject({ folder: path.join(root, "mine"), isClaudes: true });
    expect(memoryPlace({ ...sources, dir: path.join(root, "chosen") })).toMatchObject({
      folder: path.join(root, "chosen"),
      isClaudes: false,
    });
  });
});
