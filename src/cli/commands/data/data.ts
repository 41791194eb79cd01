// `throughline data`: backup, export, integrity and size of the data.

import { createReadStream, createWriteStream, existsSync, renameSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import {
  ensureFolder,
  notFoundError,
  removeFile,
  statIfThere,
  systemClock,
  usageError,
} from "../../../lib/index.ts";
import { redactValue } from "../../../redact/index.ts";
import type { RetentionPreview, RetentionRules } from "../../../store/index.ts";
import { defineCommand, defineGroup, flag, integer, operand } from "../../command.ts";
import { commandContext, ownConfig, scopeArgs, scopeFrom, withDatabase } from "../../context.ts";
import {
  columns,
  counted,
  countedRows,
  exitCodes,
  formatNumber,
  localMinute,
  megabytes,
} from "../../output.ts";
import { backup, check, restore } from "./backup.ts";

const exportCommand = defineCommand({
  summary: "write the data as lines of JSON",

  args: {
    file: operand("a file that does not exist yet"),
    ...scopeArgs,
  },
  examples: {
    "throughline data export everything.jsonl": "everything in the database",
    "throughline data export app.jsonl --project my-app": "one project",
    "throughline data export october.jsonl --from 2026-10-01 --to 2026-11-01": "one month",
  },
  async run({ args }) {
    const file = path.resolve(commandContext().cwd, args.file);
    if (existsSync(file)) throw usageError(`${file} already exists`, "name a file that does not exist");
    ensureFolder(path.dirname(file));
    const unfinished = `${file}.${process.pid}.tmp`;
    let lines = 0;
    try {
      await withDatabase(async (store) => {
        const scope = await scopeFrom(store, args);
        const ended = async function* () {
          for await (const line of store.exportLines(scope)) {
            lines += 1;
            yield `${line}\n`;
          }
        };
        await pipeline(ended, createWriteStream(unfinished, { flags: "wx", mode: 0o600, flush: true }));
      });
      renameSync(unfinished, file);
    } catch (error) {
      removeFile(unfinished);
      throw error;
    }
    // The first and the last line describe the file itself.
    return { data: { file, rows: lines - 2 }, text: `${file}: ${lines - 2} rows` };
  },
});

const SHOWN_REJECTIONS = 5;

/** Opens the file with the first line that is read: a reader without a listener loses lines. */
async function* linesOfFile(file: string): AsyncGenerator<string> {
  const input = createReadStream(file, { encoding: "utf8" });
  yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
}

const importLinesCommand = defineCommand({
  summary: "add the lines of an export",

  args: {
    file: operand(
      "a file written by `throughline data export`; for sessions of Claude Code use `throughline import`",
    ),
  },
  examples: { "throughline data import everything.jsonl": "add what is missing" },
  async run({ args }) {
    const file = path.resolve(commandContext().cwd, args.file);
    if (!statIfThere(file)?.isFile()) {
      throw notFoundError(`${file} is not a file`, "name a file that `throughline data export` wrote");
    }
    const report = await withDatabase(
      // The file may come from anywhere, so everything in it is redacted.
      (store) => store.importLines(linesOfFile(file), { redact: (value) => redactValue(value).value }),
      "create",
    );
    const problems = report.rejected
      .slice(0, SHOWN_REJECTIONS)
      .map(({ line, reason }) => `line ${line}: ${reason}`);
    const text = [
      `added: ${countedRows(report.added)}`,
      `already known: ${countedRows(report.known)}`,
      report.rejectedCount > 0 && `rejected: ${report.rejectedCount} lines`,
      ...problems,
      !report.complete && "The file has no last line: it was cut off and is incomplete.",
    ];
    const isWhole = report.complete && report.rejectedCount === 0;
    return { data: report, text, exitCode: isWhole ? exitCodes.ok : exitCodes.degraded };
  },
});

const vacuum = defineCommand({
  summary: "return free space to the disk",

  examples: { "throughline data vacuum": "shrink the file to its content" },
  async run() {
    const sizes = await withDatabase((store) => store.vacuum());
    return { data: sizes, text: `${megabytes(sizes.before)} before, ${megabytes(sizes.after)} now` };
  },
});

function retentionLines({ rawBefore, allBefore, counts, bytes }: RetentionPreview) {
  if (rawBefore === undefined && allBefore === undefined) return ["No rule deletes anything."];
  return [
    rawBefore && `events and messages before ${localMinute(rawBefore)}`,
    allBefore && `everything before ${localMinute(allBefore)}`,
    `${countedRows(counts)}, about ${megabytes(bytes)}`,
  ];
}

const retention = defineCommand({
  summary: "show, and then delete, what is old or too much",

  args: {
    "retention-days": integer("n", "days after which everything is deleted; 0 keeps it"),
    "raw-retention-days": integer("n", "days after which raw events and messages are deleted; 0 keeps them"),
    "max-bytes": integer("n", "size above which the oldest data is deleted; 0 is no limit"),
    yes: flag("delete; without it nothing changes"),
  },
  examples: {
    "throughline data retention": "what your settings would delete",
    "throughline data retention --raw-retention-days 90 --yes": "delete old raw events",
  },
  async run({ args }) {
    const { store: settings } = ownConfig().values;
    const rules: RetentionRules = {
      days: args["retention-days"] ?? settings.retentionDays,
      rawDays: args["raw-retention-days"] ?? settings.rawRetentionDays,
      maxBytes: args["max-bytes"] ?? settings.maxBytes,
    };
    const now = systemClock.now();
    const isApplied = args.yes;
    const result = await withDatabase(async (store) => {
      if (!isApplied) return store.previewRetention(rules, now);
      const done = await store.applyRetention(rules, now);
      await store.vacuum();
      return done;
    });
    const isEmpty = Object.values(result.counts).every((count) => count === 0);
    const hint = !isApplied && !isEmpty && "Nothing was deleted yet; --yes deletes it permanently.";
    return { data: { rules, applied: isApplied, ...result }, text: [...retentionLines(result), hint] };
  },
});

const countsText = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${formatNumber(count)}`)
    .join(", ") || "none";

const timeSpanText = (oldest: string, newest = oldest) => `${localMinute(oldest)} – ${localMinute(newest)}`;

const SHOWN_PROJECTS = 10;

const stats = defineCommand({
  summary: "how much is stored, by kind and project",

  examples: {
    "throughline data stats": "rows, sizes, projects",
    "throughline data stats --json": "the same for a program, by day too",
  },
  async run() {
    const data = await withDatabase((store) => store.stats(), "read");
    const projects = data.projects.slice(0, SHOWN_PROJECTS);
    const rows = [
      ["kept", countedRows(data.counts)],
      ["on disk", `${megabytes(data.bytes)}, ${megabytes(data.freeBytes)} of it free`],
      ["time", data.oldest === undefined ? "nothing yet" : timeSpanText(data.oldest, data.newest)],
      ["observations", countsText(data.observationsByType)],
      ["events", countsText(data.eventsByKind)],
      ...projects.map(({ project, sessions, events }, at) => [
        at === 0 ? "projects" : "",
        `${project}: ${counted(sessions, "session")}, ${counted(events, "event")}`,
      ]),
    ];
    return { data, text: columns(rows) };
  },
});

export default {
  data: defineGroup(
    { backup, restore, stats, check, export: exportCommand, import: importLinesCommand, retention, vacuum },
    {
      "throughline data backup": "copy everything",
      "throughline data check": "look for damage",
      "throughline data export work.jsonl --project .": "the project in this folder, as lines",
      "throughline data retention --raw-retention-days 90": "what that rule would delete",
    },
  ),
};
