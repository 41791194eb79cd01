// A session of the mod in a home of its own, with a real worker.
import type { ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { workerStateFile } from "../../src/home/index.ts";
import { until, type WorkerHome } from "../worker/workers.ts";
import { type Host, type HostOptions, openHost } from "./host.ts";

/** The built one: beside it lie the programs of the hooks. */
const program = path.resolve(import.meta.dirname, "../../dist/worker.js");

export function chooseLane({ home }: WorkerHome, lane: string): void {
  mkdirSync(home.config, { recursive: true });
  writeFileSync(path.join(home.config, "config.jsonc"), JSON.stringify({ lane, inject: { prompts: true } }));
}

/** Starts a worker on the mods lane, and waits until it can be found. */
export async function startWorker(place: WorkerHome): Promise<ChildProcess> {
  chooseLane(place, "mods");
  rmSync(workerStateFile(place.home), { force: true });
  const worker = await place.run(program);
  await until(() => existsSync(workerStateFile(place.home)) || undefined, "the worker to say where it is");
  return worker;
}

export async function beginSession(place: WorkerHome, more: Partial<HostOptions> = {}): Promise<Host> {
  const host = await openHost({ env: place.env(), folder: place.folder, session: "s1", ...more });
  await host.raise("session.start", {});
  await host.classic("SessionStart", { source: "startup" });
  return host;
}
