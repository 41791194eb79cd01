// The one place of the command line that writes: every text is made harmless first, then our own colours are put in.
import { randomBytes } from "node:crypto";
import { stripVTControlCharacters, styleText } from "node:util";
import { neutral, neutralJson } from "../lib/index.ts";

type Format = Parameters<typeof styleText>[0];
type Stream = "stdout" | "stderr";

/** Stands for ESC in what is ours until it is written. New in every process, so that no stored text can hold it. */
const OURS = `\ufdd0${randomBytes(8).toString("hex")}\ufdd1`;

/** Colours `text` where the stream is a terminal that wants it (NO_COLOR and FORCE_COLOR decide first). */
export function paint(format: Format, text: string, stream: Stream = "stdout"): string {
  return styleText(format, neutral(text), { stream: process[stream] }).replaceAll("\u001b", OURS);
}

/** Goes to the beginning of the line and empties it. */
export const eraseLine = `${OURS}[1G${OURS}[2K`;

/** What a terminal shows of a text, without colours. */
export const withoutColours = (text: string): string =>
  stripVTControlCharacters(text.replaceAll(OURS, "\u001b"));

/** As it may reach a terminal. Only for libraries that write by themselves; everything else is written here. */
export const rendered = (text: string): string => text.split(OURS).map(neutral).join("\u001b");

export function write(text: string, stream: Stream = "stdout"): void {
  process[stream].write(rendered(text));
}

/** A document for a program. */
export function writeJson(value: unknown, space?: number): void {
  process.stdout.write(`${neutralJson(JSON.stringify(value, null, space))}\n`);
}

/** Exact bytes for a file or a program; a terminal gets them as text. */
export function writeBytes(bytes: Uint8Array): void {
  if (process.stdout.isTTY) write(Buffer.from(bytes).toString("utf8"));
  else process.stdout.write(bytes);
}

/** A terminal, or what stands for one. */
export interface Screen {
  readonly isTTY: boolean;
  /** How wide it is, where that is known. */
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

/** Whether a person can be asked. */
export const isInteractive = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true;

/** A reader that has seen enough (`| head`) is no failure. */
export function endWithReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit();
      throw error;
    });
  }
}
