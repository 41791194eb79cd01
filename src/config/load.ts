// Puts the sources together: flags over environment over what counts of the project file over user file over defaults.
import type { Environment, Home } from "../home/index.ts";
import { isObject, ThroughlineError } from "../lib/index.ts";
import { type Entry, readDocument, readText } from "./document.ts";
import { type ConfigFile, readConfigText, userFile } from "./files.ts";
import { type ProjectSettings, readProject } from "./project.ts";
import { type Config, configSchema } from "./schema.ts";
import { flagName, placeOf, settings, valueAt } from "./settings.ts";

type Origin =
  | { readonly source: "default" }
  | { readonly source: "user" | "project"; readonly file: string; readonly line: number }
  | { readonly source: "env"; readonly name: string }
  | { readonly source: "flag"; readonly name: string };

export interface SettingOrigin {
  readonly key: string;
  readonly value: unknown;
  readonly origin: Origin;
}

export interface ConfigSources {
  readonly home: Home;
  /** The folder whose project counts; without one, none does. */
  readonly cwd?: string | undefined;
  readonly env: Environment;
  /** Texts from the command line, by key. */
  readonly flags?: Readonly<Record<string, string | undefined>>;
}

export interface LoadedConfig {
  readonly values: Config;
  /** Every setting in effect and where it comes from, in the order of the schema. */
  readonly origins: readonly SettingOrigin[];
  /** The project's file and what of it does not count; absent where there is none. */
  readonly project?: ProjectSettings;
}

interface Sourced extends Entry {
  readonly origin: Origin;
}

function fromUser(configFile: ConfigFile): Sourced[] {
  const { file } = configFile;
  return readDocument(readConfigText(configFile), file).map((entry) => ({
    ...entry,
    origin: { source: "user", file, line: entry.line },
  }));
}

/** What a project excludes is excluded beside whatever else is. */
const adds = ({ path }: Entry): boolean => path.join(".") === "capture.exclude";

/** An empty variable counts as none: it is how a shell takes one away for a single command. */
function fromEnvironment(env: ConfigSources["env"]): Sourced[] {
  return settings.flatMap(({ key, env: name }) => {
    const text = env[name];
    if (text === undefined || text === "") return [];
    return readText(text, placeOf(key), name).map((entry) => ({ ...entry, origin: { source: "env", name } }));
  });
}

function fromFlags(flags: NonNullable<ConfigSources["flags"]>): Sourced[] {
  return Object.entries(flags).flatMap(([key, text]) => {
    if (text === undefined) return [];
    const name = flagName(key);
    return readText(text, placeOf(key), name).map((entry) => ({
      ...entry,
      origin: { source: "flag", name },
    }));
  });
}

/** Later entries win. Objects without a prototype: a model may be called anything. */
function assemble(entries: Iterable<Entry>): object {
  const root: Record<string, unknown> = Object.create(null);
  for (const { path, value } of entries) {
    let target = root;
    for (const name of path.slice(0, -1)) {
      const next = target[name];
      const branch: Record<string, unknown> = isObject(next) ? next : Object.create(null);
      target[name] = branch;
      target = branch;
    }
    target[path.at(-1) ?? ""] = value;
  }
  return root;
}

function originsOf(winners: ReadonlyMap<string, Sourced>): SettingOrigin[] {
  return settings.flatMap(({ key, defaultValue }) => {
    const set = [...winners].filter(([name]) => name === key || name.startsWith(`${key}.`));
    if (set.length === 0) return { key, value: defaultValue, origin: { source: "default" } };
    return set.map(([name, { value, origin }]) => ({ key: name, value, origin }));
  });
}

/** Reads every source. Throws a `ThroughlineError` that names the file and line, variable or flag at fault. */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const { home, cwd, env, flags = {} } = sources;
  const { entries, settings } = cwd === undefined ? { entries: [] } : readProject(home, cwd);
  const project = entries.map(
    (entry): Sourced => ({ ...entry, origin: { source: "project", file: entry.file, line: entry.line } }),
  );
  const winners = new Map<string, Sourced>();
  for (const entry of [
    ...fromUser(userFile(home)),
    ...project.filter((one) => !adds(one)),
    ...fromEnvironment(env),
    ...fromFlags(flags),
  ]) {
    winners.set(entry.path.join("."), entry);
  }
  for (const entry of project.filter(adds)) {
    const key = entry.path.join(".");
    winners.set(key, { ...entry, value: [winners.get(key)?.value ?? [], entry.value].flat() });
  }
  return {
    values: configSchema.parse(assemble(winners.values())),
    origins: originsOf(winners),
    ...(settings === undefined ? {} : { project: settings }),
  };
}

/** Corrections to the model table from a file of their own, held to what the setting `models` allows. */
export function readModelOverrides(text: string, file: string): Config["models"] {
  return configSchema.parse(assemble(readDocument(`{"models":${text}\n}`, file))).models;
}

export function describeOrigin(origin: Origin): string {
  if (origin.source === "default") return "default";
  return "file" in origin ? `${origin.file}:${origin.line}` : origin.name;
}

/** One value in effect. Throws `usage` for a key there is not, `not-found` for one that nothing sets. */
export function readSetting({ values }: LoadedConfig, key: string): unknown {
  const value = valueAt(values, placeOf(key).path);
  if (value !== undefined) return value;
  throw new ThroughlineError("not-found", `${key} is not set`, {
    fix: `\`throughline config set ${key} VALUE\` sets it`,
  });
}
