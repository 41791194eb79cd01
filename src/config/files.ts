// Where configuration files are, and reading them.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { errorText, type Home, systemErrorCode, ThroughlineError } from "../lib/index.ts";

export interface ConfigFile {
  readonly file: string;
  readonly exists: boolean;
}

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

/** `cwd` and its parents up to the root of the repository; outside a repository, `cwd` alone. */
function projectFolders(cwd: string): string[] {
  const folders: string[] = [];
  for (let folder = path.resolve(cwd); ; folder = path.dirname(folder)) {
    folders.push(folder);
    if (existsSync(path.join(folder, ".git"))) return folders;
    if (folder === path.dirname(folder)) return folders.slice(0, 1);
  }
}

export function configFiles(home: Home, cwd: string): ConfigFiles {
  const candidates = projectFolders(cwd).map((folder) => fileIn(path.join(folder, ".throughline")));
  const [nearestProject, root] = [candidates.find(({ exists }) => exists), candidates.at(-1)];
  return {
    user: fileIn(home.config),
    project: nearestProject ?? root ?? fileIn(path.join(cwd, ".throughline")),
  };
}

/** The text of a configuration file; a missing one is empty. */
export function readConfigText({ file, exists }: ConfigFile): string {
  if (!exists) return "";
  try {
    // Some editors put a byte-order mark first; JSON knows none.
    return readFileSync(file, "utf8").replace(/^\uFEFF/, "");
  } catch (error) {
    if (systemErrorCode(error) === "EISDIR") {
      throw new ThroughlineError("not-a-file", `${file} is a folder; a configuration file was expected`, {
        fix: `move the folder ${file} away`,
      });
    }
    throw new ThroughlineError("io-failed", `cannot read ${file}: ${errorText(error)}`, {
      fix: "check the permissions of the file",
      cause: error,
    });
  }
}
