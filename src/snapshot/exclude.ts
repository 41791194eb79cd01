// Keeps snapshots out of git's sight without touching a tracked file: a line in .git/info/exclude.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { gitFolderOf } from "../home/index.ts";
import { ensureFolder, look, replaceFile, systemErrorCode } from "../lib/index.ts";

/** Snapshots wherever in the repository the agent was started, and what a killed writer may leave of them. */
const SNAPSHOTS = "**/.claude/*compact-snapshot-*";

function excludeFile(project: string): string | undefined {
  const folder = gitFolderOf(project);
  return folder === undefined ? undefined : path.join(folder, "info", "exclude");
}

const linesIn = (text: string): string[] => text.split(/\r?\n/);

export function excludesSnapshots(project: string): boolean {
  const file = excludeFile(project);
  return file !== undefined && existsSync(file) && linesIn(readFileSync(file, "latin1")).includes(SNAPSHOTS);
}

/** Takes our line out again, and nothing else. */
export function includeSnapshots(project: string): void {
  const file = excludeFile(project);
  const seen = file === undefined ? undefined : look(file);
  if (file === undefined || seen === undefined) return;
  const text = readFileSync(file, "latin1");
  const at = text.indexOf(`${SNAPSHOTS}\n`);
  if (!linesIn(text).includes(SNAPSHOTS) || at < 0) return;
  const rest = text.slice(0, at) + text.slice(at + SNAPSHOTS.length + 1);
  replaceFile(file, Buffer.from(rest, "latin1"), seen, 0o644);
}

/** True when the lines are there afterwards; false where there is no repository, or it cannot be written. */
export function excludeSnapshots(project: string, more: readonly string[] = []): boolean {
  const file = excludeFile(project);
  if (file === undefined) return false;
  try {
    const seen = look(file);
    const text = seen === undefined ? "" : readFileSync(file, "latin1");
    const known = new Set(linesIn(text));
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
