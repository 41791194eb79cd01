// Decides by the current settings which folders are excluded from capture. Hooks read them, and so does every writer.

import { existsSync, readFileSync, realpathSync } from "node:fs";
import path from "node:path";
import {
  BoundedMap,
  isObject,
  matchesGlob,
  parseJson,
  parseJsonWithComments,
  statIfThere,
  ThroughlineError,
} from "../lib/index.ts";
import type { Environment, Home } from "./paths.ts";

/** What settings say about capture, as far as a hook has to know. */
export interface CaptureRules {
  /** Folders, or globs of folders, in which nothing is captured. */
  readonly exclude: readonly string[];
  /** False where snapshots are switched off. */
  readonly snapshot: boolean;
  /** False where nothing is injected into sessions. */
  readonly inject: boolean;
}

/** No setting of a person is longer; what a repository delivers may be anything. */
const MOST_CONFIG_BYTES = 256 * 1024;

const fileNames = ["config.jsonc", "config.json"] as const;

const filesIn = (folder: string) => fileNames.map((name) => folder + path.sep + name);

function stringList(value: unknown) {
  if (value === undefined) return [];
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined;
}

const isDisabledGroup = (group: unknown) => isObject(group) && group.enabled === false;

/** The rules of a settings file. Undefined for one that cannot be read: a pipe or a device is not even opened. */
function rulesIn(file: string): CaptureRules | undefined {
  try {
    const stats = statIfThere(file);
    if (!stats) return { exclude: [], snapshot: true, inject: true };
    if (!stats.isFile() || stats.size > MOST_CONFIG_BYTES) return undefined;
    const value = parseJsonWithComments(readFileSync(file, "utf8"));
    if (!isObject(value)) return undefined;
    const { capture = {}, snapshot, inject } = value;
    const exclude = isObject(capture) ? stringList(capture.exclude) : undefined;
    return exclude && { exclude, snapshot: !isDisabledGroup(snapshot), inject: !isDisabledGroup(inject) };
  } catch {
    // The system refuses; what the file excludes is not known then.
    return undefined;
  }
}

/** Combines the rules of several files; the strictest wins. */
function together(rules: readonly CaptureRules[]): CaptureRules {
  return {
    exclude: rules.flatMap(({ exclude }) => exclude),
    snapshot: rules.every(({ snapshot }) => snapshot),
    inject: rules.every(({ inject }) => inject),
  };
}

/** The same as long as the user's settings files are not touched; undefined where the system does not say. */
export function configStamp({ config }: Home) {
  try {
    const stamps = filesIn(config).map((file) => {
      const stats = statIfThere(file);
      return stats ? `${stats.mtimeMs}/${stats.size}/${stats.ino}` : "none";
    });
    return stamps.join(" ");
  } catch {
    return undefined;
  }
}

/** When the user's settings files were last written; 0 where there are none. */
export function configWrittenAt({ config }: Home) {
  const times = filesIn(config).map((file) => statIfThere(file)?.mtimeMs ?? 0);
  return Math.max(...times);
}

/** The variable stands above the file, as for every setting. Undefined where it is not known what is excluded. */
export function userRules({ config }: Home, env: Environment): CaptureRules | undefined {
  const found = filesIn(config).map(rulesIn);
  const known = found.filter((rules) => rules !== undefined);
  const given = env.THROUGHLINE_CAPTURE_EXCLUDE;
  if (given) {
    const exclude = stringList(parseJson(given) ?? null);
    return exclude && { ...together(known), exclude };
  }
  return known.length === found.length ? together(known) : undefined;
}

const realFolder = (folder: string) => {
  try {
    return realpathSync.native(folder);
  } catch {
    // A folder that is gone has only its name.
    return folder;
  }
};

/**
 * The folders that have a `.throughline`, from here up to the root of the repository, the nearest first; outside a
 * repository only the folder itself can have one.
 */
export function projectRoots(folder: string) {
  const roots: string[] = [];
  const here = realFolder(path.resolve(folder));
  for (let at = here; ; ) {
    const below = at.endsWith(path.sep) ? at : at + path.sep;
    if (existsSync(`${below}.throughline`)) roots.push(at);
    if (existsSync(`${below}.git`)) return roots;
    const above = path.dirname(at);
    if (above === at) return roots[0] === here ? [here] : [];
    at = above;
  }
}

/** What a project may exclude: itself and folders below it. A relative entry is one of its own folders. */
export function withinProject(root: string, entries: readonly string[]) {
  return entries.flatMap((entry) => {
    const place = path.isAbsolute(entry) ? entry : path.join(root, entry);
    if (isExcluded(root, [place])) return root;
    return isExcluded(path.normalize(place), [root]) ? place : [];
  });
}

/** What the project of a folder narrows, trusted or not; a file that cannot be read excludes its project. */
export function projectRules(folder: string): CaptureRules {
  if (!path.isAbsolute(folder)) return together([]);
  const rules = projectRoots(folder).flatMap((root) =>
    filesIn(path.join(root, ".throughline")).map((file) => {
      const found = rulesIn(file) ?? { exclude: [root], snapshot: true, inject: true };
      return found.exclude.length === 0 ? found : { ...found, exclude: withinProject(root, found.exclude) };
    }),
  );
  return together(rules);
}

/** For what was asked to be kept by name. */
export const excludedError = (folder = "this folder"): ThroughlineError =>
  new ThroughlineError(
    "excluded",
    `nothing is kept of work in ${folder}`,
    "take the folder out of capture.exclude: `throughline config list --origin` shows where it stands",
  );

export type IsExcluded = (...folders: readonly (string | undefined)[]) => boolean;

/** Whether work in any of the folders is excluded by the files of its own project. */
const isExcludedByProject: IsExcluded = (...folders) =>
  folders.some((folder) => folder !== undefined && isExcludedWork([folder], projectRules(folder).exclude));

/** The same answers for the length of one pass over many rows: sessions stay in a few folders for a long time. */
export function rememberingExclusion(isExcluded: (folder: string) => boolean): (folder: string) => boolean {
  const known = new BoundedMap<string, boolean>(10_000);
  return (folder) => known.remember(folder, () => isExcluded(folder));
}

/**
 * Whether nothing may be kept of work in any of the folders, by the settings as they are at every call. It throws
 * `config-invalid` while the user's own cannot be read: what waits then is kept later, and nothing is lost.
 * `onChange` hears of it whenever the user's files have changed.
 */
export function currentExclusion(home: Home, env: Environment, onChange?: () => void): IsExcluded {
  let stamp: string | undefined;
  let rules: CaptureRules | undefined;
  let isFirst = true;
  return (...folders) => {
    const now = configStamp(home);
    if (isFirst || now === undefined || now !== stamp) {
      rules = userRules(home, env);
      stamp = now;
      if (!isFirst) onChange?.();
      isFirst = false;
    }
    if (!rules) {
      throw new ThroughlineError(
        "config-invalid",
        `it is not known what ${home.config} excludes`,
        "`throughline config list` names what cannot be read there",
      );
    }
    return isExcludedWork(folders, rules.exclude) || isExcludedByProject(...folders);
  };
}

const foldsCase = process.platform === "win32" || process.platform === "darwin";

/** The names of a path, in the spelling in which paths are compared. */
function folderNames(folder: string) {
  const plain = folder.replaceAll("\\", "/").replace(/\/+$/, "");
  return (foldsCase ? plain.toLowerCase() : plain).split("/");
}

/** Whether a folder is, or lies in, one of those that are excluded. */
export function isExcluded(folder: string, excluded: readonly string[]) {
  const names = folderNames(folder);
  return excluded.some((entry) => matchesGlob(names, folderNames(entry)));
}

/** A link is excluded when what it leads to is. */
function withRealPath(folder: string) {
  try {
    return [folder, realpathSync(folder)];
  } catch {
    return [folder];
  }
}

/** Whether the work goes on in an excluded folder: where the agent was started, or where it is now. */
export function isExcludedWork(folders: readonly (string | undefined)[], excluded: readonly string[] = []) {
  if (excluded.length === 0) return false;
  const known = folders.filter((folder) => folder !== undefined && folder !== "") as string[];
  return known.flatMap(withRealPath).some((folder) => isExcluded(folder, excluded));
}
