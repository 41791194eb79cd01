// The only file of the command line that writes: control characters in texts are made visible, our own colours are added.
import { randomBytes } from "node:crypto";
import { stripVTControlCharacters, styleText } from "node:util";
import { neutral, neutralJson } from "../lib/index.ts";

type Format = Parameters<typeof styleText>[0];
type Stream = "stdout" | "stderr";

/** Replaces ESC in our own sequences until they are written. Random per process, so that no stored text can contain it. */
const OURS = `\ufdd0${randomBytes(8).toString("hex")}\ufdd1`;

/** Colours `text` where the stream is a terminal that wants it (NO_COLOR and FORCE_COLOR decide first). */
export function paint(format: Format, text: string, stream: Stream = "stdout") {
  return styleText(format, neutral(text), { stream: process[stream] }).replaceAll("\u001b", OURS);
}

/** Moves to the start of the line and clears it. */
export const eraseLine = `${OURS}[1G${OURS}[2K`;

/** The text without colours. */
export const withoutColours = (text: string) => stripVTControlCharacters(text.replaceAll(OURS, "\u001b"));

/** A text that is safe for a terminal. Only for libraries that write by themselves; everything else uses `write`. */
export const rendered = (text: string) => text.split(OURS).map(neutral).join("\u001b");

export function write(text: string, stream: Stream = "stdout") {
  process[stream].write(rendered(text));
}

export function writeJson(value: unknown, space?: number) {
  process.stdout.write(`${neutralJson(JSON.stringify(value, null, space))}\n`);
}

/** Exact bytes for a file or a program; a terminal gets them as text. */
export function writeBytes(bytes: Uint8Array) {
  if (process.stdout.isTTY) write(Buffer.from(bytes).toString("utf8"));
  else process.stdout.write(bytes);
}

/** A terminal, or a stand-in for tests. */
export interface Screen {
  readonly isTTY: boolean;
  /** Its width, if known. */
  readonly columns: number | undefined;
  write(text: string): void;
}

export const screenOf = (stream: Stream): Screen => ({
  get isTTY() {
    return process[stream].isTTY === true;
  },
  get columns() {
    return process[stream].columns || undefined;
  },
  write: (text) => write(text, stream),
});

/** Whether a question can be asked. */
export const isInteractive = () => process.stdin.isTTY === true && process.stdout.isTTY === true;

/** A reader that closes the pipe (`| head`) is not a failure. */
export function endWithReader() {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit();
      throw error;
    });
  }
}
