// Whether a hook may capture at all: not when switched off, nested, captured by a mod, paused, or in an excluded folder.
import { existsSync } from "node:fs";
import {
  type CaptureRules,
  configStamp,
  configWrittenAt,
  type Environment,
  type Home,
  isExcludedWork,
  pauseFile,
  projectRoots,
  type RuntimeState,
  runtimeFile,
  type SnapshotRules,
} from "../home/index.ts";
import { isObject, parseJson, readIfThere, statIfThere } from "../lib/index.ts";
import { loadFallback } from "./onDemand.ts";

/** Switched off by the person, or one of Throughline's own model calls. */
export function isSwitchedOff(env: Environment) {
  return env.THROUGHLINE_DISABLE === "1" || env.THROUGHLINE_NESTED === "1";
}

/** The mod inside the agent has captured this event already: it reports before any command hook runs. */
export function isCapturedByMod(env: Environment, session: unknown) {
  return env.THROUGHLINE_TAKEN !== undefined && env.THROUGHLINE_TAKEN === session;
}

const isProgram = (value: unknown): value is RuntimeState["worker"] =>
  isObject(value) && typeof value.node === "string" && typeof value.script === "string";

const isRules = (value: unknown): value is SnapshotRules =>
  isObject(value) && typeof value.hours === "number";

function readIfReadable(file: string) {
  try {
    return readIfThere(file);
  } catch {
    // Whatever keeps it from being read: the user's own files say what is excluded, too.
    return undefined;
  }
}

/** The runtime file; undefined where it is missing or cannot be read. */
export function readRuntime(home: Home): Partial<RuntimeState> | undefined {
  const value = parseJson(readIfReadable(runtimeFile(home)) ?? "");
  if (!isObject(value)) return undefined;
  const { paused, excluded, config, worker, snapshot } = value;
  return {
    paused: paused === true,
    ...(Array.isArray(excluded) && { excluded: excluded.filter((item) => typeof item === "string") }),
    ...(typeof config === "string" && { config }),
    ...(isProgram(worker) && { worker }),
    ...(isRules(snapshot) && { snapshot }),
  };
}

export function isPaused(home: Home, runtime: Partial<RuntimeState> | undefined) {
  return runtime?.paused === true || existsSync(pauseFile(home));
}

/** Whether the runtime file was made from the user's settings as they are now. */
function isCurrent(home: Home, { excluded, config }: Partial<RuntimeState>) {
  if (!excluded) return false;
  if (config !== undefined) return config === configStamp(home);
  // An older version leaves no stamp: then the later one of the two was written with the other in sight.
  return (statIfThere(runtimeFile(home))?.mtimeMs ?? 0) >= configWrittenAt(home);
}

/**
 * What is excluded now: by the runtime file, if it is current, else by the user's own. Undefined where neither can be
 * read; then nothing may be written down but which session it was.
 */
export async function rulesNow(home: Home, env: Environment, runtime: Partial<RuntimeState> | undefined) {
  if (runtime && !env.THROUGHLINE_CAPTURE_EXCLUDE && isCurrent(home, runtime))
    return { exclude: runtime.excluded ?? [], snapshot: true, inject: true };
  const { userRules } = await loadFallback();
  return userRules(home, env);
}

/** What the projects of the folders narrow; undefined where one of them excludes the work. */
export async function narrowedIn(
  folders: readonly (string | undefined)[],
): Promise<Pick<CaptureRules, "snapshot" | "inject"> | undefined> {
  let [snapshot, inject] = [true, true];
  for (const folder of new Set(folders)) {
    if (!folder || projectRoots(folder).length === 0) continue;
    const { projectRules } = await loadFallback();
    const rules = projectRules(folder);
    if (isExcludedWork([folder], rules.exclude)) return undefined;
    snapshot &&= rules.snapshot;
    inject &&= rules.inject;
  }
  return { snapshot, inject };
}
