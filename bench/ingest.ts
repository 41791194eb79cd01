// How fast a worker takes in what hooks have spooled, redaction on, and how much memory it has afterwards.
// usage: npm run bench:ingest -- [events]
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isObject, parseJson, resolveHome, spoolFolder, workerSocket } from "../src/lib/index.ts";
import { captureEvent, writeEvent } from "../src/spool/index.ts";
import { ask } from "../src/worker/index.ts";

const script = path.resolve("dist/worker.js");
const count = Number(process.argv[2] ?? 5_000);
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
  return passes.reduce((sum, { msg, ms }) => sum + (msg === "drained" ? Number(ms) : 0), 0);
}

if (!existsSync(script)) {
  console.error("dist/worker.js is missing; run `npm run build` first.");
  process.exit(1);
}
const folder = mkdtempSync(path.join(tmpdir(), "throughline-ingest-"));
const env = {
  ...process.env,
  THROUGHLINE_HOME: folder,
  THROUGHLINE_WORKER_LOG_LEVEL: "debug",
  THROUGHLINE_WORKER_PORT: "0",
};
const home = resolveHome({ env, platform: process.platform, homeFolder: folder });
let worker: ChildProcess | undefined;
try {
  for (let at = 0; at < count; at++) {
    const event = captureEvent(payload(at), { lane: "hooks", writer: "bench", now: Date.now() });
    if (event !== undefined) writeEvent(spoolFolder(home), event);
  }
  worker = spawn(process.execPath, [script], { env, stdio: "inherit" });
  const socket = workerSocket(home);
  const after = await waitFor(socket, ({ added }) => added === count);
  // The pass ends, and is logged, when the last file is deleted.
  await ask(socket, "drain", { timeoutMs: 60_000 });
  const seconds = spentDraining(path.join(home.state, "worker.log")) / 1_000;
  await sleep(3_000);
  const idle = await waitFor(socket, () => true);
  const rate = count / seconds;
  const megabytes = (bytes: unknown): string => `${(Number(bytes) / 1_048_576).toFixed(0)} MB`;
  console.log(`${count} events in ${seconds.toFixed(2)} s: ${rate.toFixed(0)} events/s (bar: ${BAR})`);
  console.log(`processor time of the worker: ${after.cpuMs} ms in all, its start included`);
  console.log(`memory: ${megabytes(after.rss)} right after, ${megabytes(idle.rss)} three seconds later`);
  await ask(socket, "shutdown", { timeoutMs: 30_000 });
  process.exitCode = rate >= BAR ? 0 : 1;
} finally {
  worker?.kill();
  rmSync(folder, { recursive: true, force: true });
}
