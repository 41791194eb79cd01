// `throughline worker status`: what the worker says of itself.

import { workerSocket } from "../../../home/index.ts";
import { ask, call } from "../../../ipc/index.ts";
import { isObject, SECOND } from "../../../lib/index.ts";
import { defineCommand, type Report } from "../../command.ts";
import { columns, exitCodes } from "../../output.ts";
import { surroundings } from "../../surroundings.ts";
import { localMinute } from "../../wording.ts";

const megabytes = (bytes: unknown): string => `${(Number(bytes) / 1024 / 1024).toFixed(0)} MB`;

function rowsOf(status: Readonly<Record<string, unknown>>): string[][] {
  const spool = isObject(status.spool) ? status.spool : {};
  const queue = isObject(status.queue) ? status.queue : {};
  return [
    ["process", `${status.pid}, version ${status.version}, since ${localMinute(String(status.startedAt))}`],
    ["memory", megabytes(status.rss)],
    ["http", Number(status.port) > 0 ? `http://127.0.0.1:${status.port}` : "none; the log says why"],
    [
      "events",
      `${status.added} kept since then, the last ${status.lastEventAt == null ? "never" : localMinute(String(status.lastEventAt))}`,
    ],
    [
      "spool",
      `${spool.waiting} wait, ${spool.bad} were set aside${spool.reason == null ? "" : `, the last one because ${spool.reason}`}`,
    ],
    ["queue", `${queue.ready} ready, ${queue.leased} in work, ${queue.dead} given up`],
    ...(status.paused === true ? [["capture", "paused; `throughline resume` goes on"]] : []),
    ...(typeof status.problem === "string" ? [["problem", status.problem]] : []),
  ];
}

export default defineCommand({
  args: {},
  examples: [
    { line: "throughline worker status", does: "process, memory, spool and queue" },
    { line: "throughline worker status --json", does: "the same for a program" },
  ],
  async run(): Promise<Report> {
    const socket = workerSocket(surroundings().home);
    if ((await ask(socket, "ping", { timeoutMs: 2 * SECOND })) === "absent") {
      return {
        data: { running: false },
        text: "no worker is running; the next session starts one, or `throughline worker start`",
        exitCode: exitCodes.notRunning,
      };
    }
    const status = await call(socket, "status");
    const data = isObject(status) ? status : {};
    const isWell = data.problem === null;
    return {
      data: { running: true, ...data },
      text: columns(rowsOf(data)),
      exitCode: isWell ? exitCodes.ok : exitCodes.degraded,
    };
  },
});
