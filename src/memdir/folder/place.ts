// Where a project's memories live: in Claude Code's own folder where it keeps one, else in ours.
import { readdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { type Environment, gitFolderOf, type Home, projectOf } from "../../home/index.ts";
import { defined, isObject, parseJson, readForeign, sha256, statIfThere } from "../../lib/index.ts";
import type { HistoryRule, MemoryPlace } from "./model.ts";

/** What decides where the memories of a project are. */
export interface MemoryPlaceSources {
  readonly home: Home;
  readonly cwd: string;
  readonly env: Environment;
  /** `~/.claude`, or what CLAUDE_CONFIG_DIR names. */
  readonly claudeFolder: string;
  readonly homeFolder: string;
  /** A folder that the user has chosen; empty is no choice. */
  readonly dir?: string;
  readonly history?: HistoryRule;
}

/** Claude Code keeps one folder for a repository with all its worktrees, named after the main one. */
function projectFolder(cwd: string) {
  const git = gitFolderOf(cwd);
  if (git !== undefined && path.basename(git) === ".git") return path.dirname(git);
  const { root } = projectOf(cwd);
  return root;
}

const LONGEST_PROJECT_NAME = 200;

/** The folder that Claude Code keeps for a project: every other character becomes a dash. */
export function claudeProjectFolder(claudeFolder: string, project: string) {
  const name = project.replace(/[^A-Za-z0-9]/g, "-");
  const projects = path.join(claudeFolder, "projects");
  if (name.length <= LONGEST_PROJECT_NAME) return path.join(projects, name);
  // A longer one is cut, and ends with a hash that only Claude Code knows how to make.
  const start = `${name.slice(0, LONGEST_PROJECT_NAME)}-`;
  const found = isExistingFolder(projects)
    ? readdirSync(projects).find((each) => each.startsWith(start))
    : undefined;
  return path.join(projects, found ?? name);
}

const isExistingFolder = (place: string) => statIfThere(place)?.isDirectory() ?? false;

const MOST_SETTINGS_BYTES = 1_000_000;

function settingIn(file: string, name: string) {
  // No settings there, or none that can be read: then they say nothing.
  const settings = parseJson(readForeign(file, MOST_SETTINGS_BYTES) ?? "");
  return isObject(settings) ? settings[name] : undefined;
}

/** The folder of Claude Code's own memory of a project; undefined where it keeps none. */
function claudeMemoryFolder({ cwd, env, claudeFolder, homeFolder }: MemoryPlaceSources) {
  const off = env.CLAUDE_CODE_DISABLE_AUTO_MEMORY;
  if (off !== undefined && !["", "0", "false"].includes(off.toLowerCase())) return undefined;
  const project = projectFolder(cwd);
  const own = path.join(claudeFolder, "settings.json");
  const shared = ["settings.json", "settings.local.json"].map((name) => path.join(project, ".claude", name));
  if ([own, ...shared].some((file) => settingIn(file, "autoMemoryEnabled") === false)) return undefined;
  const folder = claudeProjectFolder(claudeFolder, project);
  if (!isExistingFolder(folder)) return undefined;
  // Only the user's own settings may move it: a repository must not choose where a machine is written to.
  const moved = settingIn(own, "autoMemoryDirectory");
  if (typeof moved !== "string" || moved === "") return path.join(folder, "memory");
  const absolute = moved.startsWith("~/") ? path.join(homeFolder, moved.slice(2)) : moved;
  return path.isAbsolute(absolute) ? absolute : path.join(folder, "memory");
}

function realOrGiven(folder: string) {
  try {
    return realpathSync(folder);
  } catch {
    return path.resolve(folder);
  }
}

/** The user's choice, else Claude Code's folder where it is in use, else a folder of ours. */
export function memoryPlace(sources: MemoryPlaceSources): MemoryPlace {
  const { home, cwd, dir = "", history } = sources;
  const claudes = claudeMemoryFolder(sources);
  const chosen = dir === "" ? undefined : path.resolve(dir);
  const folder = chosen ?? claudes ?? path.join(home.data, "memory", projectOf(cwd).id);
  const books = path.join(home.data, "memory-books", sha256(realOrGiven(folder)).slice(0, 16));
  const isClaudes = claudes !== undefined && realOrGiven(claudes) === realOrGiven(folder);
  return { folder, books, isClaudes, ...defined({ history }) };
}
