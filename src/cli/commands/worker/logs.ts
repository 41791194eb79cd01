// `throughline worker logs`: the worker's log as a person reads it, and further as it grows.
import { closeSync, fstatSync, openSync, readSync, watch } from "node:fs";
import { workerLog } from "../../../home/index.ts";
import { isObject, parseJson, systemErrorCode, ThroughlineError } from "../../../lib/index.ts";
import { defineCommand } from "../../command.ts";
import { plain } from "../../output.ts";
import { surroundings } from "../../surroundings.ts";
import { write, writeJson } from "../../terminal.ts";

const SHOWN = 50;
const TAIL_BYTES = 1024 * 1024;
const POLL_MS = 500;

function shown(line: string): string {
  const record = parseJson(line);
  if (!isObject(record)) return line;
  const { level, time, msg, ...rest } = record;
  const facts = Object.entries(rest).map(([name, value]) => `${name}=${plain(value)}`);
  return [time, level, msg, ...facts].join("  ");
}

interface Part {
  readonly text: string;
  readonly end: number;
}

/** What the file holds behind `from`; of a file that has begun anew, all of it. */
function readFrom(file: string, from: number | "tail"): Part | undefined {
  try {
    const fd = openSync(file, "r");
    try {
      const { size } = fstatSync(fd);
      const start = from === "tail" ? Math.max(0, size - TAIL_BYTES) : from > size ? 0 : from;
      const bytes = Buffer.alloc(size - start);
      const read = readSync(fd, bytes, 0, bytes.length, start);
      return { text: bytes.toString("utf8", 0, read), end: start + read };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

const linesOf = (text: string): string[] => text.split("\n").filter((line) => line !== "");

function print(line: string, json: boolean): void {
  if (json) writeJson(parseJson(line) ?? { msg: line });
  else write(`${shown(line)}\n`);
}

/** Prints what comes until the person has seen enough. */
function follow(file: string, from: number, json: boolean): Promise<never> {
  let end = from;
  const look = (): void => {
    const part = readFrom(file, end);
    if (part === undefined) return;
    end = part.end;
    for (const line of linesOf(part.text)) print(line, json);
  };
  return new Promise(() => {
    setInterval(look, POLL_MS);
    watch(file).on("change", look);
  });
}

export default defineCommand({
  args: {
    lines: {
      type: "string",
      alias: "n",
      valueHint: "count",
      description: `how many of the last lines (default: ${SHOWN})`,
    },
    follow: { type: "boolean", alias: "f", description: "go on as it grows" },
  },
  examples: [
    { line: "throughline worker logs", does: "the last lines" },
    { line: "throughline worker logs -n 200 --follow", does: "more of them, and those to come" },
  ],
  async run({ args }) {
    const count = args.lines === undefined ? SHOWN : Number(args.lines);
    if (!Number.isInteger(count) || count < 0) {
      throw new ThroughlineError("usage", `--lines takes a whole number, not ${args.lines}`, {
        fix: "for example --lines 100",
      });
    }
    const file = workerLog(surroundings().home);
    const part = readFrom(file, "tail");
    const lines = linesOf(part?.text ?? "").slice(count === 0 ? Number.MAX_SAFE_INTEGER : -count);
    const records = lines.map((line) => parseJson(line) ?? { msg: line });
    if (args.follow === true) {
      const json = process.argv.includes("--json");
      for (const line of lines) print(line, json);
      await follow(file, part?.end ?? 0, json);
    }
    const text = part === undefined ? "no worker has written a log yet" : lines.map(shown).join("\n");
    return { data: { file, lines: records }, text };
  },
});
