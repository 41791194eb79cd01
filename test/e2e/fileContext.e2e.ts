// A file that an earlier session worked on: opened in the real CLI, on both lanes, with what is known of it.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { projectOf } from "../../src/home/index.ts";
import { on, prompted, say, tool, use } from "../scripted-api/index.ts";
import { throughlineIn } from "./throughline.ts";
import { hasClaude, openWorld } from "./world.ts";

const INTRO = "What earlier sessions did about this file";

describe.skipIf(!hasClaude)("a file that is opened", () => {
  it.each(["hooks", "mods"])(
    "comes with what is known of it, once, where that is wanted: %s",
    async (lane) => {
      const world = await openWorld();
      const throughline = throughlineIn(world);
      const file = path.join(world.work, "berth.ts");
      writeFileSync(file, "export const berths = 4;\n");
      const row = { session: "earlier", project: projectOf(world.work).id, at: "2026-11-01T10:00:00.000Z" };
      const rows = [
        { type: "session", ...row, lastActivityAt: row.at, promptCounter: 1, status: "completed" },
        {
          ...{ type: "observation", ...row, promptNumber: 1, uid: "o1", observationType: "decision" },
          ...{ title: "Decided on four berths because of the tide", filesModified: ["berth.ts"] },
        },
      ];
      const lines = [{ throughline: "export", version: 1 }, ...rows, { type: "end", lines: rows.length }];
      const exported = path.join(world.home, "earlier.jsonl");
      writeFileSync(exported, lines.map((line) => JSON.stringify(line)).join("\n"));
      await throughline.must("data", "import", exported);
      const read = tool("Read", { file_path: file });
      const opened = async (): Promise<number> => {
        const before = world.api.requests.length;
        world.api.play([on(prompted("look"), use(read), use(read), say("seen"))]);
        const run = await world.claude({ prompt: "look" });
        expect([run.exitCode, run.answers, run.stderr]).toEqual([0, ["seen"], ""]);
        const last = JSON.stringify(world.api.requests.slice(before).at(-1)?.body);
        expect(last).toContain("berths = 4");
        return last.split(INTRO).length - 1;
      };
      await throughline.must("install", "--lane", lane, "--yes");
      await throughline.must("worker", "start");
      expect(await opened()).toBe(0);
      await throughline.must("config", "set", "inject.files", "true");
      await throughline.must("install", "--lane", lane, "--yes");
      expect(await opened()).toBe(1);
    },
    120_000,
  );
});
