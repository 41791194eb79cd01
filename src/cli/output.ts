// Everything that reaches the terminal: reports, errors, colour, columns and exit codes.
import { styleText } from "node:util";
import { type ErrorCode, errorText, ThroughlineError } from "../lib/index.ts";
import type { Report } from "./command.ts";
import { widthOf } from "./width.ts";

/** What the shell gets to see. Ctrl-C ends most commands by its signal, which a shell shows as 130 too. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 2,
  notRunning: 3,
  degraded: 4,
  interrupted: 130,
} as const;

type Format = Parameters<typeof styleText>[0];

/** Colours `text` where `stream` is a terminal that wants it (NO_COLOR and FORCE_COLOR decide first). */
export function paint(format: Format, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return styleText(format, text, { stream });
}

/** Rows as aligned columns; the last one is not padded. */
export function columns(rows: readonly (readonly string[])[], indent = ""): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, widthOf(cell));
  }
  const pad = (cell: string, index: number): string =>
    cell + " ".repeat((widths[index] ?? 0) - widthOf(cell));
  return rows.map((row) => `${indent}${row.map(pad).join("  ")}`.trimEnd()).join("\n");
}

/** Text of strangers for a terminal: what would steer it, or could not be seen, is written out. Lines and tabs stay. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (mark) =>
    /[\n\t\u200d]/.test(mark) ? mark : `\\u{${mark.codePointAt(0)?.toString(16)}}`,
  );
}

/** A setting or a field as a person reads it. */
export function plain(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

export function writeReport({ data, text }: Report, json: boolean): void {
  if (json) process.stdout.write(`${JSON.stringify(data, null, 2)}\n`);
  else if (typeof text !== "string") process.stdout.write(text);
  else if (text !== "") process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
}

interface Described {
  readonly code: ErrorCode;
  readonly message: string;
  readonly fix: string | undefined;
}

/** What is said of any error; one nobody expected has the code `internal`. */
export function describeError(error: unknown): Described {
  const message = errorText(error).replace(/\s*\n\s*/g, " ");
  if (error instanceof ThroughlineError) return { code: error.code, message, fix: error.fix };
  return {
    code: "internal",
    message: `unexpected error: ${message}`,
    fix: "run it again with THROUGHLINE_DEBUG=1 to see the stack, and report it",
  };
}

/** Prints the error and gives the exit code that goes with it. */
export function writeError(error: unknown, json: boolean): number {
  const { code, message, fix } = describeError(error);
  if (json) process.stdout.write(`${JSON.stringify({ error: { code, message, fix } }, null, 2)}\n`);
  else {
    const red = (text: string): string => paint("red", text, process.stderr);
    process.stderr.write(`${red("throughline:")} ${message}\n${fix === undefined ? "" : `fix: ${fix}\n`}`);
  }
  if (process.env.THROUGHLINE_DEBUG && error instanceof Error) process.stderr.write(`${error.stack}\n`);
  return code === "usage" ? exitCodes.usage : exitCodes.failure;
}
