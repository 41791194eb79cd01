// How reports and errors are printed: counts, sizes, times and columns as a person reads them, and the exit codes.
import { type ErrorCode, errorText, present, ThroughlineError } from "../lib/index.ts";
import type { Report } from "./command.ts";
import { paint, withoutColours, write, writeBytes, writeJson } from "./terminal.ts";

/** `1,200`. */
export const formatNumber = (value: number) => value.toLocaleString("en-US");

/** `1 session`, `1,200 sessions`. */
export const counted = (count: number, one: string, many = `${one}s`) =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;

export const sumOf = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

const two = (value: number) => String(value).padStart(2, "0");

/** Day and minute in local time. */
export function localMinute(at: string | number) {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return String(at);
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join("-");
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** How long ago something was. */
export function ageOf(hours: number) {
  const minutes = Math.floor(hours * 60);
  if (minutes < 0) return "in the future";
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  return hours < 48 ? `${hours.toFixed(1)} h ago` : `${Math.floor(hours / 24)} days ago`;
}

/** Rows of the tables that have any: `3 sessions, 120 events`. */
export function countedRows(counts: Readonly<Record<string, number>>) {
  const rows = Object.entries(counts).flatMap(([name, count]) =>
    count > 0 ? counted(count, name.replace(/ies$/, "y").replace(/s$/, ""), name) : [],
  );
  return rows.join(", ") || "nothing";
}

export const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;

const twoCellsWide =
  /[\u1100-\u115f\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f/u;

/** Cells of a terminal; Chinese, Japanese and Korean characters and emoji take two, colours none. */
export function widthOf(text: string) {
  const seen = withoutColours(text);
  if (/^[\x20-\x7e]*$/.test(seen)) return seen.length;
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(seen)) width += twoCellsWide.test(segment) ? 2 : 1;
  return width;
}

/** A text in lines of at most `width` cells, broken between words. A wider word has its own line. */
export function wrapped(text: string, width: number) {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && widthOf(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

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
export function columns(rows: readonly (readonly string[])[], indent = "") {
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
export function plain(value: unknown) {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

export function writeReport({ data, text }: Report, json: boolean) {
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
