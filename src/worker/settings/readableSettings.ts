// The settings that the worker goes by: the user's own, or those in effect in a folder of work.
import path from "node:path";
import { type Config, type ConfigSources, loadConfig } from "../../config/index.ts";
import type { Environment, Home } from "../../lib/index.ts";

/** The worker serves every project and so reads the file of none: it stands in no folder of work. */
export function neutralFolder(home: Home): string {
  return path.parse(path.resolve(home.state)).root;
}

/** Throws where the user's file cannot be read. */
export function userSettings(home: Home, env: Environment): Config {
  return loadConfig({ home, cwd: neutralFolder(home), env }).values;
}

/**
 * Without a folder the user's own. Undefined where a file cannot be read, which is told elsewhere: the worker logs what is
 * wrong with the user's file, a command what is wrong with a project's.
 */
export function readableSettings(
  sources: Omit<ConfigSources, "cwd"> & { readonly cwd?: string | undefined },
): Config | undefined {
  try {
    return loadConfig({ ...sources, cwd: sources.cwd ?? neutralFolder(sources.home) }).values;
  } catch {
    return undefined;
  }
}
