// What a hook costs against starting Node and doing nothing, in the same run, one of each in turn.
// usage: npm run bench:hooks [-- --runs=40] [--strict]
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  hookLog,
  resolveHome,
  runtimeFile,
  spoolFolder,
  workerSocket,
  workerStateFile,
} from "../src/lib/index.ts";

const option = (name: string): string | undefined =>
  process.argv.find((word) => word.startsWith(`--${name}=`))?.split("=")[1];
const RUNS = Number(option("runs") ?? 40);
const WARM_UPS = 3;
const MOST_BUNDLE_BYTES = 20 * 1024;
const bundles = path.resolve("dist/hooks");
const scratch = mkdtempSync(path.join(tmpdir(), "throughline-bench-"));

/** What stands at the socket while a hook runs. */
type Neighbour = "nobody" | "worker" | "dead" | "foreign" | "silent";

interface Variant {
  readonly name: string;
  readonly args: readonly string[];
  readonly payload: string;
  readonly env: NodeJS.ProcessEnv;
  readonly limit?: number;
}

const base = {
  session_id: "5b1f0c3e-0000-4000-8000-000000000001",
  transcript_path: "/tmp/none/session.jsonl",
  cwd: "/tmp",
  prompt_id: "5b1f0c3e-0000-4000-8000-000000000002",
};
const toolUse = JSON.stringify({
  ...base,
  hook_event_name: "PostToolUse",
  tool_name: "Bash",
  tool_use_id: "toolu_01",
  tool_input: { command: "npm test", description: "run the tests" },
  tool_response: { stdout: "a line of output that says nothing in particular\n".repeat(75), stderr: "" },
  duration_ms: 64,
});
const prompt = JSON.stringify({
  ...base,
  hook_event_name: "UserPromptSubmit",
  prompt: "go on with the tests",
});

/** A server that answers every line with `reply`, or accepts and says nothing. */
const server = (reply: string): string => `
const net = require("node:net");
net.createServer((c) => {
  c.on("error", () => c.destroy());
  c.on("data", (d) => { const reply = (${reply})(String(d)); if (reply) c.write(reply); });
}).listen(process.argv[1], () => console.log("ready"));`;
const servers: Readonly<Partial<Record<Neighbour, string>>> = {
  worker: server(
    '(d) => JSON.stringify({ v: 1, id: JSON.parse(d).id, ok: true, data: { stdout: "" } }) + "\\n"',
  ),
  dead: server("() => undefined"),
  foreign: server('() => "HTTP/1.1 400 Bad Request\\r\\n\\r\\n"'),
  silent: server("() => undefined"),
};

const running: ChildProcess[] = [];

/** A home of its own, with a neighbour at its socket; gives the environment that leads there. */
async function homeWith(name: string, neighbour: Neighbour): Promise<NodeJS.ProcessEnv> {
  const folder = path.join(scratch, name);
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...env } = process.env;
  const home = resolveHome({
    env: { THROUGHLINE_HOME: folder },
    platform: process.platform,
    homeFolder: folder,
  });
  mkdirSync(home.state, { recursive: true });
  const worker = { node: process.execPath, script: path.join(scratch, "nothing.cjs") };
  writeFileSync(runtimeFile(home), JSON.stringify({ version: "0", paused: false, excluded: [], worker }));
  const code = servers[neighbour];
  if (code !== undefined) {
    const child = spawn(process.execPath, ["-e", code, workerSocket(home)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    running.push(child);
    await once(child.stdout, "data");
    // What a worker leaves behind to say who it is, also when it is killed.
    if (neighbour === "worker" || neighbour === "dead")
      writeFileSync(workerStateFile(home), JSON.stringify({ pid: child.pid }));
    if (neighbour === "dead") {
      // Killed, so that its socket stays behind with nobody at it.
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  }
  return { ...env, THROUGHLINE_HOME: folder };
}

async function variants(): Promise<Variant[]> {
  const hook = async (
    name: string,
    bundle: string,
    payload: string,
    neighbour: Neighbour,
    limit: number,
  ): Promise<Variant> => ({
    name,
    args: [path.join(bundles, `${bundle}.cjs`)],
    payload,
    env: await homeWith(name.replaceAll(/\W+/g, "-"), neighbour),
    limit,
  });
  return [
    { name: "node -e 0", args: ["-e", "0"], payload: toolUse, env: await homeWith("bare", "nobody") },
    await hook("capture, with fsync", "capture", toolUse, "nobody", 1.15),
    await hook("answer, worker answers", "answer", prompt, "worker", 1.6),
    await hook("answer, worker absent", "answer", prompt, "nobody", 1.3),
    await hook("answer, worker killed", "answer", prompt, "dead", 1.3),
    await hook("answer, another program", "answer", prompt, "foreign", 1.6),
    await hook("answer, silent program", "answer", prompt, "silent", 1.6),
    await hook("precompact, worker answers", "precompact", prompt, "worker", 1.6),
  ];
}

function timed({ args, payload, env, name }: Variant): number {
  const start = process.hrtime.bigint();
  const { status, stdout } = spawnSync(process.execPath, args, { env, input: payload });
  const ms = Number(process.hrtime.bigint() - start) / 1e6;
  if (status !== 0 || stdout.length > 0)
    throw new Error(`${name} ended with ${status} and printed ${stdout}`);
  return ms;
}

const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);
const at = (values: readonly number[], share: number): number =>
  sorted(values)[Math.floor(values.length * share)] ?? Number.NaN;

/** Every hook must have written what it was given, or its time says nothing. */
function checkSpools(all: readonly Variant[]): void {
  for (const { name, env } of all.slice(1)) {
    const home = resolveHome({ env, platform: process.platform, homeFolder: scratch });
    const written = readdirSync(spoolFolder(home)).filter((file) => file.endsWith(".json")).length;
    if (written !== RUNS + WARM_UPS) throw new Error(`${name} wrote ${written} of ${RUNS + WARM_UPS} events`);
    if (name.startsWith("capture") && existsSync(hookLog(home))) throw new Error(`${name} wrote to its log`);
  }
}

function report(all: readonly Variant[], times: readonly (readonly number[])[]): boolean {
  const bare = at(times[0] ?? [], 0.5);
  console.log(`${RUNS} runs of each in turn, Node ${process.version}\n`);
  console.log(
    `${"".padEnd(28)}${["median ms", "p90 ms", "min ms", "ratio", "limit"].map((w) => w.padStart(10)).join("")}`,
  );
  let within = true;
  all.forEach(({ name, limit }, index) => {
    const own = times[index] ?? [];
    const ratio = at(own, 0.5) / bare;
    within &&= limit === undefined || ratio <= limit;
    const numbers = [at(own, 0.5), at(own, 0.9), at(own, 0)].map((ms) => ms.toFixed(1).padStart(10)).join("");
    console.log(
      `${name.padEnd(28)}${numbers}${ratio.toFixed(2).padStart(10)}${(limit?.toFixed(2) ?? "").padStart(10)}`,
    );
  });
  console.log();
  for (const file of readdirSync(bundles)) {
    const { size } = statSync(path.join(bundles, file));
    within &&= size <= MOST_BUNDLE_BYTES;
    console.log(`${file.padEnd(28)}${String(size).padStart(10)} bytes of ${MOST_BUNDLE_BYTES}`);
  }
  return within;
}

try {
  writeFileSync(path.join(scratch, "nothing.cjs"), "");
  const all = await variants();
  const times = all.map((): number[] => []);
  for (let run = -WARM_UPS; run < RUNS; run++) {
    all.forEach((variant, index) => {
      const ms = timed(variant);
      if (run >= 0) times[index]?.push(ms);
    });
  }
  checkSpools(all);
  const within = report(all, times);
  if (!within && process.argv.includes("--strict")) process.exitCode = 1;
} finally {
  for (const child of running) child.kill();
  rmSync(scratch, { recursive: true, force: true });
}
