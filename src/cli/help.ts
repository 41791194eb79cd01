// Help texts, from the same definitions the commands run by; summaries come from the table, so nothing is loaded for them.
import type { ArgDef } from "citty";
import { aliasesOf } from "./arguments.ts";
import type { Command, CommandEntry, Example, Group } from "./command.ts";
import { columns, paint } from "./output.ts";

function section(title: string, body: string): string {
  return body === "" ? "" : `\n${paint("bold", title)}\n${body}\n`;
}

function exampleLines(examples: readonly Example[]): string {
  return columns(
    examples.map(({ line, does }) => [line, does]),
    "  ",
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

export function commandHelp(name: string, summary: string, command: Command): string {
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
  return [
    `${summary}\n`,
    section("Usage", `  ${shape.join(" ")}`),
    section(
      "Arguments",
      columns(
        positionals.map(([arg, definition]) => [arg.toUpperCase(), described(definition)]),
        "  ",
      ),
    ),
    section(
      "Flags",
      columns(
        flags.map(([arg, definition]) => [flagLabel(arg, definition), described(definition)]),
        "  ",
      ),
    ),
    section("Examples", exampleLines(command.examples)),
  ].join("");
}

export function groupHelp(name: string, summary: string, group: Group): string {
  const list = (entries: readonly CommandEntry[]): string =>
    columns(
      entries.map((entry) => [entry.name, entry.summary]),
      "  ",
    );
  return [
    `${summary}\n`,
    section("Usage", `  ${name} COMMAND [flags]`),
    section("Commands", list(group.commands)),
    section("Examples", exampleLines(group.examples)),
    `\n\`${name} COMMAND --help\` says more about one of them.\n`,
  ].join("");
}
