// Where configuration files are, and reading them.
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { Home } from "../home/index.ts";
import { errorText, ThroughlineError } from "../lib/index.ts";

export interface ConfigFile {
  readonly file: string;
  readonly exists: boolean;
  /** What is wrong with the place, where that does not keep the file from being used. */
  readonly problem?: string;
}

/** A file of settings is small; one that is not would keep every reader busy. */
const MOST_BYTES = 256 * 1024;

interface ConfigFiles {
  readonly user: ConfigFile;
  /** The nearest one between the working folder and the root of its repository. */
  readonly project: ConfigFile;
}

function fileIn(folder: string): ConfigFile {
  const [jsonc, json] = [path.join(folder, "config.jsonc"), path.join(folder, "config.json")];
  const found = [jsonc, json].filter((file) => existsSync(file));
  if (found.length > 1) {
    throw new ThroughlineError("config-invalid", `${jsonc} and ${json} both exist`, {
      fix: "keep one of the two",
    });
  }
  return { file: found[0] ?? jsonc, exists: found.length > 0 };
}

/** The file of a project. What a repository delivers must not keep a command from running, so the first of two counts. */
export function projectFileIn(folder: string): ConfigFile {
  const [jsonc, json] = [path.join(folder, "config.jsonc"), path.join(folder, "config.json")];
  if (!existsSync(json)) return { file: jsonc, exists: existsSync(jsonc) };
  if (!existsSync(jsonc)) return { file: json, exists: true };
  return { file: jsonc, exists: true, problem: `${jsonc} and ${json} both exist; the first counts` };
}

/** `cwd` and its parents up to the root of the repository; outside a repository, `cwd` alone. */
function projectFolders(cwd: string): string[] {
  const folders: string[] = [];
  for (let folder = path.resolve(cwd); ; folder = path.dirname(folder)) {
    folders.push(folder);
    if (existsSync(path.join(folder, ".git"))) return folders;
    if (folder === path.dirname(folder)) return folders.slice(0, 1);
  }
}

export const userFile = (home: Home): ConfigFile => fileIn(home.config);

export function configFiles(home: Home, cwd: string): ConfigFiles {
  const candidates = projectFolders(cwd).map((folder) => projectFileIn(path.join(folder, ".throughline")));
  const [nearestProject, root] = [candidates.find(({ exists }) => exists), candidates.at(-1)];
  return {
    user: userFile(home),
    project: nearestProject ?? root ?? projectFileIn(path.join(cwd, ".throughline")),
  };
}

/** The text of a configuration file; a missing one is empty. Only a plain file is read: a pipe or a device never ends. */
export function readConfigText({ file, exists }: ConfigFile): string {
  if (!exists) return "";
  const facts = readable(file, () => statSync(file));
  if (!facts.isFile()) {
    const what = facts.isDirectory() ? "a folder" : "no plain file";
    throw new ThroughlineError("not-a-file", `${file} is ${what}; a configuration file was expected`, {
      fix: `move ${file} away`,
    });
  }
  if (facts.size > MOST_BYTES) {
    const size = `${facts.size} bytes; at most ${MOST_BYTES} are read`;
    throw new ThroughlineError("config-invalid", `${file} has ${size}`, { fix: `make ${file} smaller` });
  }
  // Some editors put a byte-order mark first; JSON knows none.
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
