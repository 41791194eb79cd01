// Runs a plan of faults where it sees a small disk and processes of its own, and gives what it told.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { hookFile } from "../hookProcess.ts";
import type { FaultPlan } from "./faultsPlan.ts";

export interface FaultReport {
  readonly seed: number;
  readonly reported: number;
  readonly faults: number;
  readonly kinds: Readonly<Record<string, number>>;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly strange: readonly string[];
  readonly noise: readonly string[];
  readonly ok: boolean;
}

const clock = path.join(import.meta.dirname, "clock.cjs");

/** The shell stays the first process of its namespace: it collects what workers leave. */
const begin = 'mount -t tmpfs -o size="$1" none "$0" && ulimit -n 128 && shift && "$@"; exit $?';

export async function runWithFaults(
  story: string,
  wanted: Omit<FaultPlan, "disk" | "folder" | "hooks" | "clock">,
  options: { readonly size: string; readonly signal: AbortSignal },
): Promise<FaultReport> {
  const folder = mkdtempSync(path.join(tmpdir(), "tl-x-"));
  try {
    const disk = path.join(folder, "d");
    mkdirSync(disk);
    const plan: FaultPlan = { ...wanted, disk, folder, hooks: path.dirname(hookFile("capture")), clock };
    const args = ["-rmpf", "--mount-proc", "--kill-child", "sh", "-c", begin, disk, options.size];
    const child = spawn("unshare", [...args, process.execPath, story, JSON.stringify(plan)], {
      signal: options.signal,
      killSignal: "SIGKILL",
    });
    child.on("error", (error) => {
      err += error.message;
    });
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    child.stderr.on("data", (chunk) => {
      err += chunk;
    });
    const code = await new Promise((resolve) => child.once("close", resolve));
    const line = out.trim().split("\n").at(-1) ?? "";
    if (code !== 0 || !line.startsWith("{")) throw new Error(`the run ended with ${code}: ${err || out}`);
    const report: FaultReport = JSON.parse(line);
    console.log(line.slice(0, 4_000));
    if (report.lost.length + report.doubled.length > 0)
      console.log(readFileSync(path.join(folder, "worker.log"), "utf8").slice(-20_000));
    return report;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
