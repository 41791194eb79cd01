// Whatever becomes of the worker, the user's session goes on as if nothing were there, and nothing is lost.

import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { workerStateFile } from "../../src/home/index.ts";
import { on, prompted, say, tool, use } from "../scripted-api/index.ts";
import { until } from "../until.ts";
import { type Kept, type Throughline, throughlineIn } from "./throughline.ts";
import { hasClaude, openWorld, type World } from "./world.ts";

async function installedWorld(): Promise<{ world: World; throughline: Throughline }> {
  const world = await openWorld();
  const throughline = throughlineIn(world);
  await throughline.must("install", "--yes");
  return { world, throughline };
}

/** A worker that has said who it is: it answers a little before that. */
async function startedWorker(throughline: Throughline): Promise<void> {
  await throughline.must("worker", "start");
  await until(() => existsSync(workerStateFile(throughline.home)), "the worker's state");
}

/** Three steps with a tool each; `disturb` runs before each of them. */
function steps(world: World, disturb: () => void | Promise<void>): void {
  const step = (n: number) => use(tool("Bash", { command: `echo step ${n}` }), { before: disturb });
  world.api.play([on(prompted("begin"), step(1), step(2), step(3), say("done", { before: disturb }))]);
}

async function expectWhole(
  world: World,
  throughline: Throughline,
  env: Record<string, string> = {},
): Promise<Kept> {
  const run = await world.claude({ prompt: "begin", env });
  expect([run.exitCode, run.answers, run.stderr]).toEqual([0, ["done"], ""]);
  const kept = await throughline.settle();
  expect(kept.events.map(({ kind }) => kind).sort()).toEqual(
    ["session-start", "prompt", "tool", "tool", "tool", "stop", "session-end"].sort(),
  );
  expect(kept.sessions).toMatchObject([{ status: "completed", promptCounter: 1 }]);
  return kept;
}

describe.skipIf(!hasClaude)("a session is whole", () => {
  it("when the worker is killed before every step", async () => {
    const { world, throughline } = await installedWorld();
    let killed = 0;
    steps(world, () => {
      if (throughline.signalWorker("SIGKILL")) killed++;
    });
    await startedWorker(throughline);
    await expectWhole(world, throughline);
    expect(killed).toBeGreaterThan(0);
  });

  it("when the worker is stopped in the middle", async () => {
    const { world, throughline } = await installedWorld();
    await startedWorker(throughline);
    steps(world, async () => {
      await throughline.run("worker", "stop");
    });
    await expectWhole(world, throughline);
  });

  it("when the worker hangs", async () => {
    const { world, throughline } = await installedWorld();
    await startedWorker(throughline);
    expect(throughline.signalWorker("SIGSTOP")).toBe(true);
    steps(world, () => undefined);
    const run = await world.claude({ prompt: "begin" });
    expect([run.exitCode, run.answers, run.stderr]).toEqual([0, ["done"], ""]);
    expect(throughline.signalWorker("SIGCONT")).toBe(true);
    const kept = await throughline.settle();
    expect(kept.events.filter(({ kind }) => kind === "tool")).toHaveLength(3);
  });

  it("when another program has the port", async () => {
    const { world, throughline } = await installedWorld();
    const squat =
      "require('http').createServer((q, s) => s.end('mine')).listen(37777, '127.0.0.1', () => console.log('up'))";
    const squatter = world.sandbox.spawn([process.execPath, "-e", squat], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise((resolve) => squatter.stdout?.once("data", resolve));
    steps(world, () => undefined);
    await expectWhole(world, throughline);
    squatter.kill("SIGKILL");
  });

  it("when node is not on the path", async () => {
    const { world, throughline } = await installedWorld();
    const bin = path.join(world.home, "..", "bin");
    mkdirSync(bin);
    for (const name of readdirSync("/usr/bin"))
      if (!/^(node|nodejs|npm|npx|corepack)$/.test(name))
        symlinkSync(path.join("/usr/bin", name), path.join(bin, name));
    steps(world, () => undefined);
    await expectWhole(world, throughline, { PATH: bin });
  });
});

describe.skipIf(!hasClaude)("nothing is kept", () => {
  it("while paused, and everything again after resume", async () => {
    const { world, throughline } = await installedWorld();
    await throughline.must("pause");
    steps(world, () => undefined);
    const run = await world.claude({ prompt: "begin" });
    expect([run.exitCode, run.answers]).toEqual([0, ["done"]]);
    await throughline.must("resume");
    await expectWhole(world, throughline);
  });

  it("of a session that is switched off or runs for Throughline itself", async () => {
    const { world, throughline } = await installedWorld();
    for (const name of ["THROUGHLINE_DISABLE", "THROUGHLINE_NESTED"]) {
      steps(world, () => undefined);
      const run = await world.claude({ prompt: "begin", env: { [name]: "1" } });
      expect([run.exitCode, run.answers]).toEqual([0, ["done"]]);
    }
    expect((await throughline.settle()).events).toEqual([]);
  });
});
