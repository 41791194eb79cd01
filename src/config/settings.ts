// The settings derived from the schema (keys, environment variables, defaults, allowed values, the JSON Schema), and a JSONC text read into settings with their lines.

import { getNodeValue } from "jsonc-parser";
import { z } from "zod";
import { lineAt, type Node, parseDocument } from "../jsonc/index.ts";
import { defined, isObject, nearest, parseJson, ThroughlineError, usageError } from "../lib/index.ts";
import { configSchema, type ProjectKey, projectKeys } from "./schema.ts";

type SettingSchema = z.core.$ZodType;

export interface Setting {
  /** Dotted path in the file, such as `vault.maxBytes`. */
  readonly key: string;
  /** The environment variable that sets it. */
  readonly env: string;
  readonly description: string;
  readonly defaultValue: unknown;
  /** The allowed values, in words. */
  readonly allowed: string;
  /** How a project's file may set it; absent where it cannot. */
  readonly project?: ProjectKey;
}

const wrappers = [z.ZodDefault, z.ZodPrefault, z.ZodOptional, z.ZodExactOptional];

function unwrapped(schema: SettingSchema): SettingSchema {
  const wrapper = wrappers.find((kind) => schema instanceof kind);
  return wrapper && schema instanceof wrapper ? unwrapped(schema.unwrap()) : schema;
}

/** Whether a place has further keys rather than a value. */
function isBranch(schema: SettingSchema) {
  const inner = unwrapped(schema);
  return inner instanceof z.ZodObject || inner instanceof z.ZodRecord;
}

function childNames(schema: SettingSchema) {
  const inner = unwrapped(schema);
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}

function childOf(schema: SettingSchema, name: string): SettingSchema | undefined {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodRecord) return inner.valueType;
  return inner instanceof z.ZodObject && Object.hasOwn(inner.shape, name) ? inner.shape[name] : undefined;
}

/** `pipeline.toolResultLimit` → `THROUGHLINE_PIPELINE_TOOL_RESULT_LIMIT`. */
export function environmentName(key: string) {
  const words = key.replace(/([a-z0-9])([A-Z])/g, "$1_$2").replaceAll(".", "_");
  return `THROUGHLINE_${words.toUpperCase()}`;
}

/** A command names its flag after the last part of the key: `replay.ttl` → `--ttl`. */
export function flagName(key: string) {
  const last = key.slice(key.lastIndexOf(".") + 1);
  return `--${last.replace(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase()}`;
}

const typeWords: Readonly<Record<string, string>> = {
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

/** The allowed values in words: `en | zh`, `a whole number from 0`. */
function allowedAt(schema: SettingSchema) {
  const json = z.toJSONSchema(unwrapped(schema));
  if (json.enum) return json.enum.map(String).join(" | ");
  const types = [json.type].flat();
  const words = types.map((type) => typeWords[String(type)] ?? String(type)).join(" or ");
  if (isObject(json.items)) {
    const fields = Object.keys(json.items.properties ?? {});
    return fields.length > 0
      ? `${words} of { ${fields.join(", ")} }`
      : `${words} of ${typeWords[String(json.items.type)] ?? "values"}`;
  }
  if ((json.minLength ?? 0) > 0) return `${words} that is not empty`;
  const from = json.minimum === undefined ? "" : ` from ${json.minimum}`;
  const bounded = json.maximum !== undefined && json.maximum < Number.MAX_SAFE_INTEGER;
  return `${words}${from}${bounded ? ` to ${json.maximum}` : ""}`;
}

function accepts(schema: SettingSchema, value: unknown) {
  return z.safeParse(schema, value).success;
}

/** The value of a text from the command line or the environment. */
export function valueFromText(schema: SettingSchema, text: string): unknown {
  return accepts(schema, text) ? text : (parseJson(text) ?? text);
}

export function valueAt(values: unknown, path: readonly string[]) {
  let value = values;
  for (const name of path) value = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return value;
}

function collect(schema: z.ZodObject, path: readonly string[], defaults: unknown): Setting[] {
  return Object.entries(schema.shape).flatMap(([name, child]) => {
    const place = [...path, name];
    const inner = unwrapped(child);
    if (inner instanceof z.ZodObject) return collect(inner, place, defaults);
    const key = place.join(".");
    const project = projectKeys.get(child);
    return {
      key,
      env: environmentName(key),
      description: z.globalRegistry.get(child)?.description ?? "",
      defaultValue: valueAt(defaults, place),
      allowed: allowedAt(child),
      ...defined({ project }),
    };
  });
}

/** Every setting, in the order of the schema. */
export const settings: readonly Setting[] = collect(configSchema, [], configSchema.parse({}));

const settingKeys: readonly string[] = settings.map((setting) => setting.key);

/** The setting of a path; entries of a record belong to the record's setting. */
export function settingAt(path: readonly string[]): Setting | undefined {
  const name = path.join(".");
  return settings.find(({ key }) => name === key || name.startsWith(`${key}.`));
}

interface SettingPlace {
  readonly path: readonly string[];
  readonly schema: SettingSchema;
}

/** Splits the key of a record entry: ids may contain dots, so only a known field ends one. */
function recordPath(schema: SettingSchema, rest: readonly string[]) {
  const last = rest.at(-1) ?? "";
  const item = unwrapped(schema);
  const isField = rest.length > 1 && item instanceof z.ZodObject && Object.hasOwn(item.shape, last);
  return isField ? [rest.slice(0, -1).join("."), last] : [rest.join(".")];
}

function pathOf(key: string) {
  const parts = key.split(".");
  let schema: SettingSchema = configSchema;
  for (const [depth, name] of parts.entries()) {
    const inner = unwrapped(schema);
    if (inner instanceof z.ZodRecord)
      return [...parts.slice(0, depth), ...recordPath(inner.valueType, parts.slice(depth))];
    schema = childOf(inner, name) ?? z.never();
  }
  return parts;
}

/** Message and fix for an unknown key; `siblings` are keys beside it. */
function unknownKey(key: string, siblings: readonly string[] = []) {
  const inGroup = settingKeys.filter((known) => known.startsWith(`${key}.`));
  if (inGroup.length > 0)
    return { message: `${key} is a group of settings`, fix: `name one: ${inGroup.join(", ")}` };
  const last = key.slice(key.lastIndexOf(".") + 1);
  const meant =
    nearest(key, [...siblings, ...settingKeys]) ?? settingKeys.find((known) => known.endsWith(`.${last}`));
  return {
    message: `unknown setting ${key}${meant === undefined ? "" : `; did you mean ${meant}?`}`,
    fix: meant === undefined ? "`throughline config list` lists every setting" : `write ${meant} instead`,
  };
}

/** The place of a dotted key; `models.<id>` and `models.<id>.<field>` are places too. */
export function placeOf(key: string): SettingPlace {
  const path = pathOf(key);
  let schema: SettingSchema | undefined = configSchema;
  for (const name of path) schema = !schema || name === "" ? undefined : childOf(schema, name);
  if (!schema || settingKeys.some((known) => known.startsWith(`${key}.`))) {
    const { message, fix } = unknownKey(key);
    throw usageError(message, fix);
  }
  return { path, schema };
}

/** The JSON Schema of a configuration file. */
export function configJsonSchema(): object {
  const { $schema, properties, ...rest } = z.toJSONSchema(configSchema, { io: "input" });
  return {
    $schema,
    title: "Throughline configuration",
    ...rest,
    properties: { $schema: { type: "string" }, ...properties },
  };
}

/** One value that a source sets. */
export interface Entry {
  readonly path: readonly string[];
  readonly value: unknown;
  /** Line of the file, from 1. */
  readonly line: number;
}

interface DocumentReading {
  /** Throws, or records the problem; then the value is skipped. */
  readonly fail: (offset: number, message: string, fix?: string) => void;
  readonly lineOf: (offset: number) => number;
}

/** A value in an error message: one line, cut to 60 characters. */
function shortValue(value: unknown) {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function* walk(
  node: Node,
  schema: z.core.$ZodType,
  path: readonly string[],
  reading: DocumentReading,
): Generator<Entry> {
  const key = path.join(".") || "the file";
  if (!isBranch(schema)) {
    const value: unknown = getNodeValue(node);
    if (!accepts(schema, value))
      return reading.fail(node.offset, `${key} must be ${allowedAt(schema)}, not ${shortValue(value)}`);
    yield { path, value, line: reading.lineOf(node.offset) };
    return;
  }
  if (node.type !== "object")
    return reading.fail(node.offset, `${key} must be an object, not ${shortValue(getNodeValue(node))}`);
  const seen = new Set<string>();
  for (const property of node.children ?? []) {
    const [nameNode, valueNode] = property.children ?? [];
    if (!nameNode || !valueNode) continue;
    const name = String(nameNode.value);
    const place = [...path, name];
    if (seen.has(name)) {
      reading.fail(property.offset, `${place.join(".")} is set twice`, "keep one of the two");
      continue;
    }
    seen.add(name);
    // This key is for editors and is not a setting.
    if (path.length === 0 && name === "$schema") continue;
    const child = name === "" ? undefined : childOf(schema, name);
    if (child) yield* walk(valueNode, child, place, reading);
    else {
      const siblings = childNames(schema).map((sibling) => [...path, sibling].join("."));
      const { message, fix } = unknownKey(place.join("."), siblings);
      reading.fail(property.offset, message, fix);
    }
  }
}

function* walkText(text: string, reading: DocumentReading) {
  const { tree, error } = parseDocument(text);
  if (error) reading.fail(error.offset, `not valid JSON with comments (${error.words})`);
  else if (tree) yield* walk(tree, configSchema, [], reading);
}

/** Every value that a text sets. Throws `config-invalid` for the first problem. */
export function readDocument(text: string, file: string): Entry[] {
  const lineOf = (offset: number) => lineAt(text, offset);
  const fail = (offset: number, message: string, fix?: string) => {
    throw new ThroughlineError(
      "config-invalid",
      `${file}:${lineOf(offset)}: ${message}`,
      fix ?? `edit line ${lineOf(offset)} of ${file}`,
    );
  };
  return [...walkText(text, { fail, lineOf })];
}

/** Reading a file of a repository stops after this many problems. */
const MOST_PROBLEMS = 20;

/** The valid values of a text, and the problems of the others by line. */
export function readUsable(text: string): { readonly entries: Entry[]; readonly problems: string[] } {
  const lineOf = (offset: number) => lineAt(text, offset);
  const [entries, problems]: [Entry[], string[]] = [[], []];
  const tooMany = new Error("too many problems");
  const fail: DocumentReading["fail"] = (offset, message) => {
    problems.push(`line ${lineOf(offset)}: ${message}`);
    if (problems.length === MOST_PROBLEMS) throw tooMany;
  };
  try {
    for (const entry of walkText(text, { fail, lineOf })) entries.push(entry);
  } catch (stopped) {
    if (stopped !== tooMany) throw stopped;
  }
  return { entries, problems };
}

/**
 * The values that a text sets at a place. `name` is the variable or flag it came from, for error messages; without one
 * the text was typed for this setting.
 */
export function readText(text: string, place: SettingPlace, name?: string): Entry[] {
  const fail: DocumentReading["fail"] = (_offset, message) => {
    throw new ThroughlineError(
      "config-invalid",
      name === undefined ? message : `${name}: ${message}`,
      name === undefined ? "give an allowed value" : `change or remove ${name}`,
    );
  };
  const { tree } = parseDocument(JSON.stringify(valueFromText(place.schema, text)));
  return tree ? [...walk(tree, place.schema, place.path, { fail, lineOf: () => 1 })] : [];
}
