// Help texts, made from the definitions that commands run by.
import { present } from "../lib/index.ts";
import type { Argument, Command, Examples, Group } from "./command.ts";
import { widthOf, wrapped } from "./output.ts";
import { paint } from "./terminal.ts";

/** Longer lines are hard to read; a narrower terminal has shorter ones. */
const WIDEST = 100;
/** A wider label has its text on the next line and does not widen the column. */
const LABEL_WIDEST = 40;
const EXAMPLE_WIDEST = 56;

type Rows = readonly (readonly [label: string, text: string])[];

/** Labels and their meaning, in two columns that fit the width. */
function alignedRows(rows: Rows, width: number, widestLabel: number) {
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

const section = (title: string, body: string) => (body === "" ? "" : `\n${paint("bold", title)}\n${body}\n`);

const exampleSection = (examples: Examples, width: number) =>
  section("Examples", alignedRows(Object.entries(examples), width, EXAMPLE_WIDEST));

function flagLabel(name: string, { kind, hint, short }: Argument) {
  const shown = hint?.includes("|") ? hint : hint?.toUpperCase();
  return `${short === undefined ? "" : `-${short}, `}--${name}${kind === "value" ? ` ${shown}` : ""}`;
}

const described = ({ about, preset }: Argument) =>
  about + (preset === undefined || preset === false ? "" : ` (default: ${preset})`);

const fitted = (terminal: number | undefined) => Math.min(terminal || WIDEST, WIDEST);

export function commandHelp(name: string, summary: string, command: Command, terminal?: number) {
  const width = fitted(terminal);
  const args = Object.entries(command.args);
  const operands = args.filter(([, { kind }]) => kind === "operand");
  const flags = args.filter(([, { kind }]) => kind !== "operand");
  const shape = present([
    name,
    ...operands.map(([arg, { isRequired }]) => (isRequired ? arg.toUpperCase() : `[${arg.toUpperCase()}]`)),
    command.rest && `[${command.rest.toUpperCase()}…]`,
    "[flags]",
  ]);
  const list = (rows: Rows) => alignedRows(rows, width, LABEL_WIDEST);
  return [
    `${summary}\n`,
    section("Usage", `  ${shape.join(" ")}`),
    section("Arguments", list(operands.map(([arg, about]) => [arg.toUpperCase(), described(about)]))),
    section("Flags", list(flags.map(([arg, about]) => [flagLabel(arg, about), described(about)]))),
    exampleSection(command.examples, width),
  ].join("");
}

/** The commands below their headings, in the order of the table. */
function commandSections({ commands }: Group, width: number) {
  const entries = Object.entries(commands);
  const headings = [...new Set(entries.map(([, { heading }]) => heading))];
  const label = Math.max(...entries.map(([name]) => widthOf(name)));
  return headings
    .map((heading) => {
      const below = entries.filter(([, entry]) => entry.heading === heading);
      const rows = below.map(([name, { summary }]) => [name.padEnd(label), summary] as const);
      return section(heading ?? "Commands", alignedRows(rows, width, label));
    })
    .join("");
}

/** `more` is a last line about commands that are not listed. */
export function groupHelp(
  name: string,
  summary: string,
  group: Group,
  terminal?: number,
  more: string[] = [],
) {
  const width = fitted(terminal);
  return [
    `${summary}\n`,
    section("Usage", `  ${name} COMMAND [flags]`),
    commandSections(group, width),
    exampleSection(group.examples, width),
    `\n${[`\`${name} COMMAND --help\` describes a command.`, ...more].join("\n")}\n`,
  ].join("");
}

/** A page of Markdown for a terminal: lines break between words; tables and code stay as they are. */
export function wrappedPage(page: string, width: number) {
  let isCode = false;
  const linesOf = (line: string) => {
    const isFence = line.startsWith("```");
    if (isFence) isCode = !isCode;
    if (isFence || isCode || line.startsWith("|")) return [line];
    const indent = /^\s*(?:[-*] |\d+\. )?/.exec(line)?.[0] ?? "";
    return wrapped(line.slice(indent.length), width - indent.length).map((part, at) =>
      at === 0 ? indent + part : " ".repeat(indent.length) + part,
    );
  };
  return page.split("\n").flatMap(linesOf).join("\n");
}
