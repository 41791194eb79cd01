// What a hook costs against starting Node and doing nothing, in the same run, one of each in turn.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import {
  configStamp,
  hookLog,
  resolveHome,
  runtimeFile,
  spoolFolder,
  workerSocket,
  workerStateFile,
} from "../src/home/index.ts";
import { makeFolder } from "../src/lib/index.ts";
import type { Bench, Outcome } from "./bench.ts";
import { inFolder, median, option, quantile, rounded } from "./measure.ts";

const RUNS = 40;
const WARM_UPS = 3;
const MOST_BUNDLE_BYTES = 26 * 1024;
/** Loaded only when a session starts and no worker answers. */
const MOST_SNAPSHOT_BYTES = 32 * 1024;
const bundles = path.resolve("dist/hooks");

/** What stands at the socket while a hook runs. */
type Neighbour = "absent" | "worker" | "dead" | "foreign" | "silent";

interface Variant {
  readonly name: string;
  readonly args: readonly string[];
  readonly payload: string;
  readonly env: NodeJS.ProcessEnv;
  readonly neighbour: Neighbour;
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
async function homeWith(scratch: string, name: string, neighbour: Neighbour): Promise<NodeJS.ProcessEnv> {
  const folder = path.join(scratch, name);
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...env } = process.env;
  const home = resolveHome({
    env: { THROUGHLINE_HOME: folder },
    platform: process.platform,
    homeFolder: folder,
  });
  // A folder that others can enter is not asked for a worker.
  makeFolder(home.state);
  const worker = { node: process.execPath, script: path.join(scratch, "nothing.cjs") };
  const config = configStamp(home);
  writeFileSync(
    runtimeFile(home),
    JSON.stringify({ version: "0", paused: false, excluded: [], config, worker }),
  );
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
      // Killed, so that its socket stays behind without a listener.
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  }
  return { ...env, THROUGHLINE_HOME: folder };
}

async function variants(scratch: string): Promise<Variant[]> {
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
    env: await homeWith(scratch, name.replaceAll(/\W+/g, "-"), neighbour),
    neighbour,
    limit,
  });
  return [
    {
      name: "node -e 0",
      args: ["-e", "0"],
      payload: toolUse,
      env: await homeWith(scratch, "bare", "absent"),
      neighbour: "absent",
    },
    await hook("capture, with fsync", "capture", toolUse, "absent", 1.2),
    await hook("answer, worker answers", "answer", prompt, "worker", 1.6),
    await hook("answer, worker absent", "answer", prompt, "absent", 1.3),
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

/** What the log of a hook says that met such a neighbour; nothing where all went well. */
const logged: Readonly<Record<Neighbour, RegExp>> = {
  absent: /^$/,
  worker: /^$/,
  dead: /^$/,
  foreign: /garbled/,
  silent: /silent/,
};

/** Every hook must have written what it was given and met what it was to meet, or its time says nothing. */
function checkRuns(all: readonly Variant[], runs: number, scratch: string): void {
  for (const { name, env, neighbour } of all.slice(1)) {
    const home = resolveHome({ env, platform: process.platform, homeFolder: scratch });
    const written = readdirSync(spoolFolder(home)).filter((file) => file.endsWith(".json")).length;
    if (written !== runs + WARM_UPS) throw new Error(`${name} wrote ${written} of ${runs + WARM_UPS} events`);
    const log = existsSync(hookLog(home)) ? readFileSync(hookLog(home), "utf8") : "";
    if (!logged[neighbour].test(log)) throw new Error(`${name} logged ${JSON.stringify(log.slice(0, 200))}`);
    const hasStarted = existsSync(path.join(home.state, "worker.started"));
    const starts = !name.startsWith("capture") && (neighbour === "absent" || neighbour === "dead");
    if (hasStarted !== starts)
      throw new Error(`${name} ${starts ? "started no worker" : "started a worker"}`);
  }
}

async function measure(all: readonly Variant[], runs: number): Promise<readonly (readonly number[])[]> {
  const times = all.map((): number[] => []);
  for (let run = -WARM_UPS; run < runs; run++) {
    all.forEach((variant, index) => {
      const ms = timed(variant);
      if (run >= 0) times[index]?.push(ms);
    });
  }
  return times;
}

export const bench: Bench = {
  name: "hooks",
  measures: ["src/hooks", "src/spool"],
  about: "What a hook costs, in multiples of starting Node and doing nothing, one of each in turn.",
  usage: "[--runs=40]",
  async run(args) {
    const runs = Number(option(args, "runs") ?? RUNS);
    return inFolder("hooks", async (scratch) => {
      writeFileSync(path.join(scratch, "nothing.cjs"), "");
      try {
        const all = await variants(scratch);
        const times = await measure(all, runs);
        checkRuns(all, runs, scratch);
        return outcomeOf(all, times);
      } finally {
        for (const child of running) child.kill();
      }
    });
  },
};

function outcomeOf(all: readonly Variant[], times: readonly (readonly number[])[]): Outcome {
  const bare = median(times[0] ?? []);
  const rows = all.map(({ name }, index) => {
    const own = times[index] ?? [];
    return {
      program: name,
      "median ms": rounded(median(own), 1),
      "p90 ms": rounded(quantile(own, 0.9), 1),
      "fastest ms": rounded(Math.min(...own), 1),
      "× node": rounded(median(own) / bare),
    };
  });
  const sizes = readdirSync(bundles).map((file) => ({
    file,
    bytes: statSync(path.join(bundles, file)).size,
  }));
  return {
    findings: [
      { title: "One run", rows },
      { title: "Size", rows: sizes },
    ],
    bars: [
      ...all.flatMap(({ name, limit }, index) =>
        limit === undefined
          ? []
          : [{ what: `${name}, × node`, value: rows[index]?.["× node"] ?? 0, atMost: limit }],
      ),
      ...sizes.map(({ file, bytes }) => ({
        what: `bytes of ${file}`,
        value: bytes,
        atMost: file === "snapshotFallback.cjs" ? MOST_SNAPSHOT_BYTES : MOST_BUNDLE_BYTES,
      })),
    ],
  };
}
