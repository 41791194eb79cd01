// Pausing capture: a file that hooks look for, and a record of when it was there, so that nothing is caught up later.
import { statSync } from "node:fs";
import path from "node:path";
import {
  type Clock,
  isObject,
  isoTime,
  parseJson,
  readIfThere,
  removeFile,
  systemClock,
  writeFileAtomic,
  writeJson,
} from "../lib/index.ts";
import type { Home } from "./paths.ts";
import { isPaused, readRuntime } from "./runtime.ts";
import { pauseFile, runtimeFile } from "./stateFiles.ts";

/** Milliseconds since the epoch. A pause that lasts has no end. */
export interface Pause {
  readonly from: number;
  readonly to?: number;
}

const LONGEST_RECORD = 1_000;

function pausesFile(home: Home) {
  return path.join(home.state, "pauses.json");
}

/** A record that cannot be read may have held any pause: then everything before its last change counts as paused. */
function endedPauses(home: Home): Pause[] {
  const file = pausesFile(home);
  const text = readIfThere(file);
  if (text === undefined) return [];
  const found = parseJson(text);
  if (!Array.isArray(found)) return [{ from: 0, to: statSync(file).mtimeMs }];
  return found.flatMap((item) =>
    isObject(item) && typeof item.from === "number" && typeof item.to === "number"
      ? { from: item.from, to: item.to }
      : [],
  );
}

/** When the present pause began; 0 for a file that does not say, since it may be as old as anything. */
function pausedSince(home: Home) {
  if (!isPaused(home)) return undefined;
  return Date.parse(readIfThere(pauseFile(home))?.trim() ?? "") || 0;
}

/** Every pause there was and the one there is: what happened in them is never recorded. */
export function pauses(home: Home): Pause[] {
  const since = pausedSince(home);
  return since === undefined ? endedPauses(home) : [...endedPauses(home), { from: since }];
}

export function wasPaused(pausesThen: readonly Pause[], at: number) {
  return pausesThen.some(({ from, to }) => at >= from && (to === undefined || at <= to));
}

/** Hooks read the runtime file for everything else; it says the same as the file that pauses. */
function tellHooks(home: Home, paused: boolean) {
  const runtime = readRuntime(home);
  if (runtime && runtime.paused !== paused) writeJson(runtimeFile(home), { ...runtime, paused }, 2);
}

/** When the pause began; false stands for one that was there already. */
export function pause(
  home: Home,
  clock: Clock = systemClock,
): { readonly changed: boolean; readonly since: string } {
  const before = pausedSince(home);
  const since = isoTime(before ?? clock.now());
  if (before === undefined) writeFileAtomic(pauseFile(home), `${since}\n`);
  tellHooks(home, true);
  return { changed: before === undefined, since };
}

export function resume(
  home: Home,
  clock: Clock = systemClock,
): { readonly changed: boolean; readonly since?: string } {
  const from = pausedSince(home);
  if (from !== undefined) {
    // In this order: were it interrupted in between, the pause would go on, and nothing of it be recorded.
    const record = [...endedPauses(home), { from, to: clock.now() }].slice(-LONGEST_RECORD);
    writeJson(pausesFile(home), record);
    removeFile(pauseFile(home));
  }
  tellHooks(home, false);
  return from === undefined ? { changed: false } : { changed: true, since: new Date(from).toISOString() };
}
