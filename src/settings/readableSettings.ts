// The settings that the worker goes by: the user's own, or those in effect in a folder of work.
import { type Config, type ConfigSources, loadConfig } from "../config/index.ts";
import type { Environment, Home } from "../home/index.ts";

/** The worker serves every project and so reads the file of none. Throws where the user's file cannot be read. */
export function userSettings(home: Home, env: Environment): Config {
  return loadConfig({ home, env }).values;
}

/**
 * Without a folder the user's own. Undefined where a file cannot be read, which is told elsewhere: the worker logs what is
 * wrong with the user's file, a command what is wrong with a project's.
 */
export function readableSettings(sources: ConfigSources): Config | undefined {
  try {
    return loadConfig(sources).values;
  } catch {
    return undefined;
  }
}
