// What a command takes from its process: data folders, working folder, environment, the settings that result, and the database.
import path from "node:path";
import { type ConfigSources, type LoadedConfig, loadConfig } from "../config/index.ts";
import { databaseFile, type Home, projectOf, resolveHome } from "../home/index.ts";
import { defined, notFoundError, usageError } from "../lib/index.ts";
import { openStore, type Scope, type Store, type UpkeepStore } from "../store/index.ts";
import { time, value } from "./command.ts";

export interface CommandContext {
  readonly home: Home;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export function commandContext(): CommandContext {
  return { home: resolveHome(), cwd: process.cwd(), env: process.env };
}

/** The settings in effect. */
export function currentConfig(): LoadedConfig {
  return loadConfig(commandContext());
}

/** The user's own settings only, for what a file in a repository must not decide; `flags` are values from the command line, by key. */
export function ownConfig(flags: NonNullable<ConfigSources["flags"]> = {}): LoadedConfig {
  const { home, env } = commandContext();
  return loadConfig({ home, env, flags });
}

/** `mode` says how it is opened: for reading only, for changes, or created where there is none. */
export async function withDatabase<T>(
  use: (store: Store) => Promise<T>,
  mode: "read" | "write" | "create" = "write",
): Promise<T> {
  const file = databaseFile(resolveHome());
  const store = await openStore({ file, mustExist: mode !== "create", readOnly: mode === "read" });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

export const scopeArgs = {
  session: value("id", "only this session"),
  project: value("name", "only this project: its id, its name or a folder; `.` is this one"),
  from: time("from this day or time on"),
  to: time("before this day or time"),
};

/** The scope that the arguments name, with the project as its id. */
export async function scopeFrom(
  store: Pick<UpkeepStore, "stats">,
  { session, project, from, to }: { [name in keyof typeof scopeArgs]?: string | undefined },
): Promise<Scope> {
  const id = project === undefined ? undefined : await projectId(store, project);
  return defined({ session, project: id, from, to });
}

async function projectId(store: Pick<UpkeepStore, "stats">, wanted: string) {
  if (/^\.{1,2}$|[/\\]/.test(wanted)) return projectOf(path.resolve(commandContext().cwd, wanted)).id;
  const known = (await store.stats()).projects.map(({ project }) => project);
  if (known.includes(wanted)) return wanted;
  const [only, another] = known.filter((id) => id.replace(/-[0-9a-f]{8}$/, "") === wanted);
  if (only === undefined) throw notFoundError(`no project ${wanted} is stored`, "give its folder or its id");
  if (another === undefined) return only;
  throw usageError(`several projects are named ${wanted}`, `name one: ${only}, ${another}`);
}
