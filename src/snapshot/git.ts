// What git says of a project: the branch, and the files that are changed and not committed.
import { execFile } from "node:child_process";

export interface GitState {
  readonly branch: string | undefined;
  /** Paths below the folder, with git's two letters for what became of each. */
  readonly changed: readonly { readonly path: string; readonly status: string }[];
}

const PATIENCE_MS = 1_000;
const MOST_OUTPUT = 4 * 1024 * 1024;

/** A repository may name programs that git would run; a look at the status needs none of them. */
const quietly = ["--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false"];

/** Undefined where there is no repository, no git, or no answer in a second. */
export function gitState(folder: string): Promise<GitState | undefined> {
  return new Promise((resolve) => {
    const command = [
      ...quietly,
      "status",
      "--porcelain=v1",
      "--branch",
      "-z",
      "--untracked-files=normal",
      "--",
      ".",
    ];
    const options = { cwd: folder, timeout: PATIENCE_MS, maxBuffer: MOST_OUTPUT, windowsHide: true };
    execFile("git", command, options, (error, stdout) => resolve(error ? undefined : readStatus(stdout)));
  });
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
