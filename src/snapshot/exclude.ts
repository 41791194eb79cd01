// Keeps snapshots out of git's sight without touching a tracked file: a line in .git/info/exclude.
import { readFileSync } from "node:fs";
import path from "node:path";
import { ensureFolder, gitFolderOf, look, replaceFile, systemErrorCode } from "../lib/index.ts";

/** Snapshots wherever in the repository the agent was started, and what a killed writer may leave of them. */
const SNAPSHOTS = "**/.claude/*compact-snapshot-*";

/** True when the lines are there afterwards; false where there is no repository, or it cannot be written. */
export function excludeSnapshots(project: string, more: readonly string[] = []): boolean {
  const folder = gitFolderOf(project);
  if (folder === undefined) return false;
  const file = path.join(folder, "info", "exclude");
  try {
    const seen = look(file);
    const text = seen === undefined ? "" : readFileSync(file, "latin1");
    const known = new Set(text.split(/\r?\n/));
    const missing = [SNAPSHOTS, ...more].filter((line) => !known.has(line));
    if (missing.length === 0) return true;
    ensureFolder(path.dirname(file));
    const head = text === "" || text.endsWith("\n") ? text : `${text}\n`;
    return replaceFile(file, Buffer.from(`${head}${missing.join("\n")}\n`, "latin1"), seen, 0o644);
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
    return false;
  }
}
