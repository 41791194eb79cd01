// The settings for archives in a folder: a project chooses its group and names; where files go is the user's to say.
import { type Config, type ConfigSources, loadConfig } from "../config/index.ts";
import type { Environment, Home } from "../lib/index.ts";
import { neutralFolder } from "./settingsAccess.ts";

function valuesFor(sources: ConfigSources): Config["archive"] | undefined {
  try {
    return loadConfig(sources).values.archive;
  } catch {
    // Told elsewhere: the worker logs what is wrong with the user's file, a command what is wrong with a project's.
    return undefined;
  }
}

/** Without a folder, what holds everywhere. Undefined where the files cannot be read: then nothing is archived yet. */
export function archiveSettings(
  home: Home,
  env: Environment,
  flags: NonNullable<ConfigSources["flags"]> = {},
): (cwd?: string) => Config["archive"] | undefined {
  return (cwd) => {
    const user = valuesFor({ home, cwd: neutralFolder(home), env, flags });
    const project = cwd === undefined ? user : valuesFor({ home, cwd, env, flags });
    if (user === undefined || project === undefined) return undefined;
    // A file in somebody's repository must not decide where on this machine conversations are written.
    const { enabled, group, assistantName } = project;
    return { ...user, enabled, group, assistantName };
  };
}
