// The worker's log: one JSON line a record, in a file that is set aside when it has grown, redacted before it is written.
import { closeSync, existsSync, fstatSync, openSync, renameSync, writeSync } from "node:fs";
import path from "node:path";
import { type Logger, pino } from "pino";
import { ensureFolder, errorText, neutral } from "../lib/index.ts";

export type { Logger };

interface LogOptions {
  readonly file: string;
  readonly level: string;
  /** Size at which the file becomes `<file>.1`. */
  readonly maxBytes: number;
  /** How many files that were set aside are kept. */
  readonly keep: number;
  /** Removes secrets from the fields of a record; messages are event names. */
  readonly redact: (record: Record<string, unknown>) => Record<string, unknown>;
}

function rotate(file: string, keep: number) {
  for (let number = keep - 1; number >= 1; number--) {
    if (existsSync(`${file}.${number}`)) renameSync(`${file}.${number}`, `${file}.${number + 1}`);
  }
  if (keep > 0 && existsSync(file)) renameSync(file, `${file}.1`);
}

/** Writes whole lines synchronously, so that a crash does not lose the last ones. */
function rotatingFile({ file, maxBytes, keep }: Pick<LogOptions, "file" | "maxBytes" | "keep">): {
  write(line: string): void;
} {
  ensureFolder(path.dirname(file));
  const open = () => {
    const fd = openSync(file, "a", 0o600);
    return { fd, size: fstatSync(fd).size };
  };
  let current = open();
  return {
    write(line) {
      const bytes = Buffer.from(line, "utf8");
      if (current.size > 0 && current.size + bytes.length > maxBytes) {
        closeSync(current.fd);
        rotate(file, keep);
        current = open();
      }
      try {
        writeSync(current.fd, bytes);
        current.size += bytes.length;
      } catch (error) {
        // A full disk must not end the worker; the terminal is all that is left to complain to.
        process.stderr.write(neutral(`throughline: cannot write ${file}: ${errorText(error)}\n`));
      }
    },
  };
}

export function openLog(options: LogOptions): Logger {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: options.redact },
    },
    rotatingFile(options),
  );
}
