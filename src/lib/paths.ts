// Where things live: XDG folders (or their Windows kin), all moved by THROUGHLINE_HOME.
import { homedir } from "node:os";
import path from "node:path";
import { sha256 } from "./ids.ts";

export interface Home {
  /** Settings the user edits. */
  readonly config: string;
  /** What must not be lost: vault, ledgers, database, archive. */
  readonly data: string;
  /** What can be rebuilt or thrown away: sockets, logs, locks. */
  readonly state: string;
}

export interface HomeSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly homeFolder: string;
}

const systemSources = (): HomeSources => ({
  env: process.env,
  platform: process.platform,
  homeFolder: homedir(),
});

export function resolveHome(sources: HomeSources = systemSources()): Home {
  const { env, platform, homeFolder } = sources;
  const join = platform === "win32" ? path.win32.join : path.posix.join;
  const override = env.THROUGHLINE_HOME;
  if (override)
    return { config: join(override, "config"), data: join(override, "data"), state: join(override, "state") };
  if (platform === "win32") {
    const local = env.LOCALAPPDATA || join(homeFolder, "AppData", "Local");
    const base = join(local, "throughline");
    return { config: join(base, "config"), data: join(base, "data"), state: join(base, "state") };
  }
  const xdg = (name: string, fallback: string): string =>
    join(env[name] || join(homeFolder, fallback), "throughline");
  return {
    config: xdg("XDG_CONFIG_HOME", ".config"),
    data: xdg("XDG_DATA_HOME", join(".local", "share")),
    state: xdg("XDG_STATE_HOME", join(".local", "state")),
  };
}

const LONGEST_NAME = 120;
const DIGEST_DIGITS = 8;

/**
 * A name that is safe as one path component everywhere: no separators, no reserved names, at most 120 bytes.
 * A name that is safe already stays as it is; any other ends with digits of its hash, so that no two names meet.
 */
export function safeName(name: string): string {
  const cleaned = name
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, "-")
    .replace(/^[.-]+|[.-]+$/g, "");
  const reserved = cleaned === "" || /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(cleaned);
  if (cleaned === name && !reserved && Buffer.byteLength(name) <= LONGEST_NAME) return name;
  const digest = `-${sha256(name).slice(0, DIGEST_DIGITS)}`;
  return beginning(reserved ? `_${cleaned}` : cleaned, LONGEST_NAME - digest.length) + digest;
}

/** As many whole characters as fit into so many bytes. */
function beginning(text: string, bytes: number): string {
  let room = bytes;
  let end = 0;
  for (const character of text) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    end += character.length;
  }
  return text.slice(0, end);
}
