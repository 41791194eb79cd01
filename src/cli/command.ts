// What a command is: its declared arguments, its examples, and a run that returns what to print; and a command line parsed by it.

import { type ParseArgsConfig, parseArgs } from "node:util";
import { nearest, present, ThroughlineError, usageError } from "../lib/index.ts";

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

type Arguments = Readonly<Record<string, Argument>>;
type Values<T extends Arguments> = {
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
    throw usageError(`${name} must be a whole number, not ${text}`);
  },
});

/** A day or an ISO time, given on as it is. */
export const time = (about: string): Argument<string | undefined> => ({
  ...value("time", about),
  read(text, name) {
    if (!Number.isNaN(Date.parse(text))) return text;
    throw usageError(`${name} must be a day or an ISO time, not ${text}`, `for example ${name} 2026-01-31`);
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
    kind: "value",
    hint: options.join("|"),
    about,
    preset,
    read(text, name) {
      if (options.includes(text)) return text;
      throw usageError(`${name} must be ${options.join(" | ")}, not ${JSON.stringify(text)}`);
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

export function didYouMean(word: string, candidates: Iterable<string>) {
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
  if (missing?.[1].isRequired) throw usageError(`${missing[0].toUpperCase()} is missing`, helpShows(name));
  const extra = given[declared.length];
  if (extra !== undefined && rest === undefined)
    throw usageError(`unexpected argument ${extra}`, helpShows(name));
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
      throw usageError(
        `unknown flag ${spelling}${didYouMean(spelling, spellings)}`,
        `${helpShows(expected.name, "every flag")}; write -- before a value that starts with a dash`,
      );
    }
    if ((type === "boolean") !== (text === undefined)) {
      const problem = type === "boolean" ? "takes no value" : "needs a value";
      throw usageError(`${spelling} ${problem}`, fix);
    }
    const declared = args[name];
    if (!declared) values[name.replace("no-", "")] = false;
    else values[name] = declared.read(text ?? "", spelling);
  }
  const found = operandsOf(operands, args, expected);
  return { args: { ...values, ...Object.fromEntries(found.values) } as Values<T>, rest: found.rest };
}

/** The result of a command. The shell prints one of the two forms, so `--json` is never mixed with text. */
export interface Report {
  /** The document of `--json`. */
  readonly data: unknown;
  /** What a person reads: a text, or lines, where `condition && line` leaves one out; or exact bytes. */
  readonly text: string | Uint8Array | readonly (string | false | undefined)[];
  /** 0 unless given; see `exitCodes`. */
  readonly exitCode?: number;
}

/** Command lines, each with what it does. */
export type Examples = Readonly<Record<string, string>>;

export interface Command {
  readonly kind: "command";
  readonly summary: string;
  readonly args: Arguments;
  readonly rest: string | undefined;
  readonly examples: Examples;
  /** Throws a `ThroughlineError` with code `usage` for arguments that do not fit. `name` is the command as typed. */
  readonly run: (rawArgs: readonly string[], name: string) => Promise<Report>;
}

/** A command of the table, loaded on demand. */
export interface CommandEntry {
  readonly summary: string;
  readonly heading?: string;
  readonly load: () => Promise<Command | Group>;
}

export interface Group {
  readonly kind: "group";
  readonly commands: Readonly<Record<string, CommandEntry>>;
  readonly examples: Examples;
}

interface Definition<T extends Arguments> {
  /** For commands of a group; the table has those of the others. */
  readonly summary?: string;
  readonly args?: T;
  /** Name of the operands that may follow the declared ones, any number of them. */
  readonly rest?: string;
  readonly examples: Examples;
  readonly run: (
    given: { readonly rest: readonly string[] } & { readonly args: Values<T & typeof sharedArgs> },
  ) => Report | Promise<Report>;
}

/** Points a refusal without a fix to the help. */
function withFix(error: unknown, name: string) {
  if (!(error instanceof ThroughlineError) || error.code !== "usage" || error.fix !== undefined) return error;
  return usageError(error.message, {
    fix: `\`${name} --help\` shows its arguments`,
    cause: error,
  });
}

// biome-ignore lint/complexity/noBannedTypes: no arguments of its own
export function defineCommand<T extends Arguments = {}>(definition: Definition<T>): Command {
  const { summary = "", rest, examples } = definition;
  const args = { ...definition.args, ...sharedArgs } as T & typeof sharedArgs;
  return {
    kind: "command",
    summary,
    args,
    rest,
    examples,
    async run(rawArgs, name) {
      try {
        return await definition.run(parseArguments(rawArgs, args, { name, rest }));
      } catch (error) {
        throw withFix(error, name);
      }
    },
  };
}

export function defineGroup(commands: Readonly<Record<string, Command>>, examples: Examples): Group {
  const entries = Object.entries(commands).map(([name, command]) => [
    name,
    { summary: command.summary, load: async () => command },
  ]);
  return { kind: "group", commands: Object.fromEntries(entries), examples };
}
