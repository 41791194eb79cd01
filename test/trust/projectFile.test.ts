// A repository with settings of its own, and the commands a person runs in it: nothing outside the project changes.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { databaseFile, runtimeFile } from "../../src/home/index.ts";
import { openStore } from "../../src/store/index.ts";
import { cliFile, commandLine } from "../commandLine.ts";

const terminal = commandLine();

const attack = {
  capture: { exclude: ["/**"] },
  lane: "mods",
  budget: { hooks: true },
  store: { retentionDays: 1, rawRetentionDays: 1, maxBytes: 1 },
  snapshot: { hours: 1_000_000 },
  policy: "seed",
};

const hostile = (): string => terminal.write(".throughline/config.json", JSON.stringify(attack));
const env = (): Record<string, string> => ({ HOME: terminal.folder });

/** A command as a person at a terminal runs it, who types `keys`. */
const hasScript = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;
function typed(args: readonly string[], keys = ""): { readonly code: number | null; readonly out: string } {
  const command = [process.execPath, cliFile, ...args].map((word) => `'${word}'`).join(" ");
  // The question is read a moment after it is shown.
  const input = keys === "" ? "" : `(sleep 2; printf '${keys}'; sleep 1) | `;
  const run = spawnSync("sh", ["-c", `${input}script -qec "${command}" /dev/null`], {
    cwd: terminal.folder,
    env: { ...terminal.environment(env()), TERM: "xterm" },
    encoding: "utf8",
    ...(keys === "" ? { input: "" } : {}),
  });
  return { code: run.status, out: run.stdout };
}

describe("install in a repository with settings of its own", () => {
  it("takes what is global from the user's own file alone", async () => {
    hostile();
    expect(terminal.run(["install", "--lane", "hooks", "--yes"], env()).code).toBe(0);
    const runtime = JSON.parse(readFileSync(runtimeFile(terminal.home), "utf8"));
    expect(runtime.excluded).toEqual([]);
    const installed = readFileSync(path.join(terminal.folder, ".claude", "settings.json"), "utf8");
    expect(installed).not.toContain("CLAUDE_CODE_PLUGIN_DIRS");
    expect(JSON.parse(installed).hooks.PostToolUse[0].hooks[0].args.join(" ")).toContain("capture.cjs");
    await (await openStore({ file: databaseFile(terminal.home) })).close();
    expect(terminal.json("data", "retention")).toMatchObject({ rules: { days: 0, rawDays: 0, maxBytes: 0 } });
  });

  it("says what is ignored, and that nothing is captured here", () => {
    const file = hostile();
    terminal.run(["install", "--yes"], env());
    const { project } = terminal.json("config", "list") as { project: { trust: string; ignored: unknown[] } };
    expect(project).toMatchObject({ file, trust: "untrusted" });
    expect(project.ignored).toContainEqual({ key: "policy", value: "seed", line: 1, why: "untrusted" });
    expect(terminal.run(["config", "list", "--origin"]).out).toMatch(
      /policy +seed +ignored \(not trusted; see `throughline config trust`\)/,
    );
    const status = terminal.run(["status"], env()).out;
    expect(status).toMatch(/capture +off in this folder/);
    expect(status).toMatch(
      /project file .*not trusted, ignored: snapshot\.hours, policy; a project cannot set: lane/,
    );
    const doctor = terminal.run(["doctor"], env()).out;
    expect(doctor).toContain("project-untrusted");
    expect(doctor).toContain("folder-excluded");
  });
});

describe("trust", () => {
  const policy = (): unknown => (terminal.json("config", "get", "policy") as { value: unknown }).value;

  it("is given only by a person at a terminal", () => {
    hostile();
    for (const args of [[], ["--json"], ["--yes"], ["-y"]]) {
      const { code, err } = terminal.run(["config", "trust", ...args], env());
      expect([code === 0, /terminal|unknown/.test(`${err}`) || args.includes("--json")]).toEqual([
        false,
        true,
      ]);
    }
    expect(policy()).toBe("thrifty");
    expect(existsSync(path.join(terminal.home.data, "trusted-projects.json"))).toBe(false);
  });

  it.skipIf(!hasScript)("is asked for with the values in sight, and counts for that content", () => {
    const file = hostile();
    expect(typed(["config", "trust"], "\\r").out).toContain("snapshot.hours");
    const said = typed(["config", "trust"], "y");
    expect(said.out).toContain("still ignored, because a project cannot set: lane");
    expect(said.out).toContain(`trusted: ${file}`);
    expect(policy()).toBe("seed");
    expect((terminal.json("config", "get", "store.retentionDays") as { value: unknown }).value).toBe(0);
    terminal.write(".throughline/config.json", JSON.stringify({ ...attack, locale: "zh" }));
    expect(policy()).toBe("thrifty");
    hostile();
    expect(policy()).toBe("seed");
    expect(terminal.json("config", "untrust")).toMatchObject({ changed: true });
    expect(policy()).toBe("thrifty");
  });

  it.skipIf(!hasScript)("is pointed to once by the next command that a person types", () => {
    terminal.run(["install", "--yes"], env());
    hostile();
    expect(terminal.run(["status"], env()).err).toBe("");
    const first = typed(["worker", "status"]).out;
    expect(first).toContain("ignored until you trust it: snapshot.hours, policy");
    expect(first).toContain("throughline config trust");
    expect(typed(["worker", "status"]).out).not.toContain("ignored until you trust it");
  });
});
