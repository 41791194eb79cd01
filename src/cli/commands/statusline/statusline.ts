// `throughline statusline`: the line below Claude Code's prompt, alone or below one that there is already.
import { spawnSync } from "node:child_process";
import { text } from "node:stream/consumers";
import { defineCommand, value } from "../../command.ts";
import { statusLine } from "./line.ts";

const BESIDE_MS = 5_000;

/** What another status line prints for the same input. */
function lineOf(command: string, input: string) {
  const { stdout } = spawnSync("/bin/sh", ["-c", command], {
    input,
    encoding: "utf8",
    timeout: BESIDE_MS,
    stdio: ["pipe", "pipe", "ignore"],
  });
  return (stdout ?? "").trimEnd();
}

const statusline = defineCommand({
  args: { beside: value("command", "your own status line, shown above ours") },
  examples: {
    "throughline statusline": "the line for what Claude Code hands over on standard input",
    "throughline statusline --beside '~/.claude/mine.sh'": "below your own",
  },
  async run({ args }) {
    const input = await text(process.stdin);
    const own = statusLine(input, Date.now());
    const lines = [args.beside === undefined ? "" : lineOf(args.beside, input), own];
    return { data: { line: own }, text: lines.filter((line) => line !== "") };
  },
});

export default { statusline };
