// Where configuration files are, and how they are read.
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { Home } from "../home/index.ts";
import { errorText, ThroughlineError } from "../lib/index.ts";

export interface ConfigFile {
  readonly file: string;
  readonly exists: boolean;
  /** What is wrong with the place; the file is used anyway. */
  readonly problem?: string;
}

/** Larger files are refused: settings are small, and every command reads them. */
const MOST_BYTES = 256 * 1024;

/** The file of a project. If both names exist the first is used: a repository must not be able to stop a command. */
export function projectFileIn(folder: string): ConfigFile {
  const [jsonc, json] = [path.join(folder, "config.jsonc"), path.join(folder, "config.json")];
  if (!existsSync(json)) return { file: jsonc, exists: existsSync(jsonc) };
  if (!existsSync(jsonc)) return { file: json, exists: true };
  return { file: jsonc, exists: true, problem: `${jsonc} and ${json} both exist; the first one is used` };
}

/** `cwd` and its parents up to the root of the repository; outside a repository, `cwd` only. */
function projectFolders(cwd: string) {
  const folders: string[] = [];
  for (let folder = path.resolve(cwd); ; folder = path.dirname(folder)) {
    folders.push(folder);
    if (existsSync(path.join(folder, ".git"))) return folders;
    if (folder === path.dirname(folder)) return folders.slice(0, 1);
  }
}

export function userFile(home: Home): ConfigFile {
  const found = projectFileIn(home.config);
  if (found.problem === undefined) return found;
  throw new ThroughlineError("config-invalid", found.problem.replace(/;.*/, ""), "keep one of the two");
}

/** `project` is the nearest file from the working folder up to the root of its repository, or the one to create in the root. */
export function configFiles(home: Home, cwd: string): { user: ConfigFile; project: ConfigFile } {
  const folders = projectFolders(cwd);
  const files = folders.map((folder) => projectFileIn(path.join(folder, ".throughline")));
  const inRoot = projectFileIn(path.join(folders.at(-1) ?? cwd, ".throughline"));
  return { user: userFile(home), project: files.find(({ exists }) => exists) ?? inRoot };
}

/** The text of a configuration file; a missing one is empty. Only a regular file is read: a pipe or a device never ends. */
export function readConfigText({ file, exists }: ConfigFile): string {
  if (!exists) return "";
  const facts = readable(file, () => statSync(file));
  if (!facts.isFile()) {
    const what = facts.isDirectory() ? "a folder" : "not a regular file";
    throw new ThroughlineError(
      "not-a-file",
      `${file} is ${what}; a configuration file was expected`,
      `move ${file} away`,
    );
  }
  if (facts.size > MOST_BYTES) {
    const size = `${facts.size} bytes; at most ${MOST_BYTES} are read`;
    throw new ThroughlineError("config-invalid", `${file} has ${size}`, `make ${file} smaller`);
  }
  // Some editors write a byte-order mark, which is not JSON.
  return readable(file, () => readFileSync(file, "utf8")).replace(/^\uFEFF/, "");
}

function readable<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new ThroughlineError("io-failed", `cannot read ${file}: ${errorText(error)}`, {
      fix: "check the permissions of the file",
      cause: error,
    });
  }
}
