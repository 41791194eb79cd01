// How long `claude -p hi` takes and what it costs in CPU time: plain, and on each lane. Runs are interleaved, so that a change
// of the machine's load meets all of them.
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { inject } from "vitest";
import { anything, on, say } from "../scripted-api/index.ts";
import { startClaude } from "./drive.ts";
import { type Throughline, throughlineIn } from "./throughline.ts";
import { openWorld, type World } from "./world.ts";

export const startsMeasured = ["plain", "hooks", "mods", "hooks, worker cold"] as const;

type Start = (typeof startsMeasured)[number];

interface Timed {
  readonly wallMs: number;
  /** Of Claude Code, its hooks and its MCP servers, as far as it waits for them. The worker is not among them. */
  readonly cpuMs: number;
}

export interface Delay {
  readonly start: Start;
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** One process of a session: which program, and its CPU time as it was last seen, in ticks of 10 ms. */
export interface ProcessCost {
  readonly start: Start;
  readonly program: string;
  readonly cpuMs: number;
}

interface Candidate {
  readonly start: Start;
  readonly world: World;
  readonly throughline: Throughline;
  readonly binary: string;
  readonly timesFile: string;
}

/** The shell adds up the CPU time of all descendants that were waited for. */
const wrapper = (binary: string, timesFile: string): string =>
  `#!/bin/sh\n"${binary}" "$@"\ncode=$?\ntimes > "${timesFile}"\nexit $code\n`;

async function candidate(start: Start): Promise<Candidate> {
  const world = await openWorld();
  const throughline = throughlineIn(world);
  if (start !== "plain")
    await throughline.must("install", "--lane", start === "mods" ? "mods" : "hooks", "--yes");
  const tools = path.join(path.dirname(world.home), "tools");
  mkdirSync(tools);
  const [binary, timesFile] = [path.join(tools, "claude"), path.join(tools, "times")];
  writeFileSync(binary, wrapper(inject("claudeBinary"), timesFile));
  chmodSync(binary, 0o755);
  return { start, world, throughline, binary, timesFile };
}

/** `times` prints two lines of `0m0.05s 0m0.01s`: the shell's own, and that of its children. */
function cpuFrom(times: string): number {
  const [, children = ""] = times.trim().split("\n");
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(([, m, s]) => Number(m) * 60 + Number(s));
  return seconds.reduce((sum, each) => sum + each, 0) * 1_000;
}

/** Starts or stops the worker: not part of what is measured. */
async function prepareWorker({ start, throughline }: Candidate): Promise<void> {
  if (start === "hooks, worker cold") await throughline.run("worker", "stop");
  else if (start !== "plain") await throughline.must("worker", "start");
}

async function runOnce({ start, world, binary, timesFile }: Candidate): Promise<Timed> {
  world.api.play([on(anything, say("hello"))]);
  rmSync(timesFile, { force: true });
  const began = performance.now();
  const run = await startClaude({
    ...{ binary, sandbox: world.sandbox, home: world.home, cwd: world.work, prompt: "hi" },
  }).ended;
  const wallMs = performance.now() - began;
  if (run.answers.join() !== "hello") throw new Error(`${start}: ${run.stderr || "no answer"}`);
  return { wallMs, cpuMs: cpuFrom(readFileSync(timesFile, "utf8")) };
}

const TICK_MS = 10;
const LOOK_EVERY_MS = 5;

/** The program and its CPU time so far; undefined for a process that is gone. */
function lookAt(pid: number): Omit<ProcessCost, "start"> | undefined {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    const program = words
      .map((word) => path.basename(word))
      .slice(0, 3)
      .join(" ");
    return { program, cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS };
  } catch {
    return undefined;
  }
}

/** The processes of one session that used CPU time, the costliest first. What happens between two looks is not seen. */
async function processesOf(one: Candidate): Promise<readonly ProcessCost[]> {
  await prepareWorker(one);
  const before = new Set(one.world.sandbox.processes());
  const seen = new Map<number, Omit<ProcessCost, "start">>();
  const timer = setInterval(() => {
    for (const pid of one.world.sandbox.processes()) {
      const found = before.has(pid) ? undefined : lookAt(pid);
      if (found !== undefined) seen.set(pid, found);
    }
  }, LOOK_EVERY_MS);
  await runOnce(one).finally(() => clearInterval(timer));
  return [...seen.values()]
    .filter(({ cpuMs }) => cpuMs > 0)
    .sort((a, b) => b.cpuMs - a.cpuMs)
    .map((cost) => ({ start: one.start, ...cost }));
}

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
};

/** Medians of `runs` interleaved runs, after one that is not counted; then one run of each with its processes. */
export async function measureStarts(
  runs: number,
): Promise<{ readonly delays: readonly Delay[]; readonly processes: readonly ProcessCost[] }> {
  const candidates: Candidate[] = [];
  for (const start of startsMeasured) candidates.push(await candidate(start));
  const timed = new Map<Start, Timed[]>(startsMeasured.map((start) => [start, []]));
  for (let round = 0; round <= runs; round++)
    for (const one of candidates) {
      await prepareWorker(one);
      const result = await runOnce(one);
      if (round > 0) timed.get(one.start)?.push(result);
    }
  const delays = startsMeasured.map((start) => ({
    start,
    wallMs: median((timed.get(start) ?? []).map(({ wallMs }) => wallMs)),
    cpuMs: median((timed.get(start) ?? []).map(({ cpuMs }) => cpuMs)),
  }));
  const processes: ProcessCost[] = [];
  for (const one of candidates) processes.push(...(await processesOf(one)));
  return { delays, processes };
}
