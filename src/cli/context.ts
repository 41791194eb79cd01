// What a command takes from its process: data folders, working folder, environment, and the settings that result.
import { type ConfigSources, type LoadedConfig, loadConfig } from "../config/index.ts";
import { type Home, resolveHome } from "../home/index.ts";

export interface CommandContext {
  readonly home: Home;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export function commandContext(): CommandContext {
  return { home: resolveHome(), cwd: process.cwd(), env: process.env };
}

/** The settings in effect; `flags` are values from the command line, by key. */
export function currentConfig(flags: NonNullable<ConfigSources["flags"]> = {}): LoadedConfig {
  return loadConfig({ ...commandContext(), flags });
}

/** The user's own settings only, for what a file in a repository must not decide. */
export function ownConfig(flags: NonNullable<ConfigSources["flags"]> = {}): LoadedConfig {
  const { home, env } = commandContext();
  return loadConfig({ home, env, flags });
}
