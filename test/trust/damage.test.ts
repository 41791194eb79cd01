// Damage to a small store: every row that SQLite still returns comes back, the worker comes up, and the person is told once.
import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databaseFile } from "../../src/home/index.ts";
import { makeBase } from "./damageBase.ts";
import { type DamageKind, damageKinds, pagesOf } from "./damageKinds.ts";
import { listRows } from "./damageReader.ts";
import { killWhileSalvaging, recoverHere, runKind, type Stage } from "./damageRun.ts";

let stage: Stage;

beforeAll(async () => {
  const base = await makeBase({ events: 600, payloadBytes: 3_500, sessions: 2, turns: 10 });
  const database = databaseFile(base.home);
  stage = { base, pages: await pagesOf(database), rows: await listRows(database) };
});
afterAll(() => rmSync(stage.base.folder, { recursive: true, force: true }));

const kindOf = (name: string): DamageKind => {
  const kind = damageKinds.find((one) => one.name === name);
  if (kind === undefined) throw new Error(`no damage ${name}`);
  return kind;
};

const quick = damageKinds.filter(({ isQuick, before }) => isQuick && before === undefined);

describe("a damaged database", () => {
  it.each(quick.map((kind) => [kind.name, kind] as const))(
    "loses no row that can be read: %s",
    async (_, kind) => {
      const { isSetAside, lostReadable, report, problems } = await recoverHere(kind, stage);
      expect(lostReadable).toEqual([]);
      expect(problems).toEqual([]);
      expect(isSetAside).toBe(kind.expect === "set-aside");
      if (report?.held == null || report.missing === null) return;
      for (const table of Object.keys(report.held) as (keyof typeof report.held)[])
        expect(report.salvaged[table] + report.rebuilt[table] + report.missing[table]).toBe(
          report.held[table],
        );
    },
  );
});

describe("a worker on a damaged home", () => {
  it("gives way to another when it meets the damage at work, and nothing readable is lost", async () => {
    const outcome = await runKind(kindOf("20 leaf pages of events zeroed"), stage, 60_000);
    expect(outcome).toMatchObject({ lostReadable: [], hasEvent: true, isKept: true });
    expect(outcome.damaged).toMatchObject([{ state: "done", problem: null }]);
    expect(outcome.check).toMatch(/^database +ok/m);
  });

  it("says that rows are lost, brings back what transcripts have, and tells the person once", async () => {
    const outcome = await runKind(kindOf("cut to nothing, no backup"), stage, 60_000);
    const held = { sessions: 8, events: 642, prompts: 80, messages: 76 };
    expect(outcome.damaged).toMatchObject([
      { held, rebuilt: { sessions: 2, events: 40, prompts: 20, messages: 40 } },
    ]);
    expect(outcome.told).toEqual([
      expect.stringMatching(/was damaged.* of 842 rows are back, \d+ are missing/),
      undefined,
    ]);
  });

  it("goes on with the salvage where the worker and its salvage process were killed", async () => {
    const { lostReadable, kills, damaged } = await killWhileSalvaging(kindOf("magic overwritten"), stage);
    expect(kills).toBeGreaterThan(0);
    expect(lostReadable).toEqual([]);
    expect(damaged).toMatchObject([{ state: "done", held: damaged[0]?.salvaged }]);
  });

  it("ends with the counts of an undisturbed salvage after kills, with a damaged backup too", async () => {
    const kind = kindOf("10,000 bits flipped, newest backup damaged");
    const undisturbed = await runKind(kind, stage, 60_000);
    const killed = await killWhileSalvaging(kind, stage);
    expect(killed.kills).toBeGreaterThan(0);
    // So many on so small a store leave rows without a time, which are not taken.
    expect(killed.lostReadable).toEqual(undisturbed.lostReadable);
    const [whole] = undisturbed.damaged;
    const { held, salvaged, notes } = whole ?? {};
    expect(notes).toEqual([expect.stringMatching(/^backup throughline-2026-11-01/)]);
    // Observations follow from events by jobs that may still run.
    const { observations: _, ...missing } = whole?.missing ?? {};
    expect(killed.damaged).toMatchObject([{ state: "done", problem: null, held, salvaged, notes, missing }]);
  });

  it("notices that a journal with rows is gone", async () => {
    const outcome = await runKind(kindOf("journal deleted"), stage, 60_000);
    expect(outcome).toMatchObject({ lostReadable: [], hasEvent: true });
    expect(outcome.damaged).toMatchObject([{ reason: expect.stringContaining("has lost rows") }]);
  });
});
