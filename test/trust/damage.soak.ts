// Every kind of damage on a store of 200 MB: the worker is up in ten seconds, and what can be read comes back.
import { statSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databaseFile } from "../../src/home/index.ts";
import { damageKinds } from "./damageKinds.ts";
import { type Outcome, runKind, stageOf } from "./damageRun.ts";

const MEGABYTE = 1024 * 1024;
const LEAST_BYTES = 200 * MEGABYTE;
const UP_WITHIN_SECONDS = 10;
const TIMEOUT_MS = 15 * 60_000;

const stage = stageOf({ events: 11_000, payloadBytes: 20_000, sessions: 20, turns: 40 });
const outcomes: Outcome[] = [];

beforeAll(() => expect(statSync(databaseFile(stage().base.home)).size).toBeGreaterThan(LEAST_BYTES));
afterAll(() => console.log(table(outcomes)));

type Counts = Outcome["damaged"][number]["salvaged"];

const total = (counts: Counts): number => Object.values(counts).reduce((all, count) => all + count, 0);
const sum = (counts: Counts | null | undefined): string => (counts == null ? "–" : String(total(counts)));

function table(rows: readonly Outcome[]): string {
  const lines = rows.map(({ kind, before, readable, damaged: [report], upSeconds, seconds }) => [
    ...[kind, String(before), String(readable), report === undefined ? "no" : "yes", sum(report?.held)],
    ...[
      sum(report?.salvaged),
      sum(report?.rebuilt),
      sum(report?.missing),
      upSeconds.toFixed(1),
      seconds.toFixed(0),
    ],
  ]);
  const head = [
    "kind",
    "rows",
    "readable",
    "set aside",
    "held",
    "salvaged",
    "rebuilt",
    "missing",
    "up s",
    "all s",
  ];
  return [head, ...lines].map((line) => `| ${line.join(" | ")} |`).join("\n");
}

function expectSums({ damaged }: Outcome): void {
  for (const { held, salvaged, rebuilt, missing } of damaged) {
    if (held === null || missing === null) continue;
    for (const name of Object.keys(held) as (keyof Counts)[]) {
      const found = salvaged[name] + rebuilt[name];
      expect(missing[name]).toBe(Math.max(0, held[name] - found));
    }
  }
}

describe("a store of 200 MB", () => {
  it.each(damageKinds.map((kind) => [kind.name, kind] as const))("survives: %s", async (_, kind) => {
    const outcome = await runKind(kind, stage(), TIMEOUT_MS);
    outcomes.push(outcome);
    console.log(table([outcome]));
    expect(outcome.lostReadable).toEqual([]);
    expect(outcome.hasEvent).toBe(true);
    expect(outcome.upSeconds).toBeLessThan(UP_WITHIN_SECONDS);
    expect(outcome.check).toMatch(/^database +ok/m);
    // A worker that had moved the journal into the file before it was killed loses nothing with the journal.
    const isUnharmed = kind.before === "killed" && outcome.readable === outcome.before;
    if (kind.expect === "set-aside" && !isUnharmed) expect(outcome.damaged).toHaveLength(1);
    if (kind.expect === "sound") expect(outcome.damaged).toEqual([]);
    const isTold = outcome.damaged.length > 0;
    expect(outcome.told).toEqual([isTold ? expect.stringContaining("was damaged") : undefined, undefined]);
    expect(outcome.isKept).toBe(true);
    expectSums(outcome);
    // Not with the help of the backup, which has most of it as well.
    for (const { salvaged } of outcome.damaged)
      expect(total(salvaged)).toBeGreaterThanOrEqual(outcome.readable);
  });
});
