// What a command is: its arguments, its examples, and a run that returns what to print.
import { ThroughlineError } from "../lib/index.ts";
import { type Arguments, parseArguments, sharedArgs, type Values } from "./arguments.ts";

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
  return new ThroughlineError("usage", error.message, {
    fix: `\`${name} --help\` shows its arguments`,
    cause: error,
  });
}

// biome-ignore lint/complexity/noBannedTypes: no arguments of its own
export function defineCommand<T extends Arguments = {}>(definition: Definition<T>): Command {
  const { summary = "", rest, examples } = definition;
  const args = { ...definition.args, ...sharedArgs } as T & typeof sharedArgs;
  return {
    ...{ kind: "command", summary, args, rest, examples },
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
