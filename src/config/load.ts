// Merges the sources: flags over environment over project file over user file over defaults.
import type { Environment, Home } from "../home/index.ts";
import { defined, isObject, notFoundError } from "../lib/index.ts";
import { type ProjectSettings, readProject } from "./edit.ts";
import { type Config, configSchema } from "./schema.ts";
import { type Entry, flagName, placeOf, readDocument, readText, settings, valueAt } from "./settings.ts";
import { readConfigText, userFile } from "./trust.ts";

type ValueOrigin =
  | { readonly source: "default" }
  | { readonly source: "user" | "project"; readonly file: string; readonly line: number }
  | { readonly source: "env" | "flag"; readonly name: string };

export interface SettingOrigin {
  readonly key: string;
  readonly value: unknown;
  readonly origin: ValueOrigin;
}

export interface ConfigSources {
  readonly home: Home;
  /** The folder whose project file is read; without one, none is. */
  readonly cwd?: string | undefined;
  readonly env: Environment;
  /** Values from the command line, by key. */
  readonly flags?: Readonly<Record<string, string | undefined>>;
}

export interface LoadedConfig {
  readonly values: Config;
  /** Every setting in effect and where it comes from, in the order of the schema. */
  readonly origins: readonly SettingOrigin[];
  /** The project's file and its ignored values; absent where there is none. */
  readonly project?: ProjectSettings;
}

interface Sourced extends Entry {
  readonly origin: ValueOrigin;
}

/** The exclusions of a project are added to the others. */
const adds = ({ path }: Entry) => path.join(".") === "capture.exclude";

function fromText(key: string, text: string | undefined, source: "env" | "flag", name: string): Sourced[] {
  if (text === undefined) return [];
  return readText(text, placeOf(key), name).map((entry) => ({ ...entry, origin: { source, name } }));
}

/** Later entries win. Objects without a prototype, because a model may have any name. */
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
  const { entries, settings: ofProject } = cwd === undefined ? { entries: [] } : readProject(home, cwd);
  const fromFile = (source: "user" | "project", file: string, entry: Entry): Sourced => ({
    ...entry,
    origin: { source, file, line: entry.line },
  });
  const own = userFile(home);
  const project = entries.map((entry) => fromFile("project", entry.file, entry));
  const winners = new Map<string, Sourced>();
  for (const entry of [
    ...readDocument(readConfigText(own), own.file).map((entry) => fromFile("user", own.file, entry)),
    ...project.filter((one) => !adds(one)),
    // An empty variable is ignored: it is how a shell unsets one for a single command.
    ...settings.flatMap(({ key, env: name }) => fromText(key, env[name] || undefined, "env", name)),
    ...Object.entries(flags).flatMap(([key, text]) => fromText(key, text, "flag", flagName(key))),
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
    ...defined({ project: ofProject }),
  };
}

/** Model overrides from a separate file, validated like the setting `models`. */
export function readModelOverrides(text: string, file: string): Config["models"] {
  return configSchema.parse(assemble(readDocument(`{"models":${text}\n}`, file))).models;
}

export function describeOrigin(origin: ValueOrigin) {
  if (origin.source === "default") return "default";
  return "file" in origin ? `${origin.file}:${origin.line}` : origin.name;
}

/** One value in effect. Throws `usage` for an unknown key, `not-found` for one that is not set. */
export function readSetting({ values }: LoadedConfig, key: string): unknown {
  const value = valueAt(values, placeOf(key).path);
  if (value !== undefined) return value;
  throw notFoundError(`${key} is not set`, `\`throughline config set ${key} VALUE\` sets it`);
}
