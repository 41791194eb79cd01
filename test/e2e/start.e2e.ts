// `npm run bench:start`: the delay of a session's start on each lane, as ratios to plain Claude Code in the same run.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Delay, measureStarts, type ProcessCost, startsMeasured } from "./startDelay.ts";
import { hasClaude } from "./world.ts";

/** Not part of the suite: timings say something only on a quiet machine. */
const RUNS = Number(process.env.THROUGHLINE_START_RUNS ?? 0);
const TABLE = process.env.THROUGHLINE_START_TABLE;

/** What a start may cost, as a ratio to plain. */
const bars: Readonly<Record<string, { readonly wall: number; readonly cpu?: number }>> = {
  hooks: { wall: 1.35, cpu: 1.45 },
  mods: { wall: 1.4, cpu: 1.5 },
  "hooks, worker cold": { wall: 1.6 },
};

function rowsOf(delays: readonly Delay[]): string[] {
  const [plain] = delays;
  return delays.map(({ start, wallMs, cpuMs }) => {
    const bar = bars[start];
    const [wall, cpu] = [wallMs / (plain?.wallMs ?? 1), cpuMs / (plain?.cpuMs ?? 1)];
    const isHeld = bar === undefined || (wall <= bar.wall && cpu <= (bar.cpu ?? Number.POSITIVE_INFINITY));
    const limits = bar === undefined ? "" : `${bar.wall} / ${bar.cpu ?? "–"}`;
    const verdict = bar === undefined ? "" : isHeld ? "holds" : "does not hold";
    const cells = [
      start,
      wallMs.toFixed(0),
      wall.toFixed(2),
      cpuMs.toFixed(0),
      cpu.toFixed(2),
      limits,
      verdict,
    ];
    return cells.join(" | ");
  });
}

const tableOf = (delays: readonly Delay[], processes: readonly ProcessCost[]): string =>
  [
    "# Starting a session",
    "",
    `\`claude -p hi\` against a scripted API: medians of ${RUNS} interleaved runs. CPU is that of Claude Code and the processes that it`,
    "waits for; the worker's is not in it. `npm run bench:start` makes this.",
    "",
    "start | wall ms | × plain | CPU ms | × plain | bars wall / CPU | ",
    "--- | --: | --: | --: | --: | --- | ---",
    ...rowsOf(delays),
    "",
    "The processes of one session each that used CPU time, looked at every 5 ms:",
    "",
    "start | program | CPU ms",
    "--- | --- | --:",
    ...processes.map(({ start, program, cpuMs }) => [start, program, cpuMs.toFixed(0)].join(" | ")),
    "",
  ].join("\n");

describe.skipIf(!hasClaude || RUNS === 0)("the start of a session", () => {
  it("is measured on each lane", async () => {
    const { delays, processes } = await measureStarts(RUNS);
    const table = tableOf(delays, processes);
    console.log(table);
    if (TABLE !== undefined) {
      mkdirSync(path.dirname(TABLE), { recursive: true });
      writeFileSync(TABLE, table);
    }
    expect(delays.map(({ start }) => start)).toEqual([...startsMeasured]);
    expect(delays.every(({ cpuMs }) => cpuMs > 0)).toBe(true);
  }, 3_600_000);
});
