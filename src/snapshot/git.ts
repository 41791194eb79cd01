// What git says of a project: the branch, and the files that are changed and not committed.
import path from "node:path";
import { runGit } from "../home/git.ts";
import { gitFolderOf } from "../home/index.ts";

export interface GitState {
  readonly branch: string | undefined;
  /** Paths below the folder, with git's two letters for what became of each. */
  readonly changed: readonly { readonly path: string; readonly status: string }[];
}

const PATIENCE_MS = 1_000;

const statusCommand = [
  ...["status", "--porcelain=v1", "--branch", "--no-ahead-behind", "-z"],
  // A submodule has a configuration of its own, which git would follow to see whether it is changed.
  ...["--untracked-files=normal", "--ignore-submodules=all", "--", "."],
];

/** Undefined where there is no repository, no git, or no answer in time. */
export async function gitState(folder: string): Promise<GitState | undefined> {
  if (gitFolderOf(folder) === undefined) return undefined;
  const output = await runGit(folder, statusCommand, PATIENCE_MS);
  return output === undefined ? undefined : readStatus(output);
}

/**
 * Names of the snapshots that the repository has among its files; empty outside of one. Undefined when git cannot say:
 * then each of them may be the repository's.
 */
export async function trackedSnapshots(project: string): Promise<ReadonlySet<string> | undefined> {
  if (gitFolderOf(project) === undefined) return new Set();
  const command = ["ls-files", "--cached", "-z", "--", ".claude"];
  const output = await runGit(project, command, PATIENCE_MS);
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
