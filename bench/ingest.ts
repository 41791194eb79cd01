// How fast a worker takes in what hooks have spooled, redaction on, and how much memory it has afterwards.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { resolveHome, spoolFolder, workerSocket } from "../src/home/index.ts";
import { ask, workerArguments } from "../src/ipc/index.ts";
import { isObject, parseJson } from "../src/lib/index.ts";
import { captureEvent, writeEvent } from "../src/spool/index.ts";
import { openStore } from "../src/store/index.ts";
import type { Bench } from "./bench.ts";
import { inFolder, numberAt, rounded, timed } from "./measure.ts";

const script = path.resolve("dist/worker.js");
const BAR = 1_340;

const files = ["src/app.ts", "src/server/routes.ts", "docs/guide.md", "package.json"];

/** A tool call of the size and kind that a working day is made of: about 3 KB, every tenth with a secret in it. */
function payload(at: number): Record<string, unknown> {
  const file = files[at % files.length];
  const lines = Array.from(
    { length: 40 },
    (_, line) => `${line + 1}\texport const value${line} = compute(input, ${at});`,
  );
  // Put together here, so that no scanner of sources takes it for a real one.
  const secret =
    at % 10 === 0 ? `\nGITHUB_TOKEN=${"gh"}${"p_"}${at.toString(36).padStart(36, "a1B2c3D4e5")}\n` : "";
  return {
    hook_event_name: "PostToolUse",
    session_id: `bench-${at % 7}`,
    cwd: "/",
    prompt_id: `prompt-${at % 50}`,
    tool_name: at % 3 === 0 ? "Bash" : "Read",
    tool_use_id: `toolu_${at}`,
    tool_input: at % 3 === 0 ? { command: `npm test -- ${file}` } : { file_path: `/home/dev/app/${file}` },
    tool_response: { stdout: lines.join("\n") + secret, stderr: "", interrupted: false },
    duration_ms: 12,
  };
}

async function waitFor(
  socket: string,
  isDone: (status: Record<string, unknown>) => boolean,
): Promise<Record<string, unknown>> {
  for (;;) {
    const reply = await ask(socket, "status");
    if (typeof reply === "object" && reply.ok && isObject(reply.data) && isDone(reply.data))
      return reply.data;
    await sleep(50);
  }
}

function spentDraining(log: string): number {
  const passes = readFileSync(log, "utf8").split("\n").map(parseJson).filter(isObject);
  return passes.reduce((sum, { msg, ms }) => sum + (msg === "spool.drained" ? Number(ms) : 0), 0);
}

/** The same rows written into a store by itself: what ingest would cost without spool, redaction and worker. */
async function storeAlone(folder: string, count: number): Promise<number> {
  const store = await openStore({ file: path.join(folder, "alone.db") });
  const events = Array.from({ length: count }, (_, at) => {
    const { session_id, cwd, ...rest } = payload(at);
    const common = { v: 1, kind: "tool", lane: "hooks", writer: "bench", project: "app-12345678" } as const;
    const time = new Date(1_790_000_000_000 + at * 250).toISOString();
    return {
      ...common,
      id: `ev_${at}`,
      at: time,
      session: String(session_id),
      cwd: String(cwd),
      payload: rest,
    };
  });
  const took = await timed(async () => {
    for (let at = 0; at < count; at += 100) await store.recordEvents(events.slice(at, at + 100));
  });
  await store.close();
  return took / 1_000;
}

async function ingest(folder: string, count: number) {
  const env = {
    ...process.env,
    THROUGHLINE_HOME: folder,
    THROUGHLINE_WORKER_LOG_LEVEL: "debug",
    THROUGHLINE_WORKER_PORT: "0",
  };
  const home = resolveHome({ env, platform: process.platform, homeFolder: folder });
  mkdirSync(home.state, { recursive: true, mode: 0o700 });
  for (let at = 0; at < count; at++) {
    const event = captureEvent(payload(at), { lane: "hooks", writer: "bench", now: Date.now() });
    if (event !== undefined) writeEvent(spoolFolder(home), event);
  }
  const worker: ChildProcess = spawn(process.execPath, workerArguments({ script }), {
    env,
    stdio: "inherit",
  });
  try {
    const socket = workerSocket(home);
    const after = await waitFor(socket, ({ added }) => added === count);
    // The pass ends, and is logged, when the last file is deleted.
    await ask(socket, "drain", { timeoutMs: 60_000 });
    const seconds = spentDraining(path.join(home.state, "worker.log")) / 1_000;
    await sleep(3_000);
    const idle = await waitFor(socket, () => true);
    await ask(socket, "shutdown", { timeoutMs: 30_000 });
    return { seconds, after, idle };
  } finally {
    worker.kill();
  }
}

const megabytes = (bytes: unknown): number => Math.round(Number(bytes) / 1_048_576);

export const bench: Bench = {
  name: "ingest",
  measures: ["src/worker", "src/intake", "src/spool", "src/redact", "src/store"],
  about:
    "How fast a worker takes in what hooks have spooled, redaction on, against writing the same rows into its store alone.",
  usage: "[events]",
  async run(args) {
    if (!existsSync(script)) throw new Error("dist/worker.js is missing; run `npm run build` first");
    const count = numberAt(args, 0, 5_000);
    return inFolder("ingest", async (folder) => {
      const { seconds, after, idle } = await ingest(folder, count);
      const alone = await storeAlone(folder, count);
      const row = {
        events: count,
        seconds: rounded(seconds),
        "events/s": Math.round(count / seconds),
        "× store alone": rounded(seconds / alone),
        "processor ms": Number(after.cpuMs),
        "MB after": megabytes(after.rss),
        "MB 3 s later": megabytes(idle.rss),
      };
      return {
        findings: [{ title: "Tool calls of about 3 KB, every tenth with a secret", rows: [row] }],
        bars: [{ what: "events a second", value: count / seconds, atLeast: BAR }],
      };
    });
  },
};
