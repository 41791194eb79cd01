// A thousand tool calls of the real CLI on each lane: every one of them is kept, and none twice.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { anything, on, say, tool, use } from "../scripted-api/index.ts";
import { throughlineIn } from "./throughline.ts";
import { hasClaude, openWorld } from "./world.ts";

const TURNS = 20;
const CALLS = 50;

describe.skipIf(!hasClaude)("a thousand tool calls", () => {
  it.each(["hooks", "mods"])(
    "are kept once each on the lane of %s",
    async (lane) => {
      const world = await openWorld();
      const throughline = throughlineIn(world);
      await throughline.must("install", "--lane", lane, "--yes");
      await throughline.must("worker", "start");
      const file = path.join(world.work, "short.txt");
      writeFileSync(file, "one line\n");
      const calls = Array.from({ length: CALLS }, () => tool("Read", { file_path: file }));
      world.api.play([on(anything, ...Array.from({ length: TURNS }, () => use(calls)), say("done"))]);
      const run = await world.claude({ prompt: "begin", timeout: 600_000 });
      expect([run.exitCode, run.answers, run.stderr]).toEqual([0, ["done"], ""]);
      const kept = await throughline.settle();
      const made = world.api.calls.map(({ id }) => id).sort();
      const stored = kept.events.filter(({ kind }) => kind === "tool");
      expect(made).toHaveLength(TURNS * CALLS);
      expect(stored.map(({ payload }) => String(payload.tool_use_id)).sort()).toEqual(made);
      // A worker that has too much to do is late for some: those are the hooks'.
      expect(kept.events.map((event) => event.lane)).toContain(lane);
    },
    900_000,
  );
});
