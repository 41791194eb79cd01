// `install`, `uninstall`, `status` and `doctor` as they are typed.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { commandLine } from "../../../test/commandLine.ts";

const terminal = commandLine();
const userFile = (): string => path.join(terminal.folder, ".claude", "settings.json");

/** A home of its own: tests must not touch the settings of their user. */
function run(...args: string[]): ReturnType<typeof terminal.run> {
  return terminal.run(args, {
    HOME: terminal.folder,
    CLAUDE_CONFIG_DIR: path.join(terminal.folder, ".claude"),
  });
}
const json = (...args: string[]) => JSON.parse(run(...args, "--json").out);
const settings = (): string => readFileSync(userFile(), "utf8");

describe("throughline install", () => {
  it("shows the change and makes none when it is only to look", () => {
    const { code, out } = run("install", "--dry-run");
    expect(code).toBe(0);
    expect(out).toContain('+     "SessionStart": [');
    expect(out).toMatch(/\nwould install: 9 hooks in .*\nwould install: the tools .*\nnothing was changed; /);
    expect(run("install", "--dry-run", "--lane", "auto").out).toContain("would set: lane auto");
    expect(json("install", "--dry-run")).toMatchObject({ dryRun: true, state: "new", file: userFile() });
    expect([existsSync(userFile()), terminal.hasWritten()]).toEqual([false, false]);
  });

  it("does not go ahead unasked", () => {
    const { code, err } = run("install");
    expect(code).toBe(2);
    expect(err).toMatch(/nothing was changed\nfix: add --yes/);
    expect(existsSync(userFile())).toBe(false);
  });

  it("installs, says so the second time, and is taken back", () => {
    terminal.write(".claude/settings.json", '{"model": "x"}');
    expect(run("install", "--yes").out).toMatch(
      /installed: 9 hooks in .*settings\.json\nbackup: (.*\n)*`throughline import` adds /,
    );
    expect(settings()).toContain(`"command":${JSON.stringify(process.execPath)}`);
    expect(run("install", "--yes").out).toMatch(/^already installed in /);
    expect(json("uninstall", "--yes").files).toContainEqual({ file: userFile(), outcome: "restored" });
    expect(settings()).toBe('{"model": "x"}');
    expect(terminal.hasWritten()).toBe(false);
    expect(run("uninstall", "--yes").out).toBe("nothing is installed\n");
  });

  it("tells hooks of a home that is not the usual one", () => {
    run("install", "--yes");
    expect(JSON.parse(settings()).env).toEqual({ THROUGHLINE_HOME: terminal.homeFolder });
  });

  it.each([
    ["project", "settings.json"],
    ["local", "settings.local.json"],
  ])("installs for a %s", (scope, name) => {
    mkdirSync(path.join(terminal.folder, "work"));
    expect(run("install", "--scope", scope, "--yes").code).toBe(0);
    expect(existsSync(path.join(terminal.folder, ".claude", name))).toBe(true);
  });

  it("loads the mod when that lane is chosen, for the user alone, and not any more when it is not", () => {
    const folders = (): unknown => JSON.parse(settings()).env.CLAUDE_CODE_PLUGIN_DIRS;
    run("install", "--yes");
    expect(folders()).toBeUndefined();
    expect(run("install", "--lane", "mods", "--scope", "local", "--yes")).toMatchObject({
      code: 2,
      err: expect.stringContaining("without --scope"),
    });
    expect(run("install", "--lane", "mods", "--yes").out).toMatch(/^set: lane mods in .*config\.jsonc$/m);
    expect(json("install", "--lane", "mods", "--yes").lane).toBe("mods");
    expect(folders()).toMatch(/plugin.mods$/);
    expect(json("config", "get", "lane").value).toBe("mods");
    expect(run("install", "--yes").out).toMatch(/^already installed in /);
    run("install", "--lane", "hooks", "--yes");
    expect(folders()).toBeUndefined();
    expect(json("config", "get", "lane").value).toBe("hooks");
  });

  it("says where a file is wrong", () => {
    terminal.write(".claude/settings.json", '{\n  "a": 1\n  "b": 2\n}');
    expect(run("install", "--yes")).toMatchObject({
      code: 1,
      err: expect.stringContaining("settings.json:3: "),
    });
  });
});

describe("throughline uninstall", () => {
  it("deletes data only when told to", () => {
    run("install", "--yes");
    const kept = path.join(terminal.home.data, "kept");
    writeFileSync(kept, "");
    run("uninstall", "--yes");
    expect(existsSync(kept)).toBe(true);
    expect(json("uninstall", "--purge-data", "--dry-run").delete).toContain(terminal.home.data);
    expect(existsSync(kept)).toBe(true);
    expect(run("uninstall", "--purge-data").code).toBe(2);
    const worded = path
      .join(terminal.home.state, "models", "throughline-wording")
      .replace(/[^a-zA-Z0-9]/g, "-");
    terminal.write(`.claude/projects/${worded}/m.jsonl`, "{}\n");
    terminal.write(".claude/projects/-work/s.jsonl", "{}\n");
    run("uninstall", "--purge-data", "--yes");
    expect(existsSync(terminal.home.data)).toBe(false);
    expect(readdirSync(path.join(terminal.folder, ".claude", "projects"))).toEqual(["-work"]);
  });

  it("takes snapshots and references out of projects: no hook would any more", () => {
    run("install", "--yes");
    terminal.write("work/CLAUDE.md", "# Rules\n");
    terminal.write("work/.git/HEAD", "ref: refs/heads/main\n");
    terminal.write("work/.git/info/exclude", "*.tmp\n");
    const work = path.join(terminal.folder, "work");
    const excluded = (): string => readFileSync(path.join(work, ".git", "info", "exclude"), "utf8");
    const page = (): string => readFileSync(path.join(work, "CLAUDE.md"), "utf8");
    const local = path.join(work, "CLAUDE.local.md");
    const transcript = path.resolve("sample/session.jsonl");
    const { file } = json("snapshot", "save", "--project", work, "--transcript", transcript);
    // Git cannot say of this repository what it tracks.
    expect(page()).toBe("# Rules\n");
    expect(readFileSync(local, "utf8")).toContain("TEMP_COMPACT_SNAPSHOT_START");
    expect(excluded()).toContain("compact-snapshot");
    expect(excluded()).toContain("CLAUDE.local.md");
    expect(run("uninstall", "--dry-run").out).toContain(`clean up the snapshots in ${work}`);
    expect(existsSync(file)).toBe(true);
    expect(run("uninstall", "--yes").out).toContain(`cleaned up the snapshots in ${work}\n`);
    expect([existsSync(file), page(), excluded()]).toEqual([false, "# Rules\n", "*.tmp\n"]);
    expect([existsSync(path.dirname(file)), existsSync(local)]).toEqual([false, false]);
  });
});

describe("throughline status", () => {
  it("says what is installed and what runs", () => {
    expect(run("status").out).toMatch(
      /installed +no; run `throughline install`\n(?:.*\n)*worker +not running\n/,
    );
    run("install", "--yes");
    expect(run("status").out).toMatch(/installed +10 hooks in .*\ncapture +on\nworker +not running/);
    expect(json("status")).toMatchObject({
      installed: [{ scope: "user", hooks: 10 }],
      worker: null,
      paused: false,
    });
  });
});

describe("with settings that are not valid", () => {
  it("what is installed is unknown", () => {
    run("install", "--yes");
    writeFileSync(userFile(), settings().slice(0, -3));
    expect(run("status").out).toMatch(/installed +unknown: .*settings\.json is not valid\n/);
    expect(json("doctor").findings.map(({ id }: { id: string }) => id)).toEqual(["settings-invalid"]);
  });
});

describe("throughline doctor", () => {
  it("finds what is wrong, repairs what is safe, and looks again", () => {
    expect(run("doctor")).toMatchObject({
      code: 1,
      out: expect.stringContaining("fix: throughline install\n"),
    });
    run("install", "--yes");
    expect(run("doctor")).toEqual({ code: 0, out: "no problems found\n", err: "" });
    writeFileSync(userFile(), settings().replaceAll(process.execPath, "/gone/node"));
    chmodSync(terminal.home.data, 0o755);
    expect(json("doctor").findings.map(({ id }: { id: string }) => id)).toEqual(["node-gone", "files-open"]);
    const { code, out } = run("doctor", "--fix");
    expect(code).toBe(0);
    expect(out).toMatch(/done: reinstalled in .*\ndone: made .* private\nno problems found\n$/);
    expect(run("uninstall", "--yes").code).toBe(0);
  });

  it("names a settings file that Claude Code would not read", () => {
    terminal.write(".claude/settings.json", "// mine\n{}\n");
    expect(json("doctor").findings[0]).toMatchObject({ id: "settings-unread", severity: "problem" });
  });
});
