// Whether a hook may capture at all: not when switched off, nested, taken by a mod, or paused.
import { existsSync } from "node:fs";
import {
  type Environment,
  type Home,
  isObject,
  parseJson,
  pauseFile,
  type RuntimeState,
  readIfThere,
  runtimeFile,
  type SnapshotRules,
} from "../lib/index.ts";
import { Trouble } from "./trouble.ts";

/** Switched off by the person, or one of Throughline's own model calls. */
export function isSwitchedOff(env: Environment): boolean {
  return env.THROUGHLINE_DISABLE === "1" || env.THROUGHLINE_NESTED === "1";
}

/** The mod inside the agent has taken this event already: it reports before any command hook runs. */
export function isTaken(env: Environment, session: unknown): boolean {
  return env.THROUGHLINE_TAKEN !== undefined && env.THROUGHLINE_TAKEN === session;
}

const isProgram = (value: unknown): value is RuntimeState["worker"] =>
  isObject(value) && typeof value.node === "string" && typeof value.script === "string";

const isRules = (value: unknown): value is SnapshotRules =>
  isObject(value) && typeof value.hours === "number";

/** What hooks may know; undefined where nothing was written down yet. */
export function readRuntime(home: Home): Partial<RuntimeState> | undefined {
  const text = readIfThere(runtimeFile(home));
  if (text === undefined) return undefined;
  const value = parseJson(text);
  // Capturing in spite of an exclusion that cannot be read would be worse than capturing later.
  if (!isObject(value)) throw new Trouble("runtime.json cannot be read; nothing is captured until it can");
  const { paused, excluded, worker, snapshot } = value;
  return {
    paused: paused === true,
    excluded: Array.isArray(excluded) ? excluded.filter((item) => typeof item === "string") : [],
    ...(isProgram(worker) ? { worker } : {}),
    ...(isRules(snapshot) ? { snapshot } : {}),
  };
}

export function isPaused(home: Home, runtime: Partial<RuntimeState> | undefined): boolean {
  return runtime?.paused === true || existsSync(pauseFile(home));
}
