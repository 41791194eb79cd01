// How reports and errors are printed, and the exit codes.
import { type ErrorCode, errorText, present, ThroughlineError } from "../lib/index.ts";
import type { Report } from "./command.ts";
import { paint, write, writeBytes, writeJson } from "./terminal.ts";
import { widthOf } from "./text.ts";

/** Ctrl-C ends most commands by its signal, which a shell shows as 130 too. */
export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 2,
  notRunning: 3,
  degraded: 4,
  interrupted: 130,
} as const;

/** Rows as aligned columns; the last one is not padded. */
export function columns(rows: readonly (readonly string[])[], indent = ""): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, widthOf(cell));
  }
  const pad = (cell: string, index: number) => cell + " ".repeat((widths[index] ?? 0) - widthOf(cell));
  return rows.map((row) => `${indent}${row.map(pad).join("  ")}`.trimEnd()).join("\n");
}

/** Rows of a name in bold and a value; `condition && row` leaves one out. */
export const labelled = (rows: readonly (readonly [string, string] | false)[]): [string, string][] =>
  present(rows).map(([name, value]) => [paint("bold", name), value]);

/** A setting or a field as a person reads it. */
export function plain(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

export function writeReport({ data, text }: Report, json: boolean): void {
  if (json) writeJson(data, 2);
  else if (text instanceof Uint8Array) writeBytes(text);
  else {
    const whole = typeof text === "string" ? text : present(text).join("\n");
    if (whole !== "") write(whole.endsWith("\n") ? whole : `${whole}\n`);
  }
}

/** Code, message and fix of any error; an unexpected one has the code `internal`. */
export function describeError(error: unknown): { code: ErrorCode; message: string; fix: string | undefined } {
  const message = errorText(error).replace(/\s*\n\s*/g, " ");
  if (error instanceof ThroughlineError) return { code: error.code, message, fix: error.fix };
  return {
    code: "internal",
    message: `unexpected error: ${message}`,
    fix: "run it again with THROUGHLINE_DEBUG=1 to see the stack, and report it",
  };
}

/** Prints the error and returns its exit code. */
export function writeError(error: unknown, json: boolean): number {
  const { code, message, fix } = describeError(error);
  if (json) writeJson({ error: { code, message, fix } }, 2);
  else {
    const name = paint("red", "throughline:", "stderr");
    write(`${name} ${message}\n${fix === undefined ? "" : `fix: ${fix}\n`}`, "stderr");
  }
  if (process.env.THROUGHLINE_DEBUG && error instanceof Error) write(`${error.stack}\n`, "stderr");
  return code === "usage" ? exitCodes.usage : exitCodes.failure;
}
