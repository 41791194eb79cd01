// Folders in which nothing is captured: named plainly or by a glob, with everything below them.
import { realpathSync } from "node:fs";
import { matchesGlob } from "../lib/index.ts";

const foldsCase = process.platform === "win32" || process.platform === "darwin";

/** The names of a path, in the spelling in which paths are compared. */
function namesOf(folder: string): string[] {
  const plain = folder.replaceAll("\\", "/").replace(/\/+$/, "");
  return (foldsCase ? plain.toLowerCase() : plain).split("/");
}

/** Whether a folder is, or lies in, one of those that are excluded. */
export function isExcluded(folder: string, excluded: readonly string[]): boolean {
  const names = namesOf(folder);
  return excluded.some((entry) => matchesGlob(names, namesOf(entry)));
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
