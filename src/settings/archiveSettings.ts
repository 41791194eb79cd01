// The settings for archives in a folder: a project chooses its group and names; where files go is the user's to say.
import type { Config, ConfigSources } from "../config/index.ts";
import type { Environment, Home } from "../home/index.ts";
import { readableSettings } from "./readableSettings.ts";

/** Without a folder, what holds everywhere. Undefined where the files cannot be read: then nothing is archived yet. */
export function archiveSettings(
  home: Home,
  env: Environment,
  flags: NonNullable<ConfigSources["flags"]> = {},
): (cwd?: string) => Config["archive"] | undefined {
  return (cwd) => {
    const user = readableSettings({ home, env, flags })?.archive;
    const project = cwd === undefined ? user : readableSettings({ home, cwd, env, flags })?.archive;
    if (user === undefined || project === undefined) return undefined;
    // A file in somebody's repository must not decide where on this machine conversations are written.
    const { enabled, group, assistantName } = project;
    return { ...user, enabled, group, assistantName };
  };
}
