// `throughline worker`: the resident process that stores what hooks capture.

import { existsSync, fstatSync, readSync, watch } from "node:fs";
import { databaseFile, workerLog, workerSocket } from "../../home/index.ts";
import { call } from "../../ipc/index.ts";
import { isObject, parseJson, present, SECOND, tolerating, withFile } from "../../lib/index.ts";
import type { DeadJobs } from "../../worker/index.ts";
import { defineCommand, defineGroup, flag, integer, type Report } from "../command.ts";
import { commandContext, withDatabase } from "../context.ts";
import { columns, counted, exitCodes, localMinute, plain } from "../output.ts";
import { workerProgram } from "../package.ts";
import { ensureWorker, isWorkerAbsent } from "../runningWorker.ts";
import { write, writeJson } from "../terminal.ts";

const start = defineCommand({
  summary: "start it in the background",

  examples: { "throughline worker start": "hooks start it too when they need it" },
  async run() {
    const worker = await ensureWorker(commandContext());
    const { pid, version, started } = worker;
    const text = `${started ? "started" : "already running"}: process ${pid}, version ${version}`;
    return { data: worker, text };
  },
});

/** A full spool may have to be drained first. */
const DRAIN_AND_STOP_TIMEOUT_MS = 120 * SECOND;

const stop = defineCommand({
  summary: "let it finish its work and exit",

  examples: { "throughline worker stop": "stores what was captured first" },
  async run() {
    const socket = workerSocket(commandContext().home);
    if (await isWorkerAbsent(socket)) return { data: { stopped: false }, text: "no worker is running" };
    await call(socket, "shutdown", { timeoutMs: DRAIN_AND_STOP_TIMEOUT_MS });
    return { data: { stopped: true }, text: "stopped" };
  },
});

function rowsOf(status: Readonly<Record<string, unknown>>) {
  const spool = isObject(status.spool) ? status.spool : {};
  const queue = isObject(status.queue) ? status.queue : {};
  return present([
    ["process", `${status.pid}, version ${status.version}, since ${localMinute(String(status.startedAt))}`],
    ["memory", `${(Number(status.rss) / 1024 / 1024).toFixed(0)} MB`],
    ["http", Number(status.port) > 0 ? `http://127.0.0.1:${status.port}` : "none; see the log"],
    [
      "events",
      `${status.added} stored since then, the last ${status.lastEventAt == null ? "never" : localMinute(String(status.lastEventAt))}`,
    ],
    [
      "spool",
      `${spool.waiting} waiting, ${spool.bad} rejected${spool.reason == null ? "" : `, the last because ${spool.reason}`}`,
    ],
    ["queue", `${queue.ready} ready, ${queue.leased} running, ${queue.dead} failed`],
    status.paused === true && ["capture", "paused; `throughline resume` continues"],
    typeof status.problem === "string" && ["problem", status.problem],
  ]);
}

const status = defineCommand({
  summary: "what it is doing",

  examples: {
    "throughline worker status": "process, memory, spool and queue",
    "throughline worker status --json": "the same, for a program",
  },
  async run(): Promise<Report> {
    const socket = workerSocket(commandContext().home);
    if (await isWorkerAbsent(socket)) {
      return {
        data: { running: false },
        text: "no worker is running; the next session starts one, or use `throughline worker start`",
        exitCode: exitCodes.notRunning,
      };
    }
    const status = await call(socket, "status");
    const data = isObject(status) ? status : {};
    const exitCode = data.problem === null ? exitCodes.ok : exitCodes.degraded;
    return { data: { running: true, ...data }, text: columns(rowsOf(data)), exitCode };
  },
});

const DEFAULT_LOG_LINES = 50;
const TAIL_BYTES = 1024 * 1024;
const FOLLOW_POLL_MS = 500;

function logLine(line: string) {
  const record = parseJson(line);
  if (!isObject(record)) return line;
  const { level, time, msg, ...rest } = record;
  const facts = Object.entries(rest).map(([name, value]) => `${name}=${plain(value)}`);
  return [time, level, msg, ...facts].join("  ");
}

/** The content of the file from `from` on; all of it when the file was rotated. */
function readLogFrom(file: string, from: number | "tail") {
  const read = (fd: number) => {
    const { size } = fstatSync(fd);
    const start = from === "tail" ? Math.max(0, size - TAIL_BYTES) : from > size ? 0 : from;
    const bytes = Buffer.alloc(size - start);
    const length = readSync(fd, bytes, 0, bytes.length, start);
    return { text: bytes.toString("utf8", 0, length), end: start + length };
  };
  return tolerating(() => withFile(file, "r", read), "ENOENT");
}

const nonEmptyLines = (text: string) => text.split("\n").filter((line) => line !== "");

function printLogLine(line: string, json: boolean) {
  if (json) writeJson(parseJson(line) ?? { msg: line });
  else write(`${logLine(line)}\n`);
}

/** Prints new lines until the process is interrupted. */
function follow(file: string, from: number, json: boolean): Promise<never> {
  let end = from;
  const look = () => {
    const part = readLogFrom(file, end);
    if (!part) return;
    end = part.end;
    for (const line of nonEmptyLines(part.text)) printLogLine(line, json);
  };
  return new Promise(() => {
    setInterval(look, FOLLOW_POLL_MS);
    watch(file).on("change", look);
  });
}

const logs = defineCommand({
  summary: "its log",

  args: {
    lines: integer("count", `how many of the last lines (default: ${DEFAULT_LOG_LINES})`, { short: "n" }),
    follow: flag("continue as it grows", { short: "f" }),
  },
  examples: {
    "throughline worker logs": "the last lines",
    "throughline worker logs -n 200 --follow": "more lines, and new ones as they come",
  },
  async run({ args }) {
    const { lines: count = DEFAULT_LOG_LINES } = args;
    const file = workerLog(commandContext().home);
    const part = readLogFrom(file, "tail");
    const lines = nonEmptyLines(part?.text ?? "").slice(count === 0 ? Number.MAX_SAFE_INTEGER : -count);
    const records = lines.map((line) => parseJson(line) ?? { msg: line });
    if (args.follow) {
      const json = process.argv.includes("--json");
      for (const line of lines) printLogLine(line, json);
      await follow(file, part?.end ?? 0, json);
    }
    const text = part ? lines.map(logLine).join("\n") : "there is no log yet";
    return { data: { file, lines: records }, text };
  },
});

const isDeadJobs = (value: unknown): value is DeadJobs => isObject(value) && Array.isArray(value.jobs);

/** Asks the worker if one runs: it is the only writer then. */
async function deadJobsReport(retry: boolean) {
  const { home } = commandContext();
  const socket = workerSocket(home);
  if (!(await isWorkerAbsent(socket))) {
    const found = await call(socket, "jobs", { args: { retry } });
    if (isDeadJobs(found)) return found;
  }
  if (!existsSync(databaseFile(home))) return { jobs: [], count: 0, retried: 0 };
  const { listDeadJobs } = await import("../../worker/index.ts");
  return withDatabase((store) => listDeadJobs(store, retry, Date.now()));
}

function deadJobsText({ jobs, count, retried }: DeadJobs) {
  if (count === 0) return "no failed jobs";
  const rows = jobs.map(({ id, kind, session, attempts, lastError }) => [
    String(id),
    kind,
    session ?? "",
    counted(attempts, "attempt"),
    lastError ?? "unknown reason",
  ]);
  return [
    columns(rows),
    count > jobs.length && `and ${count - jobs.length} more`,
    retried > 0
      ? `${counted(retried, "job")} will be retried`
      : "`throughline worker jobs --retry` retries them",
  ];
}

const jobs = defineCommand({
  summary: "jobs that failed for good, and a retry",

  args: { retry: flag("retry all of them") },
  examples: {
    "throughline worker jobs": "failed jobs with the reasons",
    "throughline worker jobs --retry": "retry all of them",
  },
  async run({ args }) {
    const data = await deadJobsReport(args.retry);
    return { data, text: deadJobsText(data) };
  },
});

const endings: Readonly<Record<string, string>> = {
  idle: "exited: idle",
  replaced: "exited: the socket was replaced or deleted",
  shutdown: "exited: asked to stop",
  handover: "exited: a newer worker took over",
  signal: "exited: interrupted",
  held: "a worker of this version or a newer one is already running",
};

const run = defineCommand({
  summary: "run it in the foreground",

  examples: { "throughline worker run": "for a service manager, or to see why it does not start" },
  async run() {
    const { runWorkerInProcess } = await import("../../worker/index.ts");
    const ending = await runWorkerInProcess({ program: workerProgram() });
    const socket = workerSocket(commandContext().home);
    return {
      data: { ending },
      text: endings[ending] ?? `another program listens at ${socket}`,
      exitCode: ending === "foreign" ? exitCodes.failure : exitCodes.ok,
    };
  },
});

export default {
  worker: defineGroup(
    { start, stop, status, logs, jobs, run },
    { "throughline worker status": "what it is doing", "throughline worker logs --follow": "watch it work" },
  ),
};
