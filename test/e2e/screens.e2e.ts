// What a person sees of Throughline in Claude Code's terminal, on each lane: whole screens, and at most one line of ours each.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { HOUR } from "../../src/lib/index.ts";
import { compaction, on, prompted, type Scenario, say, summary, tool, use } from "../scripted-api/index.ts";
import { hasTmux, openTerminal, screenText, type Terminal } from "./terminal.ts";
import { throughlineIn } from "./throughline.ts";
import { hasClaude, openWorld, type World } from "./world.ts";

const scenario: Scenario = [
  on(prompted("begin"), use(tool("Bash", { command: "seq 1 3000" })), say("counted")),
  on(prompted("again"), say("good morning")),
  on(compaction, summary("They counted.")),
];

const lanes = ["hooks", "mods", "live"] as const;
type Lane = (typeof lanes)[number];

/** Without the variable of the other tests Claude Code lets a mod edit its requests. */
const laneEnv: Readonly<Record<Lane, Readonly<Record<string, string>>>> = {
  hooks: {},
  mods: { THROUGHLINE_LIVE: "off" },
  live: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "", THROUGHLINE_LIVE_DEADLINE_MS: "10000" },
};

/** Everything Node does in a run, hooks and worker, happens so many milliseconds later. */
function later(ms: number): Record<string, string> {
  const shift = path.resolve(import.meta.dirname, "../../scripts/start/shiftedClock.cjs");
  return { NODE_OPTIONS: `--require ${shift}`, SHIFT_MS: String(ms) };
}

function gitIn({ work, home }: World, ...args: readonly string[]): string {
  const who = ["-c", "user.name=x", "-c", "user.email=x@x"];
  return execFileSync("git", [...who, ...args], {
    cwd: work,
    env: { PATH: process.env.PATH, HOME: home },
    encoding: "utf8",
  });
}

/** Lines that name us, without those of an earlier step that a resumed session shows again. */
const ownLines = (screen: string): string[] => screen.split("\n").filter((line) => /throughline/i.test(line));

async function expectScreen(terminal: Terminal, lane: Lane, step: string, before = 0): Promise<void> {
  const shown = screenText(await terminal.settled());
  await expect(shown).toMatchFileSnapshot(`screens/${lane}-${step}.txt`);
  expect(ownLines(shown).length - before).toBeLessThanOrEqual(1);
}

describe.skipIf(!hasClaude || !hasTmux)("the terminal", () => {
  it.each(lanes)(
    "has at most one line of ours at a start, a compaction, a resume and the next day: %s",
    async (lane) => {
      const world = await openWorld();
      const throughline = throughlineIn(world);
      writeFileSync(path.join(world.work, "CLAUDE.md"), "# Rules of the project\n\nKeep it small.\n");
      gitIn(world, "init", "-q");
      gitIn(world, "add", "CLAUDE.md");
      gitIn(world, "commit", "-qm", "rules");
      await throughline.must("install", "--lane", lane === "hooks" ? "hooks" : "mods", "--yes");
      await throughline.must("worker", "start");
      world.api.play(scenario);
      const env = laneEnv[lane];
      const first = await openTerminal(world, { env });
      await expectScreen(first, lane, "start");
      await first.send("begin");
      await first.shows("● counted");
      await first.send("/compact");
      await first.shows("Compacted (ctrl+o");
      await expectScreen(first, lane, "compact");
      expect(gitIn(world, "status", "--porcelain", "-uall")).toBe("");
      first.close();
      const second = await openTerminal(world, { env, args: ["--continue"] });
      await second.shows("Compacted (ctrl+o");
      await expectScreen(second, lane, "resume", 1);
      second.close();
      await throughline.run("worker", "stop");
      const third = await openTerminal(world, { env: { ...env, ...later(20 * HOUR) } });
      await expectScreen(third, lane, "next-day");
      third.close();
    },
    240_000,
  );
});
