// A disk that is full to the last byte while hooks run, and has room again later: `DISK CLAUDE HOOK WORKER`.
// Runs where DISK is small and mounted for this process alone; prints what was kept and what was counted.
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { databaseFile, resolveHome, workerSocket } from "../../src/home/index.ts";
import { call } from "../../src/ipc/index.ts";
import { isObject, type JsonObject } from "../../src/lib/index.ts";
import { openStore } from "../../src/store/index.ts";
import { ended, pidThere, until } from "../until.ts";
import { callRow, resultRow } from "../worker/rows.ts";
import { fillDisk } from "../worker/smallDisk.ts";

const [disk = "", claude = "", hook = "", worker = ""] = process.argv.slice(2);
const env = {
  PATH: process.env.PATH,
  THROUGHLINE_HOME: path.join(disk, "home"),
  THROUGHLINE_WORKER_PORT: "0",
  CLAUDE_CONFIG_DIR: claude,
  HOME: disk,
};
const home = resolveHome({ env, platform: process.platform, homeFolder: disk });
const socket = workerSocket(home);
const project = path.join(claude, "projects", "-");
mkdirSync(project, { recursive: true });

/** One call of a tool: in the transcript first, then told to a hook. */
function happen(session: string, at: number): string {
  const id = `toolu_${session}_${at}`;
  const transcript = path.join(project, `${session}.jsonl`);
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
    tool_response: { stdout: "done" },
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, [hook], {
    env,
    input: JSON.stringify(payload),
    encoding: "utf8",
  });
  return `${status}${stdout}${stderr}`;
}

async function status(): Promise<JsonObject> {
  const found = await call(socket, "status", { timeoutMs: 20_000 });
  return isObject(found) ? found : {};
}

const lossesOf = ({ losses }: JsonObject): JsonObject => (isObject(losses) ? losses : {});

const child = spawn(process.execPath, [worker], { env, stdio: ["ignore", "ignore", "inherit"] });
await until(async () => ((await pidThere(socket)) === child.pid ? true : undefined), "the worker");
const said = [0, 1, 2].map((at) => happen("known", at));
await until(async () => ((await status()).added === 3 ? true : undefined), "the first events");
const filler = path.join(disk, "filler");
fillDisk(filler);
for (let at = 3; at < 15; at++) said.push(happen("known", at), happen("unknown", at));
const during = lossesOf(await status());
rmSync(filler);
// No new event and no new worker: the marks alone ask for the transcripts.
const after = await until(async () => {
  const found = await status();
  return lossesOf(found).pending === 0 ? found : undefined;
}, "the refill");
await call(socket, "shutdown", { timeoutMs: 60_000 });
await ended(child);
const store = await openStore({ file: databaseFile(home) });
const { items } = await store.events({ limit: 500, order: "oldest" });
const check = await store.integrityCheck();
await store.close();
console.log(
  JSON.stringify({
    said: [...new Set(said)],
    during,
    after: lossesOf(after),
    ids: items.map(({ payload }) => payload.tool_use_id),
    ok: check.ok,
  }),
);
