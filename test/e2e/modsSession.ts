// A world in which the mods lane is chosen, for the tests of that lane.

import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { workerStateFile } from "../../src/home/index.ts";
import type { Scenario, ScriptedApiOptions } from "../scripted-api/index.ts";
import { until } from "../until.ts";
import { type Throughline, throughlineIn } from "./throughline.ts";
import { openWorld, type World } from "./world.ts";

export interface Scene {
  readonly world: World;
  readonly throughline: Throughline;
}

/** The project's own instructions: the model must be shown them after a compaction too. */
export const rules = "# Rules of the project\n\nNever touch the harbour.\n";

export async function modsScene(scenario: Scenario, api?: ScriptedApiOptions): Promise<Scene> {
  const world = await openWorld(api);
  const throughline = throughlineIn(world);
  writeFileSync(path.join(world.work, "CLAUDE.md"), rules);
  await throughline.must("install", "--lane", "mods", "--yes");
  await throughline.must("worker", "start");
  await until(() => existsSync(workerStateFile(throughline.home)), "the worker to say where it is");
  world.api.play(scenario);
  return { world, throughline };
}
