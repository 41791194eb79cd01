// What git says of a project: the branch, and the files that are changed and not committed.

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { runGit } from "../home/git.ts";
import { gitFolderOf, type Home } from "../home/index.ts";
import { ensureFolder, look, replaceFile, systemErrorCode } from "../lib/index.ts";
import { listSnapshots } from "./folder.ts";
import { type Page, pages } from "./page.ts";
import { isFirstEncounter, readSnapshotKey } from "./seal.ts";

export interface GitState {
  readonly branch: string | undefined;
  /** Paths below the folder, with git's two letters for what became of each. */
  readonly changed: readonly { readonly path: string; readonly status: string }[];
}

const GIT_TIMEOUT_MS = 1_000;

const statusCommand = [
  ...["status", "--porcelain=v1", "--branch", "--no-ahead-behind", "-z"],
  // A submodule has a configuration of its own, which git would follow to see whether it is changed.
  ...["--untracked-files=normal", "--ignore-submodules=all", "--", "."],
];

/** Undefined where there is no repository, no git, or no answer in time. */
export async function gitState(folder: string): Promise<GitState | undefined> {
  if (gitFolderOf(folder) === undefined) return undefined;
  const output = await runGit(folder, statusCommand, GIT_TIMEOUT_MS);
  return output === undefined ? undefined : readStatus(output);
}

/**
 * Names of the snapshots that the repository has among its files; empty outside of one. Undefined when git cannot say:
 * then each of them may be the repository's.
 */
export const trackedSnapshots = (project: string) => trackedNames(project, ".claude");

/** The pages that git has among its files. Where git cannot say, CLAUDE.md is one: most repositories share it. */
export const trackedPages = async (project: string) =>
  (await trackedNames(project, ...pages)) ?? new Set<string>([pages[0]]);

/** Names of tracked files below these paths; empty outside of a repository, undefined when git cannot say. */
async function trackedNames(project: string, ...paths: readonly string[]) {
  if (gitFolderOf(project) === undefined) return new Set<string>();
  const output = await runGit(project, ["ls-files", "--cached", "-z", "--", ...paths], GIT_TIMEOUT_MS);
  return output === undefined
    ? undefined
    : new Set(output.split("\0").map((name) => path.posix.basename(name)));
}

export function readStatus(output: string): GitState {
  const entries = output.split("\0").filter((entry) => entry !== "");
  const head = entries[0]?.startsWith("## ") ? entries.shift() : undefined;
  const branch = head && /^## (?:No commits yet on )?(.+?)(?:\.\.\.|$| \[)/.exec(head)?.[1];
  const changed: { path: string; status: string }[] = [];
  for (let at = 0; at < entries.length; at++) {
    const entry = entries[at] ?? "";
    const status = entry.slice(0, 2);
    changed.push({ path: entry.slice(3), status: status.trim() });
    // A rename is followed by where it came from.
    if (/[RC]/.test(status)) at++;
  }
  return { branch: branch?.startsWith("HEAD (no branch)") ? undefined : branch || undefined, changed };
}

/** Snapshots wherever in the repository the agent was started, and what a killed writer may leave of them. */
const SNAPSHOTS = "**/.claude/*compact-snapshot-*";
/** Not as a user would write it, so that it is known to be ours. */
const LOCAL_PAGE = "**/CLAUDE.local.md";

function excludeFile(project: string) {
  const folder = gitFolderOf(project);
  return folder === undefined ? undefined : path.join(folder, "info", "exclude");
}

const excludeLines = (text: string) => text.split(/\r?\n/);

export function excludesSnapshots(project: string) {
  const file = excludeFile(project);
  return (
    file !== undefined && existsSync(file) && excludeLines(readFileSync(file, "latin1")).includes(SNAPSHOTS)
  );
}

/** Takes our lines out again, and nothing else. */
export function includeSnapshots(project: string) {
  const file = excludeFile(project);
  const seen = file === undefined ? undefined : look(file);
  if (file === undefined || !seen) return;
  const text = readFileSync(file, "latin1");
  let rest = text;
  for (const line of [SNAPSHOTS, LOCAL_PAGE]) {
    const at = `\n${rest}`.indexOf(`\n${line}\n`);
    if (at >= 0) rest = rest.slice(0, at) + rest.slice(at + line.length + 1);
  }
  if (rest !== text) replaceFile(file, Buffer.from(rest, "latin1"), seen, 0o644);
}

/** True when the lines are there afterwards; false where there is no repository, or it cannot be written. */
export function excludeSnapshots(project: string, page: Page | "off") {
  const file = excludeFile(project);
  if (file === undefined) return false;
  try {
    const seen = look(file);
    const text = seen ? readFileSync(file, "latin1") : "";
    const known = new Set(excludeLines(text));
    const wanted = page === "CLAUDE.local.md" ? [SNAPSHOTS, LOCAL_PAGE] : [SNAPSHOTS];
    const missing = wanted.filter((line) => !known.has(line));
    if (missing.length === 0) return true;
    ensureFolder(path.dirname(file));
    const head = text === "" || text.endsWith("\n") ? text : `${text}\n`;
    return replaceFile(file, Buffer.from(`${head}${missing.join("\n")}\n`, "latin1"), seen, 0o644);
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return false;
  }
}

export interface SnapshotProvenance {
  /** This machine's key: a snapshot that is not sealed with it is foreign, and never loaded. */
  readonly key: Uint8Array | undefined;
  /** Names of the snapshots that the repository has among its files; unknown means that each may be. */
  readonly tracked: ReadonlySet<string> | undefined;
  /** Whether a foreign snapshot is met for the first time, and is to be spoken of. */
  readonly isFirstSight: (file: string) => boolean;
}

export async function provenanceOf(home: Home, project: string): Promise<SnapshotProvenance> {
  const key = readSnapshotKey(home);
  const hasForeign = listSnapshots(project, key).some(({ ours }) => !ours);
  return {
    key,
    // Git is asked only where the answer matters.
    tracked: hasForeign ? await trackedSnapshots(project) : new Set(),
    isFirstSight: (file) => isFirstEncounter(home, file),
  };
}
