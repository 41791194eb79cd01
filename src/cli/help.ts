// Help texts, from the same definitions the commands run by; summaries come from the table, so nothing is loaded for them.
import type { ArgDef } from "citty";
import { aliasesOf } from "./arguments.ts";
import type { Command, CommandEntry, Example, Group } from "./command.ts";
import { paint } from "./terminal.ts";
import { widthOf, wrapped } from "./width.ts";

/** Unless the terminal is narrower; more is hard to read on any. */
const WIDEST = 100;
/** A label that is wider has its text below it, and does not push that of the others aside. */
const LABEL_WIDEST = 40;
const EXAMPLE_WIDEST = 56;

/** Labels and what they mean, in two columns that fit the width. */
function listing(rows: readonly (readonly [string, string])[], width: number, widestLabel: number): string {
  const fitting = rows.map(([label]) => widthOf(label)).filter((cells) => cells <= widestLabel);
  const column = Math.max(0, ...fitting) + 4;
  return rows
    .flatMap(([label, text]) => {
      const cells = widthOf(label);
      const lines = wrapped(text, width - column).map((line) => " ".repeat(column) + line);
      if (cells > widestLabel) return [`  ${label}`, ...lines];
      const [first = "", ...more] = lines;
      return [`  ${label}${first.slice(cells + 2)}`.trimEnd(), ...more];
    })
    .join("\n");
}

function section(title: string, body: string): string {
  return body === "" ? "" : `\n${paint("bold", title)}\n${body}\n`;
}

function exampleLines(examples: readonly Example[], width: number): string {
  return listing(
    examples.map(({ line, does }) => [line, does]),
    width,
    EXAMPLE_WIDEST,
  );
}

function isOptional(definition: ArgDef): boolean {
  return definition.required === false || definition.default !== undefined;
}

function flagLabel(name: string, definition: ArgDef): string {
  const value =
    definition.type === "enum"
      ? ` ${definition.options?.join("|")}`
      : definition.type === "string"
        ? ` ${(definition.valueHint ?? name).toUpperCase()}`
        : "";
  return [...aliasesOf(definition), `--${name}`].join(", ") + value;
}

function described({ description, default: preset }: ArgDef): string {
  return `${description ?? ""}${preset === undefined ? "" : ` (default: ${preset})`}`;
}

const fitted = (terminal: number | undefined): number => Math.min(terminal || WIDEST, WIDEST);

export function commandHelp(name: string, summary: string, command: Command, terminal?: number): string {
  const width = fitted(terminal);
  const args = Object.entries(command.args);
  const positionals = args.filter(([, { type }]) => type === "positional");
  const flags = args.filter(([, { type }]) => type !== "positional");
  const shape = [
    name,
    ...positionals.map(([arg, definition]) =>
      isOptional(definition) ? `[${arg.toUpperCase()}]` : arg.toUpperCase(),
    ),
    ...(command.rest === undefined ? [] : [`[${command.rest.toUpperCase()}…]`]),
    "[flags]",
  ];
  const list = (rows: readonly (readonly [string, string])[]): string => listing(rows, width, LABEL_WIDEST);
  return [
    `${summary}\n`,
    section("Usage", `  ${shape.join(" ")}`),
    section("Arguments", list(positionals.map(([arg, about]) => [arg.toUpperCase(), described(about)]))),
    section("Flags", list(flags.map(([arg, about]) => [flagLabel(arg, about), described(about)]))),
    section("Examples", exampleLines(command.examples, width)),
  ].join("");
}

/** The commands under the headings that they name, in the order in which these come first. */
function commandSections(entries: readonly CommandEntry[], width: number): string {
  const headings = [...new Set(entries.map(({ heading }) => heading))];
  const label = Math.max(...entries.map((entry) => widthOf(entry.name)));
  return headings
    .map((heading) => {
      const below = entries.filter((entry) => entry.heading === heading);
      const rows = below.map((entry) => [entry.name.padEnd(label), entry.summary] as const);
      return section(heading ?? "Commands", listing(rows, width, label));
    })
    .join("");
}

export function groupHelp(name: string, summary: string, group: Group, terminal?: number): string {
  const width = fitted(terminal);
  return [
    `${summary}\n`,
    section("Usage", `  ${name} COMMAND [flags]`),
    commandSections(group.commands, width),
    section("Examples", exampleLines(group.examples, width)),
    `\n\`${name} COMMAND --help\` says more about one of them.\n`,
  ].join("");
}
