// Whether a hook may capture at all: not when switched off, nested, paused, or in an excluded folder.
import { existsSync, readFileSync, realpathSync } from "node:fs";
import {
  type Home,
  isObject,
  parseJson,
  pauseFile,
  type RuntimeState,
  runtimeFile,
  systemErrorCode,
} from "../lib/index.ts";
import { Trouble } from "./trouble.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Switched off by the person, or one of Throughline's own model calls. */
export function isSwitchedOff(env: Environment): boolean {
  return env.THROUGHLINE_DISABLE === "1" || env.THROUGHLINE_NESTED === "1";
}

const isProgram = (value: unknown): value is RuntimeState["worker"] =>
  isObject(value) && typeof value.node === "string" && typeof value.script === "string";

/** What hooks may know; undefined where nothing was written down yet. */
export function readRuntime(home: Home): Partial<RuntimeState> | undefined {
  let text: string;
  try {
    text = readFileSync(runtimeFile(home), "utf8");
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
  const value = parseJson(text);
  // Capturing in spite of an exclusion that cannot be read would be worse than capturing later.
  if (!isObject(value)) throw new Trouble("runtime.json cannot be read; nothing is captured until it can");
  const { paused, excluded, worker } = value;
  return {
    paused: paused === true,
    excluded: Array.isArray(excluded) ? excluded.filter((item) => typeof item === "string") : [],
    ...(isProgram(worker) ? { worker } : {}),
  };
}

export function isPaused(home: Home, runtime: Partial<RuntimeState> | undefined): boolean {
  return runtime?.paused === true || existsSync(pauseFile(home));
}

const foldsCase = process.platform === "win32" || process.platform === "darwin";

function comparable(folder: string): string {
  const plain = folder.replaceAll("\\", "/").replace(/\/+$/, "");
  return foldsCase ? plain.toLowerCase() : plain;
}

/** A glob over whole folders: `*` and `?` stay inside a name, `**` goes across; what lies below matches too. */
function globPattern(glob: string): RegExp {
  const source = comparable(glob).replace(/\*\*\/?|[*?]|[.+^${}()|[\]\\]/g, (part) => {
    if (part === "*") return "[^/]*";
    if (part === "?") return "[^/]";
    if (part === "**") return ".*";
    return part === "**/" ? "(?:.*/)?" : `\\${part}`;
  });
  return new RegExp(`^${source}(?:/|$)`);
}

/** Whether a folder is, or lies in, one of those that are excluded. */
export function isExcluded(folder: string, excluded: readonly string[]): boolean {
  const wanted = comparable(folder);
  return excluded.some((entry) => globPattern(entry).test(wanted));
}

/** A link is excluded when what it leads to is. */
function withRealPath(folder: string): string[] {
  try {
    return [folder, realpathSync(folder)];
  } catch {
    return [folder];
  }
}

/** Whether the work goes on in an excluded folder: where the agent was started, or where it is now. */
export function isExcludedWork(
  folders: readonly (string | undefined)[],
  excluded: readonly string[] = [],
): boolean {
  if (excluded.length === 0) return false;
  const known = folders.filter((folder) => folder !== undefined && folder !== "") as string[];
  return known.flatMap(withRealPath).some((folder) => isExcluded(folder, excluded));
}
