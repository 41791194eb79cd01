// Where configuration files are, how they are read, and which project files the user trusts: content hashes by real path, in the user's data folder.

import { constants, existsSync, fstatSync, lstatSync, readFileSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import type { Home } from "../home/index.ts";
import {
  errorText,
  isObject,
  readJson,
  sha256,
  ThroughlineError,
  withFile,
  writeJson,
} from "../lib/index.ts";

export interface ConfigFile {
  readonly file: string;
  readonly exists: boolean;
  /** What is wrong with the place; the file is used anyway. */
  readonly problem?: string;
}

/** Larger files are refused: settings are small, and every command reads them. */
const MOST_PROJECT_FILE_BYTES = 256 * 1024;

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
export function readConfigText({ file, exists }: ConfigFile) {
  if (!exists) return "";
  const facts = readOrExplain(file, () => statSync(file));
  if (!facts.isFile()) {
    const what = facts.isDirectory() ? "a folder" : "not a regular file";
    throw new ThroughlineError(
      "not-a-file",
      `${file} is ${what}; a configuration file was expected`,
      `move ${file} away`,
    );
  }
  if (facts.size > MOST_PROJECT_FILE_BYTES) {
    const size = `${facts.size} bytes; at most ${MOST_PROJECT_FILE_BYTES} are read`;
    throw new ThroughlineError("config-invalid", `${file} has ${size}`, `make ${file} smaller`);
  }
  // Some editors write a byte-order mark, which is not JSON.
  return readOrExplain(file, () => readFileSync(file, "utf8")).replace(/^\uFEFF/, "");
}

function readOrExplain<T>(file: string, read: () => T) {
  try {
    return read();
  } catch (error) {
    throw new ThroughlineError("io-failed", `cannot read ${file}: ${errorText(error)}`, {
      fix: "check the permissions of the file",
      cause: error,
    });
  }
}

/**
 * `untrusted`: never trusted. `changed`: it was, with another content. `linked`: the file or its folder is a link.
 * `foreign`: it belongs to another user. The last two are never trusted.
 */
export type Trust = "trusted" | "untrusted" | "changed" | "linked" | "foreign";

/** Larger project files are refused. */
const MOST_TRUST_BYTES = 64 * 1024;

const recordFile = (home: Home) => path.join(home.data, "trusted-projects.json");

/** Digests by real path. An unreadable record trusts nothing. */
function readTrustRecord(home: Home) {
  const found = readJson(recordFile(home));
  const files = isObject(found) && isObject(found.files) ? found.files : {};
  return new Map(
    Object.entries(files).flatMap(([file, digest]) => (typeof digest === "string" ? [[file, digest]] : [])),
  );
}

const writeTrustRecord = (home: Home, files: ReadonlyMap<string, string>) =>
  writeJson(recordFile(home), { v: 1, files: Object.fromEntries(files) }, 2);

const isLink = (place: string) => lstatSync(place).isSymbolicLink();

/** Does not wait for a writer: the file may be a pipe. */
function readBounded(file: string) {
  return withFile(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0), (fd) => {
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.size > MOST_TRUST_BYTES) {
      throw new ThroughlineError(
        "not-a-file",
        `${file} is not a settings file of at most ${MOST_TRUST_BYTES} bytes`,
        `move ${file} away`,
      );
    }
    return { text: readFileSync(fd, "utf8").replace(/^\uFEFF/, ""), uid: stats.uid };
  });
}

/** The text of a project's file and whether exactly this text is trusted. */
export function readProjectText(
  home: Home,
  file: string,
): { readonly text: string; readonly digest: string; readonly trust: Trust } {
  const folder = path.dirname(file);
  const { text, uid } = readBounded(file);
  const digest = sha256(text);
  if (isLink(file) || isLink(folder)) return { text, digest, trust: "linked" };
  const own = process.getuid?.();
  if (own !== undefined && (uid !== own || lstatSync(folder).uid !== own))
    return { text, digest, trust: "foreign" };
  const known = readTrustRecord(home).get(realpathSync(file));
  if (known === undefined) return { text, digest, trust: "untrusted" };
  return { text, digest, trust: known === digest ? "trusted" : "changed" };
}

/** Throws for a file that can never be trusted. */
export function checkTrustable(file: string, trust: Trust) {
  if (trust !== "linked" && trust !== "foreign") return;
  const what = trust === "linked" ? "is reached by a link" : "belongs to another user";
  throw new ThroughlineError(
    "config-invalid",
    `${file} ${what}; such a file is never trusted`,
    `put a file of your own there, or set it in your own file: throughline config set KEY VALUE`,
  );
}

/** Trusts the file with this content only. */
export function trustContent(home: Home, file: string, digest: string) {
  writeTrustRecord(home, readTrustRecord(home).set(realpathSync(file), digest));
}

/** False when it was not trusted. */
export function untrust(home: Home, file: string) {
  const files = readTrustRecord(home);
  const isKnown = files.delete(realpathSync(file));
  if (isKnown) writeTrustRecord(home, files);
  return isKnown;
}
