// The budget on the lane of hooks, for who asked for it: a large output of Bash is a preview from the first request on.
import { describe, expect, it } from "vitest";
import { on, prompted, say, tool, use } from "../scripted-api/index.ts";
import { throughlineIn } from "./throughline.ts";
import { hasClaude, openWorld } from "./world.ts";

describe.skipIf(!hasClaude)("a large output of Bash on the lane of hooks", () => {
  it.each([
    ["false", false],
    ["true", true],
  ])("with budget.hooks %s is replaced: %s", async (setting, isReplaced) => {
    const world = await openWorld();
    const throughline = throughlineIn(world);
    await throughline.must("config", "set", "budget.hooks", setting);
    await throughline.must("install", "--yes");
    await throughline.must("worker", "start");
    world.api.play([
      on(
        prompted("begin"),
        use(tool("Bash", { command: "seq 1 2000" })),
        use(tool("Bash", { command: "seq 1 60000" })),
        say("done"),
      ),
    ]);
    const run = await world.claude({ prompt: "begin" });
    expect([run.exitCode, run.answers, run.stderr]).toEqual([0, ["done"], ""]);
    const shown = world.api.requests.flatMap(({ results }) => results.map(({ text }) => text));
    expect(shown.map((text) => /recall tl:\w+/.test(text))).toEqual([isReplaced, isReplaced]);
    for (const [at, last] of [2_000, 60_000].entries()) {
      if (!isReplaced) continue;
      const handle = /recall (tl:\w+)/.exec(shown[at] ?? "")?.[1] ?? "";
      const { out } = await throughline.must("recall", handle);
      expect(out.trimEnd().split("\n")).toHaveLength(last);
      expect(shown[at]?.length).toBeLessThan(2_000);
    }
    const kept = await throughline.settle();
    expect(kept.events.filter(({ kind }) => kind === "tool")).toHaveLength(2);
  });
});
