// 5,000 turns in windows of 200,000 and a million tokens, under both policies and in three thinking regimes: every request
// valid and within the window by its own size, and the same bytes after a restart. Prints what each request cost.
//
// A configuration that has been measured is not measured again: a run that was stopped goes on where it was. The folder is
// THROUGHLINE_LONG_SESSION (by default one in the temporary folder), the number of turns THROUGHLINE_TURNS.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CompactedAtOnce, Configuration, Measured, Restarted } from "./longSession/run.ts";

const folder = process.env.THROUGHLINE_LONG_SESSION ?? path.join(tmpdir(), "throughline-long-session");
const turns = Number(process.env.THROUGHLINE_TURNS ?? 5_000);
const models = ["claude-sonnet-4-5", "claude-opus-4-6", "claude-opus-5-5"];
const bundle = path.resolve(import.meta.dirname, "../node_modules/.throughline-run/longSession.mjs");

const configurations = (["seed", "thrifty"] as const).flatMap((policy) =>
  [200_000, 1_000_000].flatMap((window) =>
    models.map((model): Configuration => ({ policy, model, window, turns })),
  ),
);

const nameOf = ({ policy, model, window }: Configuration) => `${policy}-${model}-${window}-${turns}`;

function inProcess<Result>(step: string, place: string, given: object): Result {
  const { stdout, status } = spawnSync(
    process.execPath,
    ["--enable-source-maps", bundle, step, place, JSON.stringify(given)],
    { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 2 ** 26 },
  );
  expect(status).toBe(0);
  return JSON.parse(stdout) as Result;
}

type Row = Measured & Restarted & CompactedAtOnce;

function measured(configuration: Configuration): Row {
  const result = path.join(folder, `${nameOf(configuration)}.json`);
  if (existsSync(result)) return JSON.parse(readFileSync(result, "utf8")) as Row;
  const place = path.join(folder, nameOf(configuration));
  const run = inProcess<Measured>("run", place, configuration);
  // Both from what the killed process left.
  const copy = `${place}-copy`;
  cpSync(place, copy, { recursive: true });
  const whole = {
    ...run,
    ...inProcess<Restarted>("restart", place, run),
    ...inProcess<CompactedAtOnce>("compact", copy, run),
  };
  writeFileSync(result, JSON.stringify(whole));
  for (const one of [place, copy]) rmSync(one, { recursive: true, force: true });
  return whole;
}

/** The last fifth of the requests against the second: the first one warms up. */
const growthOf = ({ p99 }: Measured) => (p99[4] ?? 0) / (p99[1] ?? 1);

/** What has to hold, a line each. CPU times are only comparable on a machine that does little else: no test fails by them. */
function barsOf(row: Row) {
  const bars: readonly (readonly [string, number, number])[] = [
    ["invalid requests", row.invalid, 0],
    ["requests over the window", row.overWindow, 0],
    ["p99 of the last fifth / second", growthOf(row), 1.5],
    ["worst request, ms CPU", row.worst, 600],
    ["heap beyond the messages, MB", row.heap, 150],
    ["vault / conversation", row.vault, 1.3],
    ["restart, ms CPU", row.restart, 300],
    ["worst request after a restart, ms CPU", row.afterwards, 600],
    ["first request that compacts, ms CPU", row.compactedAtOnce, 600],
  ];
  return bars.map(([bar, value, most]) => ({
    session: nameOf(row),
    bar,
    value: Math.round(value * 100) / 100,
    "at most": most,
    holds: value <= most,
  }));
}

describe("a long session", () => {
  const rows: Row[] = [];

  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    await build({
      entryPoints: [path.resolve(import.meta.dirname, "longSession/run.ts")],
      outfile: bundle,
      bundle: true,
      platform: "node",
      format: "esm",
      packages: "external",
      logLevel: "error",
    });
  });

  afterAll(() => {
    console.table(
      rows.map(({ p99, now: _now, turns: _turns, ...row }) => ({ ...row, "p99 by fifth": p99.join(" ") })),
    );
    console.table(rows.flatMap(barsOf));
  });

  it.each(configurations.map((configuration) => [nameOf(configuration), configuration] as const))(
    "is valid, within the window and resumed with the same bytes: %s",
    (_name, configuration) => {
      const row = measured(configuration);
      rows.push(row);
      expect(row).toMatchObject({ invalid: 0, overWindow: 0, sameBytes: true });
      expect(row.vault).toBeLessThanOrEqual(1.3);
    },
  );
});
