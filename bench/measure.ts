// What every bench measures with: the clock, the middle of many times, a folder that is gone afterwards, arguments.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { performance } from "node:perf_hooks";

export async function timed(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** For what is so short that a promise would count. */
export function timedNow(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** To so many digits behind the point, as a number. */
export function rounded(value: number, digits = 2): number {
  return Number(value.toFixed(digits));
}

/** Runs with a folder of its own. */
export async function inFolder<T>(name: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(path.join(tmpdir(), `throughline-bench-${name}-`));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The number at this place of the arguments that are no flags. */
export function numberAt(args: readonly string[], place: number, usual: number): number {
  const given = args.filter((arg) => !arg.startsWith("--"))[place];
  const value = Number(given ?? usual);
  return Number.isFinite(value) && value > 0 ? value : usual;
}

/** `--name=value`, or undefined. */
export function option(args: readonly string[], name: string): string | undefined {
  return args.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);
}
