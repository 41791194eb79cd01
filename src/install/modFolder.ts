// The variable by which Claude Code is told to load our mod, shared with whoever else lists folders there.
import { delimiter } from "node:path";

/** The agent loads plugins from the folders that this variable lists; only in the user's own settings. */
export const PLUGIN_FOLDERS = "CLAUDE_CODE_PLUGIN_DIRS";

const ownMod = /(^|[\\/])plugin[\\/]mods[\\/]?$/;

const foldersIn = (value: unknown): string[] =>
  typeof value === "string" ? value.split(delimiter).filter((folder) => folder !== "") : [];

/** The folders in a value of the variable that are not ours. */
export function otherFolders(value: unknown): string[] {
  return foldersIn(value).filter((folder) => !ownMod.test(folder));
}

/** Our own among them. */
export function modFolderIn(value: unknown): string | undefined {
  return foldersIn(value).find((folder) => ownMod.test(folder));
}

/** The value with our folder in it, once, or without one with none of ours. Undefined where nothing is left. */
export function withMod(value: unknown, folder: string | undefined): unknown {
  if (folder === undefined && modFolderIn(value) === undefined) return value;
  const folders = [...otherFolders(value), ...(folder === undefined ? [] : [folder])];
  return folders.length === 0 ? undefined : folders.join(delimiter);
}
