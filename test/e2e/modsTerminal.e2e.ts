// The terminal's own interface: one line says what the mod has saved.

import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, inject, it } from "vitest";
import { on, prompted, say, tool, use } from "../scripted-api/index.ts";
import { until } from "../until.ts";
import { claudeEnvironment } from "./drive.ts";
import { modsScene } from "./modsSession.ts";

import { hasClaude, type World } from "./world.ts";

/** Gives a program a terminal. */
const hasScript = spawnSync("script", ["--version"]).status === 0;

/** Someone who has used Claude Code before, and trusts the folder. */
function welcome({ home, work }: World, key: string): void {
  const known = {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: [key.slice(-20)] },
    projects: { [work]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  };
  const file = path.join(home, ".claude.json");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), ...known }));
}

const ESC = String.fromCharCode(27);
const movement = new RegExp(`${ESC}(?:\\[[\\d;?<>=]*[A-Za-z]|.)`, "g");

/** What is to be read on a screen, without colours and movements. */
const plain = (text: string): string => text.replace(movement, " ");

/** Claude Code lays types beside a mod that it finds in a folder: this one is the repository's. */
function tidyUp(): void {
  const mod = path.resolve(import.meta.dirname, "../../plugin/mods");
  for (const name of ["tsconfig.json", ".claude-plugin/types"])
    rmSync(path.join(mod, name), { recursive: true, force: true });
}

describe.skipIf(!hasClaude || !hasScript)("in the terminal", () => {
  it("a line says what was saved", async () => {
    const { world } = await modsScene([
      on(prompted("begin"), use(tool("Bash", { command: "seq 1 5000" })), say("done")),
    ]);
    const env = claudeEnvironment(world.home, world.sandbox.port);
    welcome(world, env.ANTHROPIC_API_KEY ?? "");
    const command = `stty cols 150 rows 40; exec ${inject("claudeBinary")} --permission-mode default --allowedTools Bash`;
    const terminal = world.sandbox.spawn(["script", "-qfec", command, "/dev/null"], {
      cwd: world.work,
      env: { ...env, TERM: "xterm-256color" },
      stdio: ["pipe", "pipe", "ignore"],
    });
    let screen = "";
    terminal.stdout?.setEncoding("utf8").on("data", (chunk) => {
      screen += chunk;
    });
    await until(() => plain(screen).includes("for shortcuts"), "a prompt");
    terminal.stdin?.write("begin");
    await until(() => plain(screen).includes("begin"), "what was typed");
    terminal.stdin?.write("\r");
    await until(() => /saved \d+k tokens \(1 result\)/.test(plain(screen)), "the line");
    terminal.kill("SIGKILL");
    tidyUp();
    expect(plain(screen)).toContain("mods-throughline");
  });
});
