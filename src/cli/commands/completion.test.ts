// The completion scripts, in the shells that are here: what they offer is what can be typed.
import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import type { Report } from "../command.ts";
import { root } from "../commands.ts";
import { completionCommand } from "./completion.ts";

const scriptFor = async (shell: string): Promise<string> => {
  const { text }: Report = await completionCommand(() => root).run([shell], "throughline completion");
  return String(text);
};

const offered = async (...typed: readonly string[]): Promise<string[]> => {
  const words = ["throughline", ...typed];
  const ask = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${typed.length}; _throughline; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", `${await scriptFor("bash")}\n${ask}`], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return stdout.trim().split("\n");
};

describe("in bash", () => {
  it("offers commands, those of a group, and flags", async () => {
    expect(await offered("ins")).toEqual(["install"]);
    expect(await offered("")).toEqual(expect.arrayContaining(["install", "replay", "search"]));
    expect(await offered("config", "li")).toEqual(["list"]);
    expect(await offered("config", "list", "--o")).toEqual(["--origin"]);
    expect(await offered("replay", "some.jsonl", "--ht")).toEqual(["--html"]);
  });
});

describe("in fish and zsh", () => {
  it("has every command with its summary, and parses where the shell is here", async () => {
    const fish = await scriptFor("fish");
    expect(fish).toContain(
      "complete -c throughline -n '__fish_use_subcommand' -a uninstall -d 'remove them again; data is kept unless you ask'",
    );
    expect(fish).toContain(
      "complete -c throughline -n '__fish_seen_subcommand_from config; and __fish_seen_subcommand_from list' -l origin",
    );
    expect(await scriptFor("zsh")).toMatch(/"config"\|"config "\*\) found=\(list get set .*\) ;;/);
    for (const shell of ["zsh", "fish"]) {
      if (spawnSync(shell, ["--version"]).status !== 0) continue;
      expect(spawnSync(shell, ["-n"], { input: await scriptFor(shell) }).status).toBe(0);
    }
  });

  it("names the shells it knows", async () => {
    await expect(scriptFor("tcsh")).rejects.toThrow("no completion for tcsh");
  });
});
