// The folders of an installation: XDG folders or their Windows counterparts; THROUGHLINE_HOME replaces them all.
import { homedir } from "node:os";
import path from "node:path";
import { sha256 } from "../lib/index.ts";

/** The folders in which Throughline keeps its files. */
export interface Home {
  /** Settings the user edits. */
  readonly config: string;
  /** What must not be lost: vault, ledgers, database, archive. */
  readonly data: string;
  /** What can be rebuilt or thrown away: sockets, logs, locks. */
  readonly state: string;
}

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the folders are taken from: variables, platform and home folder; those of this process without them. */
interface HomeSources {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  readonly homeFolder: string;
}

const systemSources = (): HomeSources => ({
  env: process.env,
  platform: process.platform,
  homeFolder: homedir(),
});

/** Not path.join: its first call costs a hook more time than the rest of this function. */
function inFolder(folder: string, name: string, separator: string) {
  return folder.endsWith(separator) ? folder + name : folder + separator + name;
}

/** The folders for this user: below `THROUGHLINE_HOME`, else `%LOCALAPPDATA%` on Windows, else the XDG folders. */
export function resolveHome(sources: HomeSources = systemSources()): Home {
  const { env, platform, homeFolder } = sources;
  const separator = platform === "win32" ? "\\" : "/";
  const below = (folder: string): Home => ({
    config: inFolder(folder, "config", separator),
    data: inFolder(folder, "data", separator),
    state: inFolder(folder, "state", separator),
  });
  if (env.THROUGHLINE_HOME) return below(env.THROUGHLINE_HOME);
  if (platform === "win32") {
    const local = env.LOCALAPPDATA || inFolder(homeFolder, "AppData\\Local", separator);
    return below(inFolder(local, "throughline", separator));
  }
  const xdg = (name: string, fallback: string) =>
    inFolder(env[name] || inFolder(homeFolder, fallback, separator), "throughline", separator);
  return {
    config: xdg("XDG_CONFIG_HOME", ".config"),
    data: xdg("XDG_DATA_HOME", ".local/share"),
    state: xdg("XDG_STATE_HOME", ".local/state"),
  };
}

const LONGEST_SAFE_NAME = 120;
const DIGEST_DIGITS = 8;

/**
 * A name that is safe as one path component everywhere: no separators, no reserved names, at most 120 bytes.
 * A name that is safe already stays as it is; any other ends with digits of its hash, so that no two names meet.
 */
export function safeName(name: string) {
  const cleaned = name
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, "-")
    .replace(/^[.-]+|[.-]+$/g, "");
  const reserved = cleaned === "" || /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(cleaned);
  if (cleaned === name && !reserved && Buffer.byteLength(name) <= LONGEST_SAFE_NAME) return name;
  const digest = `-${sha256(name).slice(0, DIGEST_DIGITS)}`;
  return beginningWithin(reserved ? `_${cleaned}` : cleaned, LONGEST_SAFE_NAME - digest.length) + digest;
}

/** As many whole characters as fit into so many bytes. */
function beginningWithin(text: string, bytes: number) {
  let room = bytes;
  let end = 0;
  for (const character of text) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** Configuration folders of Claude Code: CLAUDE_CONFIG_DIR, and the default, which may hold older sessions. */
export function claudeFolders(env: Environment, homeFolder: string = env.HOME || homedir()) {
  const folders = [env.CLAUDE_CONFIG_DIR ?? "", path.join(homeFolder, ".claude")];
  return [...new Set(folders.filter((folder) => folder !== "").map((folder) => path.resolve(folder)))];
}
