// Says what is wrong with a command line before the parser, which lets everything pass, sees it.
import type { ArgDef, ArgsDef } from "citty";
import { nearest, ThroughlineError } from "../lib/index.ts";

/** Flags that every command has. */
export const sharedArgs = {
  json: { type: "boolean", description: "print one JSON document and nothing else" },
  help: { type: "boolean", alias: "h", description: "show this help" },
} as const satisfies ArgsDef;

interface Expected {
  /** The command as typed, for the fix. */
  readonly name: string;
  readonly rest?: string | undefined;
}

const SHORTEST_BEGINNING = 3;

/** The one candidate of which the word is the beginning. */
function beginningWith(word: string, candidates: readonly string[]): string | undefined {
  if (word.replace(/^-+/, "").length < SHORTEST_BEGINNING) return undefined;
  const [only, ...others] = candidates.filter((candidate) => candidate.startsWith(word));
  return others.length === 0 ? only : undefined;
}

export function didYouMean(word: string, candidates: Iterable<string>): string {
  const known = [...candidates];
  const meant = nearest(word, known) ?? beginningWith(word, known);
  return meant === undefined ? "" : `; did you mean ${meant}?`;
}

/** Other spellings of a flag, dashes included. */
export function aliasesOf(definition: ArgDef): string[] {
  const aliases = "alias" in definition ? [definition.alias ?? []].flat() : [];
  return aliases.map((alias) => (alias.length === 1 ? `-${alias}` : `--${alias}`));
}

/** Every spelling of every flag. */
function spellings(args: ArgsDef): Map<string, ArgDef> {
  const flags = new Map<string, ArgDef>();
  for (const [name, definition] of Object.entries(args)) {
    if (definition.type === "positional") continue;
    flags.set(`--${name}`, definition);
    if (definition.type === "boolean" && definition.default === true) flags.set(`--no-${name}`, definition);
    for (const alias of aliasesOf(definition)) flags.set(alias, definition);
  }
  return flags;
}

/** What is wrong with the value of a flag, if anything is. */
function valueProblem(definition: ArgDef, value: string | undefined): string | undefined {
  if (definition.type === "boolean") return value === undefined ? undefined : "takes no value";
  if (value === undefined) return "needs a value";
  if (definition.type !== "enum" || definition.options?.includes(value)) return undefined;
  return `must be ${definition.options?.join(" | ")}, not ${JSON.stringify(value)}`;
}

function checkPositionals(given: readonly string[], args: ArgsDef, { name, rest }: Expected): void {
  const names = Object.entries(args).filter(([, { type }]) => type === "positional");
  const missing = names[given.length];
  const fix = `\`${name} --help\` shows what it takes`;
  if (missing !== undefined && missing[1].required !== false && missing[1].default === undefined) {
    throw new ThroughlineError("usage", `${missing[0].toUpperCase()} is missing`, { fix });
  }
  const extra = given[names.length];
  if (extra !== undefined && rest === undefined) {
    throw new ThroughlineError("usage", `unexpected argument ${extra}`, { fix });
  }
}

/** Throws `usage` for an unknown flag, a value that is missing or not allowed, and too few or too many arguments. */
export function checkArguments(raw: readonly string[], args: ArgsDef, expected: Expected): void {
  const flags = spellings(args);
  const end = raw.indexOf("--") === -1 ? raw.length : raw.indexOf("--");
  const positionals: string[] = [];
  for (let index = 0; index < end; index++) {
    const word = raw[index] ?? "";
    if (!word.startsWith("-") || word === "-") {
      positionals.push(word);
      continue;
    }
    const equals = word.indexOf("=");
    const spelling = equals === -1 ? word : word.slice(0, equals);
    const definition = flags.get(spelling);
    if (definition === undefined) {
      const hint = didYouMean(spelling, flags.keys());
      throw new ThroughlineError("usage", `unknown flag ${spelling}${hint}`, {
        fix: `\`${expected.name} --help\` shows every flag; write -- before a value that starts with a dash`,
      });
    }
    const inline = equals === -1 ? undefined : word.slice(equals + 1);
    const value = inline ?? (definition.type === "boolean" ? undefined : raw[++index]);
    const problem = valueProblem(definition, value);
    if (problem !== undefined) {
      throw new ThroughlineError("usage", `${spelling} ${problem}`, {
        fix: `\`${expected.name} --help\` shows what it takes`,
      });
    }
  }
  checkPositionals([...positionals, ...raw.slice(end + 1)], args, expected);
}
