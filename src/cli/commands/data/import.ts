// `throughline data import`: the lines of an export into the database, scanned for secrets, nothing twice.
import { createReadStream, statSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { ThroughlineError } from "../../../lib/index.ts";
import { redactValue } from "../../../redact/index.ts";
import { defineCommand } from "../../command.ts";
import { exitCodes } from "../../output.ts";
import { surroundings } from "../../surroundings.ts";
import { told, withDatabase } from "./database.ts";

const SHOWN_REJECTIONS = 5;

/** Opened when the first line is asked for: a reader that nobody listens to loses what it reads. */
async function* linesOf(file: string): AsyncGenerator<string> {
  const input = createReadStream(file, { encoding: "utf8" });
  yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
}

export default defineCommand({
  args: {
    file: {
      type: "positional",
      required: true,
      description:
        "a file written by `throughline data export`; sessions of Claude Code come by `throughline import`",
    },
  },
  examples: [{ line: "throughline data import everything.jsonl", does: "add what is not there yet" }],
  async run({ args }) {
    const file = path.resolve(surroundings().cwd, args.file);
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
      throw new ThroughlineError("not-found", `no file ${file}`, { fix: "check the path" });
    }
    const report = await withDatabase(
      // Who wrote the file is not known, so nothing in it is taken to be clean.
      (store) => store.importLines(linesOf(file), { redact: (value) => redactValue(value).value }),
      { create: true },
    );
    const problems = report.rejected
      .slice(0, SHOWN_REJECTIONS)
      .map(({ line, reason }) => `line ${line}: ${reason}`);
    const text = [
      `added: ${told(report.added)}`,
      `known already: ${told(report.known)}`,
      ...(report.rejectedCount === 0 ? [] : [`not used: ${report.rejectedCount} lines`, ...problems]),
      ...(report.complete ? [] : ["The file has no last line: it was cut off, and more was in it."]),
    ].join("\n");
    const isWhole = report.complete && report.rejectedCount === 0;
    return { data: report, text, exitCode: isWhole ? exitCodes.ok : exitCodes.degraded };
  },
});
