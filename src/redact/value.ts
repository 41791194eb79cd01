// Redacts every string of a JSON value, with the names of its fields as context.
import { kindListed, kindUnder } from "./assignment/find.ts";
import { holdsListed } from "./assignment/names.ts";
import { type Found, hideFinds } from "./found.ts";
import { hideStretches, mark } from "./marks.ts";
import { KnownSecrets } from "./repeats.ts";
import type { Redact, Redaction } from "./rules.ts";
import type { TimeLimit } from "./timeLimit.ts";

export interface RedactedValue<T> {
  readonly value: T;
  /** The kinds that were hidden, one for each find. */
  readonly found: readonly string[];
}

const DEEPEST_VALUE = 200;
/** Longer values than this are texts, not secrets. */
const MAX_NAMED = 4_096;

interface Walk {
  readonly redact: (text: string) => Redaction;
  readonly found: string[];
  /** What was hidden anywhere in the value. */
  readonly known: KnownSecrets;
}

function redactOne(text: string, walk: Walk) {
  const { text: redacted, found } = walk.redact(text);
  for (const { kind } of found) walk.found.push(kind);
  return redacted;
}

type KindOf = (name: string, value: string, isQuoted: boolean) => string | undefined;

/** A string that stands under a name is read together with it: `password` says what "hunter2!" is. */
function redactNamed(name: string, text: string, walk: Walk, kindOf: KindOf = kindUnder) {
  const redacted = redactOne(text, walk);
  if (redacted !== text || text.length > MAX_NAMED) return redacted;
  const kind = kindOf(name, text, true);
  if (kind === undefined) return text;
  walk.found.push(kind);
  walk.known.add(text, kind);
  return mark(kind);
}

/** A number is one too, if its digits are. */
function redactNumber(name: string, number: number, walk: Walk) {
  const kind = kindUnder(name, String(number), true);
  if (kind === undefined) return number;
  walk.found.push(kind);
  return mark(kind);
}

/**
 * Lines of one text are often kept as a list (the lines of a patch): what spans several of them is found in the
 * joined text and hidden in each.
 */
function redactLines(lines: readonly string[], walk: Walk) {
  const { text, found } = walk.redact(lines.join("\n"));
  if (found.length === 0) return [...lines];
  const redacted = text.split("\n");
  // Where nothing spans a line there are as many as before.
  if (redacted.length === lines.length && !lines.some((line) => line.includes("\n"))) {
    for (const { kind } of found) walk.found.push(kind);
    return redacted;
  }
  let [start, first] = [0, 0];
  return lines.map((line) => {
    const [from, to] = [start, start + line.length];
    start = to + 1;
    // Finds are in order and apart, as lines are: both are gone through once.
    while ((found[first]?.end ?? Number.POSITIVE_INFINITY) <= from) first += 1;
    const spanning: Found[] = [];
    for (let at = first; (found[at]?.start ?? to) < to; at += 1) {
      const { kind, start: begin, end } = found[at] as Found;
      if (begin >= from && end <= to) continue;
      walk.found.push(kind);
      spanning.push({ kind, start: Math.max(begin, from) - from, end: Math.min(end, to) - from });
    }
    return redactOne(spanning.length === 0 ? line : hideStretches(line, spanning), walk);
  });
}

/** Strings in a list: the lines of a text, or the arguments of a command, where a flag names the one after it. */
function redactList(items: readonly string[], walk: Walk) {
  return redactLines(items, walk).map((item, at) => {
    const isUnderFlag = item === items[at] && COMMAND_FLAG.test(items[at - 1] ?? "");
    return isUnderFlag ? redactNamed(items[at - 1] ?? "", item, walk) : item;
  });
}

const COMMAND_FLAG = /^--?[A-Za-z][\w-]{1,60}$/;

const isStringList = (value: readonly unknown[]): value is readonly string[] =>
  value.length > 1 && value.every((item) => typeof item === "string");

/** The name in `{ name: "DB_PASSWORD", value: "…" }`. */
function valueLabel(value: object) {
  if (!("value" in value || "Value" in value)) return undefined;
  return Object.entries(value).find(([key]) => /^(?:name|key|variable)$/i.test(key))?.[1];
}

function setField(target: Record<string, unknown>, name: string, value: unknown) {
  // Assigning would set the prototype.
  if (name === "__proto__")
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  else target[name] = value;
}

/** What stands under a name: alone, or several things in a list. */
function redactUnder(name: string, item: unknown, walk: Walk, depth: number) {
  if (typeof item === "string") return redactNamed(name, item, walk);
  if (typeof item === "number") return redactNumber(name, item, walk);
  if (
    Array.isArray(item) &&
    holdsListed(name) !== undefined &&
    item.every((each) => typeof each === "string")
  )
    return item.map((each) => redactNamed(name, each, walk, kindListed));
  return redactAny(item, walk, depth + 1);
}

function redactObject(value: object, walk: Walk, depth: number) {
  const entries = Object.entries(value);
  const label = valueLabel(value);
  const result: Record<string, unknown> = {};
  for (const [key, item] of entries) {
    const name = key.length < 8 ? key : redactOne(key, walk);
    const isLabelled = typeof label === "string" && /^value$/i.test(key);
    setField(result, name, redactUnder(isLabelled ? label : key, item, walk, depth));
  }
  return result;
}

function redactAny(value: unknown, walk: Walk, depth: number): unknown {
  if (typeof value === "string") return redactOne(value, walk);
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEEPEST_VALUE) return mark("nested too deep");
  if (!Array.isArray(value)) return redactObject(value, walk, depth);
  const items: readonly unknown[] = value;
  if (isStringList(items)) return redactList(items, walk);
  return items.map((item) => redactAny(item, walk, depth + 1));
}

/** Hides in every string what was found to be secret in any of them. */
function hideKnown(value: unknown, walk: Walk): unknown {
  if (typeof value === "string") {
    const repeats = walk.known.find(value);
    for (const { kind } of repeats) walk.found.push(kind);
    return repeats.length === 0 ? value : hideFinds(value, repeats);
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => hideKnown(item, walk));
  const result: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) setField(result, key, hideKnown(item, walk));
  return result;
}

/** Redacts a JSON value deeply; the shape stays, strings stay strings. */
export function redactValueWith<T>(redact: Redact, value: T, limit?: TimeLimit): RedactedValue<T> {
  const known = new KnownSecrets();
  const walk: Walk = {
    redact: (text) => {
      limit?.check("JSON value");
      return redact(text, { known, ...(limit && { limit }) });
    },
    found: [],
    known,
  };
  const once = redactAny(value, walk, 0);
  // The shape is kept, only the content of strings changes.
  return { value: (walk.known.isEmpty ? once : hideKnown(once, walk)) as T, found: walk.found };
}
