// The arguments of a command: how they are declared, and a command line parsed by them.
import { type ParseArgsConfig, parseArgs } from "node:util";
import { nearest, present, ThroughlineError } from "../lib/index.ts";

/** One flag or operand. `read` converts a given text, and throws `usage` for one that is not allowed. */
export interface Argument<V = unknown> {
  readonly kind: "operand" | "flag" | "value";
  readonly about: string;
  /** How help names the value. */
  readonly hint?: string;
  /** The one-letter spelling. */
  readonly short?: string;
  readonly isRequired?: boolean;
  readonly preset?: V;
  readonly read: (text: string, name: string) => V;
}

export type Arguments = Readonly<Record<string, Argument>>;
export type Values<T extends Arguments> = {
  readonly [K in keyof T]: T[K] extends Argument<infer V> ? V : never;
};

const asGiven = (text: string) => text;

export const operand = (about: string): Argument<string> => ({
  kind: "operand",
  about,
  isRequired: true,
  read: asGiven,
});

export const optional = (about: string): Argument<string | undefined> => ({
  kind: "operand",
  about,
  read: asGiven,
});

export const flag = (
  about: string,
  more: Pick<Argument<boolean>, "short" | "preset"> = {},
): Argument<boolean> => ({ kind: "flag", about, preset: false, ...more, read: () => true });

export const value = (
  hint: string,
  about: string,
  more: Pick<Argument, "short"> = {},
): Argument<string | undefined> => ({ kind: "value", hint, about, ...more, read: asGiven });

export const integer = (
  hint: string,
  about: string,
  more: Pick<Argument, "short"> = {},
): Argument<number | undefined> => ({
  ...value(hint, about, more),
  preset: undefined,
  read(text, name) {
    if (/^\d{1,15}$/.test(text)) return Number(text);
    throw new ThroughlineError("usage", `${name} must be a whole number, not ${text}`);
  },
});

/** A day or an ISO time, given on as it is. */
export const time = (about: string): Argument<string | undefined> => ({
  ...value("time", about),
  read(text, name) {
    if (!Number.isNaN(Date.parse(text))) return text;
    throw new ThroughlineError(
      "usage",
      `${name} must be a day or an ISO time, not ${text}`,
      `for example ${name} 2026-01-31`,
    );
  },
});

/** One of a few words. Without `preset` the flag may be left out. */
export function choice<const O extends string>(options: readonly O[], about: string, preset: O): Argument<O>;
export function choice<const O extends string>(options: readonly O[], about: string): Argument<O | undefined>;
export function choice(
  options: readonly string[],
  about: string,
  preset?: string,
): Argument<string | undefined> {
  return {
    ...{ kind: "value", hint: options.join("|"), about, preset },
    read(text, name) {
      if (options.includes(text)) return text;
      throw new ThroughlineError(
        "usage",
        `${name} must be ${options.join(" | ")}, not ${JSON.stringify(text)}`,
      );
    },
  };
}

/** Flags that every command has. */
export const sharedArgs = {
  json: flag("print one JSON document and nothing else"),
  help: flag("show this help", { short: "h" }),
};

const SHORTEST_BEGINNING = 3;

/** The only candidate that starts with the word. */
function completion(word: string, candidates: readonly string[]) {
  if (word.replace(/^-+/, "").length < SHORTEST_BEGINNING) return undefined;
  const [only, ...others] = candidates.filter((candidate) => candidate.startsWith(word));
  return others.length === 0 ? only : undefined;
}

export function didYouMean(word: string, candidates: Iterable<string>): string {
  const known = [...candidates];
  const meant = nearest(word, known) ?? completion(word, known);
  return meant === undefined ? "" : `; did you mean ${meant}?`;
}

interface Expected {
  /** The command as typed, for the fix. */
  readonly name: string;
  /** Name of the operands that may follow the declared ones. */
  readonly rest?: string | undefined;
}

const helpShows = (name: string, what = "its arguments") => `\`${name} --help\` shows ${what}`;

type ParserOptions = NonNullable<ParseArgsConfig["options"]>;

/** The declared options for the parser; a flag that is on by default can be switched off by `--no-`. */
function parserOptions(args: Arguments) {
  const options: ParserOptions = {};
  for (const [name, { kind, short, preset }] of Object.entries(args)) {
    if (kind === "operand") continue;
    options[name] = { type: kind === "flag" ? "boolean" : "string", ...(short && { short }) };
    if (preset === true) options[`no-${name}`] = { type: "boolean" };
  }
  return options;
}

function operandsOf(given: readonly string[], args: Arguments, { name, rest }: Expected) {
  const declared = Object.entries(args).filter(([, { kind }]) => kind === "operand");
  const missing = declared[given.length];
  if (missing?.[1].isRequired)
    throw new ThroughlineError("usage", `${missing[0].toUpperCase()} is missing`, helpShows(name));
  const extra = given[declared.length];
  if (extra !== undefined && rest === undefined)
    throw new ThroughlineError("usage", `unexpected argument ${extra}`, helpShows(name));
  return {
    values: declared.slice(0, given.length).map(([key], at) => [key, given[at]] as const),
    rest: given.slice(declared.length),
  };
}

/** Throws `usage` for an unknown flag, a missing or disallowed value, and too few or too many operands. */
export function parseArguments<T extends Arguments>(
  raw: readonly string[],
  args: T,
  expected: Expected,
): { readonly args: Values<T>; readonly rest: readonly string[] } {
  const options = parserOptions(args);
  const fix = helpShows(expected.name);
  const values: Record<string, unknown> = {};
  for (const [name, { preset }] of Object.entries(args)) values[name] = preset;
  const operands: string[] = [];
  const { tokens } = parseArgs({ args: [...raw], options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind === "positional") operands.push(token.value);
    if (token.kind !== "option") continue;
    const { name, rawName: spelling, value: text } = token;
    const type = options[name]?.type;
    if (type === undefined) {
      const spellings = present(
        Object.entries(options).flatMap(([long, { short }]) => [`--${long}`, short && `-${short}`]),
      );
      throw new ThroughlineError(
        "usage",
        `unknown flag ${spelling}${didYouMean(spelling, spellings)}`,
        `${helpShows(expected.name, "every flag")}; write -- before a value that starts with a dash`,
      );
    }
    if ((type === "boolean") !== (text === undefined)) {
      const problem = type === "boolean" ? "takes no value" : "needs a value";
      throw new ThroughlineError("usage", `${spelling} ${problem}`, fix);
    }
    const declared = args[name];
    if (declared === undefined) values[name.replace("no-", "")] = false;
    else values[name] = declared.read(text ?? "", spelling);
  }
  const found = operandsOf(operands, args, expected);
  return { args: { ...values, ...Object.fromEntries(found.values) } as Values<T>, rest: found.rest };
}
