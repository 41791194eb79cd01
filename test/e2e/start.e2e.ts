// `npm run bench:start`: the delay of a session's start on each lane, as ratios to plain Claude Code in the same run.
import { describe, expect, it } from "vitest";
import type { Bar, Finding, Outcome } from "../../bench/bench.ts";
import { rounded } from "../../bench/measure.ts";
import { outcomeText } from "../../bench/print.ts";
import { record } from "../../bench/record.ts";
import { type Delay, measureStarts, type ProcessCost, startsMeasured } from "./startDelay.ts";
import { hasClaude } from "./world.ts";

/** Not part of the suite: timings say something only on a quiet machine. */
const RUNS = Number(process.env.THROUGHLINE_START_RUNS ?? 0);

const bench = {
  name: "start",
  about:
    "What Throughline adds to the start of a session of Claude Code, by lane, in multiples of plain Claude Code.",
  measures: ["src/hooks", "src/inject", "src/ipc", "src/mcp", "src/mods", "plugin"],
};

/** What a start may cost, as a ratio to plain. */
const bars: Readonly<Record<string, { readonly wall: number; readonly cpu?: number }>> = {
  hooks: { wall: 1.35, cpu: 1.45 },
  mods: { wall: 1.4, cpu: 1.5 },
  "hooks, worker cold": { wall: 1.6 },
};

const barsOf = (delays: readonly Delay[]): Bar[] => {
  const [plain] = delays;
  const ratio = (value: number, base = 1) => rounded(value / base);
  return delays.flatMap(({ start, wallMs, cpuMs }) => {
    const { wall, cpu } = bars[start] ?? {};
    return [
      ...(wall ? [{ what: `${start}, wall ×`, value: ratio(wallMs, plain?.wallMs), atMost: wall }] : []),
      ...(cpu ? [{ what: `${start}, CPU ×`, value: ratio(cpuMs, plain?.cpuMs), atMost: cpu }] : []),
    ];
  });
};

function outcomeOf(delays: readonly Delay[], processes: readonly ProcessCost[]): Outcome {
  const [plain] = delays;
  const started: Finding = {
    title: `\`claude -p hi\` against a scripted API, medians of ${RUNS} interleaved runs`,
    rows: delays.map(({ start, wallMs, cpuMs }) => ({
      start,
      "wall ms": Math.round(wallMs),
      "wall × plain": rounded(wallMs / (plain?.wallMs ?? 1)),
      "CPU ms": Math.round(cpuMs),
      "CPU × plain": rounded(cpuMs / (plain?.cpuMs ?? 1)),
    })),
    notes: ["CPU is that of Claude Code and the processes that it waits for; the worker's is not in it."],
  };
  const costs: Finding = {
    title: "The processes of one session each that used CPU time, looked at every 5 ms",
    rows: processes.map(({ start, program, cpuMs }) => ({ start, program, "CPU ms": Math.round(cpuMs) })),
  };
  return { findings: [started, costs], bars: barsOf(delays) };
}

describe.skipIf(!hasClaude || RUNS === 0)("the start of a session", () => {
  it("is measured on each lane", async () => {
    const { delays, processes } = await measureStarts(RUNS);
    const outcome = outcomeOf(delays, processes);
    console.log(outcomeText(outcome));
    if (process.env.THROUGHLINE_RECORD) record(bench, "npm run bench:start", outcome);
    expect(delays.map(({ start }) => start)).toEqual([...startsMeasured]);
    expect(delays.every(({ cpuMs }) => cpuMs > 0)).toBe(true);
  }, 3_600_000);
});
