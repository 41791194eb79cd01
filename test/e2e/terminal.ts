// Claude Code's own screen: the real CLI in a terminal of tmux, typed into and read as a person reads it.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { inject } from "vitest";
import { until } from "../until.ts";
import { claudeEnvironment } from "./drive.ts";
import type { World } from "./world.ts";

export const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

interface TerminalOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Terminal {
  /** Types a line and sends it. */
  send(line: string): Promise<void>;
  /** Waits until the screen shows the words. */
  shows(words: string): Promise<void>;
  /** What can be read, and what has scrolled out above it, once it has stopped changing. */
  settled(): Promise<string>;
  close(): void;
}

/** Someone who has used Claude Code before, and trusts the folder. */
export function welcome({ home, work }: World, key: string): void {
  const file = path.join(home, ".claude.json");
  const before = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const known = {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: [key.slice(-20)] },
    projects: { [work]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  };
  writeFileSync(file, JSON.stringify({ ...before, ...known }));
}

const SIZE = ["-x", "110", "-y", "60"];
/** A screen that has not changed for so long is done. */
const STILL_MS = 2_500;
const LOOK_EVERY_MS = 250;

/** Starts Claude Code in a terminal inside the world, and waits for its prompt. */
export async function openTerminal(world: World, options: TerminalOptions = {}): Promise<Terminal> {
  const env = { ...claudeEnvironment(world.home, world.sandbox.port), ...options.env };
  welcome(world, env.ANTHROPIC_API_KEY ?? "");
  // A socket of its own: a server that is being killed still answers on its socket, and loses what it is asked.
  const socket = ["-S", path.join(mkdtempSync(path.join(path.dirname(world.home), "tmux-")), "s")];
  const tmux = (...words: readonly string[]): string =>
    execFileSync("tmux", [...socket, ...words], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const claude = [inject("claudeBinary"), "--permission-mode", "default", "--allowedTools", "Bash"];
  const start = ["tmux", ...socket, "-f", "/dev/null", "new-session", "-d", ...SIZE, ...claude];
  world.sandbox.spawn([...start, ...(options.args ?? [])], {
    cwd: world.work,
    env: { ...env, TERM: "xterm-256color" },
    stdio: "ignore",
  });
  const screen = (): string => {
    const { stdout, status } = spawnSync("tmux", [...socket, "capture-pane", "-p", "-S", "-"], {
      encoding: "utf8",
    });
    // The prompt is followed by a space that does not break.
    return status === 0 ? stdout.replaceAll("\u00a0", " ") : "";
  };
  const shows = async (words: string): Promise<void> => {
    await until(() => screen().includes(words), `the screen to show ${words}`);
  };
  await shows("? for shortcuts");
  return {
    shows,
    async send(line) {
      tmux("send-keys", "-l", line);
      await shows(`❯ ${line}`);
      tmux("send-keys", "Enter");
    },
    async settled() {
      let [last, since] = [screen(), Date.now()];
      for (const deadline = since + 30_000; Date.now() < deadline; ) {
        await sleep(LOOK_EVERY_MS);
        const now = screen();
        if (now !== last) [last, since] = [now, Date.now()];
        else if (Date.now() - since >= STILL_MS) break;
      }
      return last;
    },
    close: () => void spawnSync("tmux", [...socket, "kill-server"]),
  };
}

/** Lines that Claude Code shows at one time and not at another, whatever we do. */
const passing = /tmux detected|\/effort|^─+$|shortcuts|^✻ \S+ for |^\s*$/;

/** A screen without what differs from run to run. */
export const screenText = (screen: string): string =>
  `${screen
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => !passing.test(line))
    .join("\n")
    // Claude Code's mark moves.
    .replace(/[▐▛▜▟▝▘▙█▀▄]/gu, "")
    .replace(/\/tmp\/tle-\w+/g, "/WORLD")
    .replace(/^ +(?=Claude Code v|Opus |\/WORLD\/work$)/gm, "  ")
    .replace(/-tmp-tle-\w+/g, "-WORLD")
    .replace(/tl:[0-9a-f]{12}/g, "tl:HANDLE")
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "SESSION")
    .replace(/\d+k tokens/g, "Nk tokens")
    .replace(/\d+ KB/g, "N KB")
    .replace(/\d+ min old/g, "N min old")}\n`;
