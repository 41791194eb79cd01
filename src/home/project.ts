// Which project a folder belongs to: its repository, found on disk without running git.
import { realpathSync, statSync } from "node:fs";
import path from "node:path";
import { readIfPossible, sha256 } from "../lib/index.ts";
import { safeName } from "./paths.ts";

interface Project {
  /** The same for every folder and worktree of one repository, and for no other; safe as a file name. */
  readonly id: string;
  readonly name: string;
  /** The top of the working tree; without a repository the folder itself. */
  readonly root: string;
}

const PROJECT_DIGITS = 8;

/** Never throws: a folder that is gone, or that cannot be read, is a project of its own. */
export function projectOf(cwd: string): Project {
  const folder = realPlace(cwd);
  for (let root = folder; ; root = path.dirname(root)) {
    const common = commonFolder(root);
    if (common !== undefined) return { ...named(repositoryName(common), common), root };
    if (path.dirname(root) === root) return { ...named(path.basename(folder), folder), root: folder };
  }
}

/** The folder that all worktrees of a folder's repository share; undefined where there is no repository. */
export function gitFolderOf(cwd: string) {
  for (let root = realPlace(cwd); ; root = path.dirname(root)) {
    const common = commonFolder(root);
    if (common !== undefined || path.dirname(root) === root) return common;
  }
}

function named(name: string, identity: string): Pick<Project, "id" | "name"> {
  return { id: `${safeName(name)}-${sha256(identity).slice(0, PROJECT_DIGITS)}`, name };
}

/** `app/.git` is `app`, and so is a bare `app.git`. */
function repositoryName(common: string) {
  const base = path.basename(common);
  return base === ".git" ? path.basename(path.dirname(common)) : base.replace(/\.git$/, "");
}

/** The folder all worktrees of a repository share, or undefined when `root` is not the top of one. */
function commonFolder(root: string) {
  const entry = path.join(root, ".git");
  const stats = statsOf(entry);
  if (stats?.isDirectory()) return isRepository(entry) ? realPlace(entry) : undefined;
  const link = stats?.isFile() ? /^gitdir: *(.+?)\s*$/m.exec(readIfPossible(entry) ?? "")?.[1] : undefined;
  if (link === undefined) return undefined;
  const own = path.resolve(root, link);
  // A worktree's folder names the shared one; a submodule's names none and is its own.
  const shared = readIfPossible(path.join(own, "commondir"))?.trim();
  const common = shared === undefined ? own : path.resolve(own, shared);
  return isRepository(common) ? realPlace(common) : undefined;
}

function isRepository(folder: string) {
  return statsOf(path.join(folder, "HEAD"))?.isFile() ?? false;
}

function statsOf(place: string) {
  try {
    return statSync(place);
  } catch {
    return undefined;
  }
}

/** Links resolved and, where the system knows, the spelling of the disk. */
function realPlace(place: string) {
  try {
    return realpathSync.native(place);
  } catch {
    return path.resolve(place);
  }
}
