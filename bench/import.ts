// How long an import of a folder takes, how much comes of it, and how much memory the worker has meanwhile.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { type Home, resolveHome, workerStateFile } from "../src/home/index.ts";
import { isObject, parseJson } from "../src/lib/index.ts";
import { type Bench, type Outcome, UsageError } from "./bench.ts";
import { inFolder, rounded } from "./measure.ts";

const cli = path.resolve("dist/cli.js");

type Run = (...args: readonly string[]) => Record<string, unknown>;

/** The most memory that a process ever had, where the system says so. */
function peakMegabytes(home: Home): number | undefined {
  const state = parseJson(readFileSync(workerStateFile(home), "utf8"));
  const status = `/proc/${isObject(state) ? String(state.pid) : ""}/status`;
  if (!existsSync(status)) return undefined;
  const kilobytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync(status, "utf8"))?.[1];
  return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1_024);
}

function bytesBelow(place: string): number {
  const stats = statSync(place, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.size;
  return readdirSync(place).reduce((sum, name) => sum + bytesBelow(path.join(place, name)), 0);
}

const megabytes = (bytes: number): number => rounded(bytes / 1_000_000, 1);

function measured(run: Run, home: Home, source: string): Outcome {
  const first = run("import", source);
  const peak = peakMegabytes(home);
  const { cpuMs } = run("worker", "status");
  const again = run("import", source);
  const stats = run("data", "stats");
  const { counts } = stats as { counts: Record<string, number> };
  const seconds = Number(first.tookMs) / 1_000;
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const time = {
    MB: megabytes(Number(first.bytes)),
    seconds: rounded(seconds, 1),
    "MB/s": megabytes(Number(first.bytes) / seconds),
    "events/s": Math.round((counts.events ?? 0) / seconds),
    "rows/s": Math.round(rows / seconds),
    "processor s": rounded(Number(cpuMs) / 1_000, 1),
    "again, ms": Number(again.tookMs),
    ...(peak === undefined ? {} : { "most MB of memory": peak }),
  };
  const disk = {
    database: megabytes(Number(stats.bytes)),
    archives: megabytes(bytesBelow(path.join(home.data, "groups"))),
    vault: megabytes(bytesBelow(path.join(home.data, "vault"))),
  };
  return {
    findings: [
      { title: "An import, observing and archiving included", rows: [time] },
      { title: "What came of it", rows: [counts] },
      { title: "MB on disk", rows: [disk] },
    ],
  };
}

export const bench: Bench = {
  name: "import",
  measures: ["src/importer", "src/intake", "src/observe", "src/store"],
  about:
    "How long an import of a folder takes, how much comes of it, and how much memory the worker has meanwhile.",
  usage: "FOLDER",
  async run([source]) {
    if (source === undefined) throw new UsageError();
    return inFolder("import", async (folder) => {
      const env = { ...process.env, THROUGHLINE_HOME: folder, THROUGHLINE_WORKER_PORT: "0" };
      const home = resolveHome({ env, platform: process.platform, homeFolder: folder });
      const call = (args: readonly string[]) =>
        spawnSync(process.execPath, [cli, ...args], { env, encoding: "utf8", maxBuffer: 1024 ** 3 });
      const run: Run = (...args) => {
        const { stdout, stderr } = call([...args, "--json"]);
        const document = parseJson(stdout);
        if (!isObject(document) || "error" in document)
          throw new Error(`${args.join(" ")}: ${stdout}${stderr}`);
        return document;
      };
      try {
        return measured(run, home, source);
      } finally {
        call(["worker", "stop"]);
      }
    });
  },
};
