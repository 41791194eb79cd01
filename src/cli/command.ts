// What a command is: its arguments, its examples, and a run that returns what to print.
import { type ArgsDef, type ParsedArgs, parseArgs } from "citty";
import { ThroughlineError } from "../lib/index.ts";
import { checkArguments, sharedArgs } from "./arguments.ts";

/** What a command has to say. The shell prints one of the two forms, so `--json` is never mixed with text. */
export interface Report {
  /** The document of `--json`. */
  readonly data: unknown;
  /** What a person reads, or exact bytes. */
  readonly text: string | Uint8Array;
  /** 0 unless said otherwise; see `exitCodes`. */
  readonly exitCode?: number;
}

export interface Example {
  readonly line: string;
  readonly does: string;
}

export interface Command {
  readonly kind: "command";
  readonly args: ArgsDef;
  readonly rest: string | undefined;
  readonly examples: readonly Example[];
  /** Throws a `ThroughlineError` with code `usage` for arguments that do not fit. `name` is the command as typed. */
  readonly run: (rawArgs: readonly string[], name: string) => Promise<Report>;
}

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** What it is listed under; "Commands" unless given. */
  readonly heading?: string;
  readonly load: () => Promise<{ readonly default: Command | Group }>;
}

export interface Group {
  readonly kind: "group";
  readonly commands: readonly CommandEntry[];
  readonly examples: readonly Example[];
}

interface Definition<T extends ArgsDef> {
  readonly args: T;
  /** Name of the arguments that may follow the positional ones, any number of them. */
  readonly rest?: string;
  readonly examples: readonly Example[];
  readonly run: (given: {
    readonly args: ParsedArgs<T>;
    readonly rest: readonly string[];
  }) => Report | Promise<Report>;
}

/** Whoever refuses an argument without saying what to do about it leaves that to the help. */
function withFix(error: unknown, name: string): unknown {
  if (!(error instanceof ThroughlineError) || error.code !== "usage" || error.fix !== undefined) return error;
  return new ThroughlineError("usage", error.message, {
    fix: `\`${name} --help\` shows what it takes`,
    cause: error,
  });
}

export function defineCommand<const T extends ArgsDef>(definition: Definition<T>): Command {
  const args: ArgsDef = { ...definition.args, ...sharedArgs };
  const positionals = Object.values(args).filter(({ type }) => type === "positional").length;
  return {
    kind: "command",
    args,
    rest: definition.rest,
    examples: definition.examples,
    run: async (rawArgs, name) => {
      checkArguments(rawArgs, args, { name, rest: definition.rest });
      const parsed = parseArgs<T>([...rawArgs], args);
      try {
        return await definition.run({ args: parsed, rest: parsed._.slice(positionals) });
      } catch (error) {
        throw withFix(error, name);
      }
    },
  };
}
