// What a command takes from its process: folders, working folder, environment, and the settings they give.
import { type ConfigSources, type LoadedConfig, loadConfig } from "../config/index.ts";
import { type Home, resolveHome } from "../home/index.ts";

export interface Surroundings {
  readonly home: Home;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export function surroundings(): Surroundings {
  return { home: resolveHome(), cwd: process.cwd(), env: process.env };
}

/** The settings in effect; `flags` are texts from the command line by key. */
export function currentConfig(flags: NonNullable<ConfigSources["flags"]> = {}): LoadedConfig {
  return loadConfig({ ...surroundings(), flags });
}

/** The settings of the user alone, for what a file in somebody's repository must not decide. */
export function ownConfig(flags: NonNullable<ConfigSources["flags"]> = {}): LoadedConfig {
  const { home, env } = surroundings();
  return loadConfig({ home, env, flags });
}
