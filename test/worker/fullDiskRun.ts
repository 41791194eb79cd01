// A disk that fills up while hooks and a worker use it, and has room again later: `DISK TRANSCRIPT HOOK WORKER`.
// Runs where DISK is small and used by nothing else, and prints what became of everything as one line of JSON.
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { databaseFile, hookLog, resolveHome, spoolFolder, workerSocket } from "../../src/home/index.ts";
import { call } from "../../src/ipc/index.ts";
import { isObject } from "../../src/lib/index.ts";
import { spoolBacklog } from "../../src/spool/index.ts";
import { openStore } from "../../src/store/index.ts";
import { ended, pidThere, until } from "../until.ts";
import { callRow, resultRow } from "./rows.ts";
import { fillDisk } from "./smallDisk.ts";

const [disk = "", transcript = "", hook = "", worker = ""] = process.argv.slice(2);
const env = {
  PATH: process.env.PATH,
  THROUGHLINE_HOME: path.join(disk, "home"),
  THROUGHLINE_WORKER_PORT: "0",
};
const home = resolveHome({ env, platform: process.platform, homeFolder: disk });
const socket = workerSocket(home);
const session = "s1";

/** One call of a tool: in the transcript first, then told to a hook. */
function happen(at: number): string {
  const id = `toolu_${at}`;
  for (const row of [callRow(session, at, id), resultRow(session, at, id)])
    appendFileSync(transcript, `${JSON.stringify(row)}\n`);
  const payload = {
    hook_event_name: "PostToolUse",
    session_id: session,
    transcript_path: transcript,
    cwd: "/",
    tool_name: "Bash",
    tool_use_id: id,
    tool_input: { command: `run ${id}` },
    tool_response: { stdout: `line ${at}\n`.repeat(at % 2 === 0 ? 8_000 : 1) },
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, [hook], {
    env,
    input: JSON.stringify(payload),
    encoding: "utf8",
  });
  return `${status}${stdout}${stderr}`;
}

async function startWorker() {
  const child = spawn(process.execPath, [worker], { env, stdio: ["ignore", "ignore", "inherit"] });
  await until(async () => ((await pidThere(socket)) === child.pid ? true : undefined), "the worker");
  return child;
}

const emptySpool = (): Promise<true> =>
  until(() => (spoolBacklog(spoolFolder(home)).waiting === 0 ? true : undefined), "the spool to be empty");

async function problem(): Promise<unknown> {
  const status = await call(socket, "status", { timeoutMs: 20_000 });
  return isObject(status) ? status.problem : "no status";
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at);
const filler = path.join(disk, "filler");

const first = await startWorker();
const before = range(0, 5).map(happen);
await emptySpool();
// What the worker finds in the spool when it wakes has no room in the database either.
first.kill("SIGSTOP");
before.push(...range(5, 11).map(happen));
fillDisk(filler);
first.kill("SIGCONT");
const trouble = await until(async () => (await problem()) ?? undefined, "the worker to be in trouble");
const during = range(11, 17).map(happen);
const survived = (await pidThere(socket)) === first.pid;
rmSync(filler);
// No new event: what the hooks could still write is taken in by itself.
await emptySpool();
const solved = (await problem()) === null;
await call(socket, "shutdown", { timeoutMs: 60_000 });
const left = await ended(first);
// What they could not write is read from the transcript by the next worker.
const second = await startWorker();
await call(socket, "shutdown", { timeoutMs: 60_000 });
await ended(second);
const store = await openStore({ file: databaseFile(home) });
const { items } = await store.events({ limit: 500, order: "oldest" });
const { ok } = await store.integrityCheck();
await store.close();
const log = existsSync(hookLog(home)) ? readFileSync(hookLog(home), "utf8").split("\n").filter(Boolean) : [];
const ids = items.map(({ payload }) => payload.tool_use_id);
const lanes = items.map(({ lane }) => lane);
console.log(JSON.stringify({ before, during, trouble, survived, solved, left, ids, lanes, ok, log }));
