// Reads a JSONC text into settings with their lines; reports what does not fit the schema by line and key.
import { getNodeValue } from "jsonc-parser";
import type { z } from "zod";
import { lineAt, type Node, parseDocument } from "../jsonc/index.ts";
import { ThroughlineError } from "../lib/index.ts";
import { configSchema } from "./schema.ts";
import {
  accepts,
  allowedAt,
  childNames,
  childOf,
  isBranch,
  type Place,
  unknownKey,
  valueFromText,
} from "./settings.ts";

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
function shown(value: unknown) {
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
    if (!accepts(schema, value)) {
      return reading.fail(node.offset, `${key} must be ${allowedAt(schema)}, not ${shown(value)}`);
    }
    yield { path, value, line: reading.lineOf(node.offset) };
    return;
  }
  if (node.type !== "object") {
    return reading.fail(node.offset, `${key} must be an object, not ${shown(getNodeValue(node))}`);
  }
  const seen = new Set<string>();
  for (const property of node.children ?? []) {
    const [nameNode, valueNode] = property.children ?? [];
    if (nameNode === undefined || valueNode === undefined) continue;
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
    if (child !== undefined) yield* walk(valueNode, child, place, reading);
    else {
      const siblings = childNames(schema).map((sibling) => [...path, sibling].join("."));
      const { message, fix } = unknownKey(place.join("."), siblings);
      reading.fail(property.offset, message, fix);
    }
  }
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
  const { tree, error } = parseDocument(text);
  if (error !== undefined) fail(error.offset, `not valid JSON with comments (${error.words})`);
  return tree === undefined ? [] : [...walk(tree, configSchema, [], { fail, lineOf })];
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
  const { tree, error } = parseDocument(text);
  if (error !== undefined) fail(error.offset, `not valid JSON with comments (${error.words})`);
  try {
    if (tree !== undefined && error === undefined)
      for (const entry of walk(tree, configSchema, [], { fail, lineOf })) entries.push(entry);
  } catch (stopped) {
    if (stopped !== tooMany) throw stopped;
  }
  return { entries, problems };
}

/**
 * The values that a text sets at a place. `name` is the variable or flag it came from, for error messages; without one
 * the text was typed for this setting.
 */
export function readText(text: string, place: Place, name?: string): Entry[] {
  const fail: DocumentReading["fail"] = (_offset, message) => {
    throw new ThroughlineError(
      "config-invalid",
      name === undefined ? message : `${name}: ${message}`,
      name === undefined ? "give an allowed value" : `change or remove ${name}`,
    );
  };
  const { tree } = parseDocument(JSON.stringify(valueFromText(place.schema, text)));
  return tree === undefined ? [] : [...walk(tree, place.schema, place.path, { fail, lineOf: () => 1 })];
}
