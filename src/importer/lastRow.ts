// When the last row of a transcript was written, read from its end: a file that was copied is new, and its rows are not.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { isObject, parseJson } from "../lib/index.ts";

const TAIL_BYTES = 256 * 1024;

/** Milliseconds since the epoch. Where the end of the file does not tell, the file's own time does. */
export function lastRowTime(file: string): number {
  const fd = openSync(file, "r");
  try {
    const { size, mtimeMs } = fstatSync(fd);
    const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const length = readSync(fd, tail, 0, tail.length, size - tail.length);
    const times = tail
      .toString("utf8", 0, length)
      .split("\n")
      .map(parseJson)
      .flatMap((row) => (isObject(row) ? Date.parse(String(row.timestamp)) : []))
      .filter((at) => !Number.isNaN(at));
    return times.length === 0 ? mtimeMs : Math.max(...times);
  } finally {
    closeSync(fd);
  }
}
