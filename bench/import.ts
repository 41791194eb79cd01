// How long an import of a folder takes, how much comes of it, and how much memory the worker has meanwhile.
// usage: npm run bench:import -- FOLDER
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { isObject, parseJson, resolveHome, workerStateFile } from "../src/lib/index.ts";

const cli = path.resolve("dist/cli.js");
const [source] = process.argv.slice(2);
if (source === undefined || !existsSync(cli)) {
  console.error("usage: npm run build && npm run bench:import -- FOLDER");
  process.exit(2);
}

const folder = mkdtempSync(path.join(tmpdir(), "throughline-import-"));
const env = { ...process.env, THROUGHLINE_HOME: folder, THROUGHLINE_WORKER_PORT: "0" };
const home = resolveHome({ env, platform: process.platform, homeFolder: folder });

function run(...args: string[]): Record<string, unknown> {
  const { stdout, stderr } = spawnSync(process.execPath, [cli, ...args, "--json"], {
    env,
    encoding: "utf8",
    maxBuffer: 1024 ** 3,
  });
  const document = parseJson(stdout);
  if (!isObject(document) || "error" in document) throw new Error(`${args.join(" ")}: ${stdout}${stderr}`);
  return document;
}

/** The most memory that a process ever had, where the system says so. */
function peakMegabytes(): number | undefined {
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

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

try {
  const first = run("import", source);
  const peak = peakMegabytes();
  const { cpuMs } = run("worker", "status");
  const again = run("import", source);
  const stats = run("stats");
  const { counts } = stats as { counts: Record<string, number> };
  const seconds = Number(first.tookMs) / 1_000;
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const rate = (count = 0): string => (count / seconds).toFixed(0);
  console.log(
    `${megabytes(Number(first.bytes))} in ${seconds.toFixed(1)} s, ${megabytes(Number(first.bytes) / seconds)}/s`,
  );
  console.log(`${JSON.stringify(counts)}`);
  console.log(`${rate(counts.events)} events/s, ${rate(rows)} rows/s, observing and archiving included`);
  console.log(`processor time of the worker: ${(Number(cpuMs) / 1_000).toFixed(1)} s, its start included`);
  console.log(`a second import took ${Number(again.tookMs)} ms`);
  console.log(
    `database ${megabytes(Number(stats.bytes))}, archives ${megabytes(bytesBelow(path.join(home.data, "groups")))}, vault ${megabytes(bytesBelow(path.join(home.data, "vault")))}`,
  );
  if (peak !== undefined) console.log(`the worker had at most ${peak} MB of memory`);
} finally {
  spawnSync(process.execPath, [cli, "worker", "stop"], { env });
  rmSync(folder, { recursive: true, force: true });
}
