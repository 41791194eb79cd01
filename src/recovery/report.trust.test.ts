// The reports on damaged databases: numbers that add up, at most two kept, gone with what is forgotten, and told once.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { damagedFolder, type Home, resolveHome } from "../home/index.ts";
import { openLog } from "../log/log.ts";
import { type HeldCounts, type HeldState, salvageStart } from "../store/index.ts";
import {
  type DamageReport,
  damageNotice,
  damageSummaries,
  forgetDamaged,
  pruneDamaged,
  readReport,
  total,
  writeReport,
} from "./report.ts";

let folder = "";
let home: Home;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-report-"));
  home = resolveHome({ env: { THROUGHLINE_HOME: folder }, platform: process.platform, homeFolder: folder });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const counts = (events: number): HeldCounts => ({
  ...{ sessions: 1, prompts: 0, observations: 0, summaries: 0, messages: 0 },
  events,
});
const held: HeldState = {
  ...{ identity: 7, at: 0, counts: counts(10), sequences: {}, oldest: {} },
  ...{ pageSize: 4096, roots: {}, migrations: [], forgotten: [] },
};

function report(name: string, more: Partial<DamageReport> = {}): string {
  const place = path.join(damagedFolder(home), name);
  mkdirSync(place, { recursive: true });
  writeFileSync(path.join(place, "throughline.db"), "bytes");
  const position = { ...salvageStart, salvaged: counts(6) };
  writeReport(place, {
    ...{ v: 1, at: "2026-11-17T20:00:00.000Z", reason: "x", state: "done", position, held },
    ...more,
  });
  return place;
}

describe("the report on a damaged database", () => {
  it.each([
    { present: 6, rebuilt: 0, missing: 4 },
    { present: 9, rebuilt: 3, missing: 1 },
    { present: 10, rebuilt: 4, missing: 0 },
    // What was made of rows meanwhile was not held.
    { present: 25, rebuilt: 4, missing: 0 },
  ])("adds up to what was held: %o", ({ present, rebuilt, missing }) => {
    report("a", { present: counts(present) });
    const [summary] = damageSummaries(home);
    expect(summary).toMatchObject({ rebuilt: { events: rebuilt }, missing: { events: missing } });
    if (summary?.held && summary.missing)
      expect(total(summary.salvaged) + total(summary.rebuilt) + total(summary.missing)).toBe(
        total(summary.held),
      );
  });

  it("does not say how much is missing where it is not known how much there was", () => {
    const { held: _, ...unknown } = readReport(report("a")) as DamageReport;
    writeReport(path.join(damagedFolder(home), "a"), { ...unknown, present: counts(9) });
    expect(damageSummaries(home)).toMatchObject([{ held: null, missing: null, rebuilt: { events: 3 } }]);
  });

  it("is kept with the file for the newest two, and longer while rows still come back", () => {
    const places = ["1", "2", "3", "4"].map((name) =>
      report(name, name === "2" ? { state: "salvaging" } : {}),
    );
    pruneDamaged(home);
    expect(places.map((place) => existsSync(place))).toEqual([false, true, true, true]);
  });

  it("goes when something is forgotten: at once, or as soon as its rows are back", () => {
    const [done, open] = [report("1"), report("2", { state: "salvaging" })];
    forgetDamaged(home);
    expect(existsSync(done)).toBe(false);
    expect(readReport(open)).toMatchObject({ state: "salvaging", deleteWhenDone: true });
  });

  it.each([
    ["en", /^Throughline: the database was damaged.* 9 of 11 rows are back, 2 are missing\./],
    ["zh", /^Throughline:数据库已损坏.*11 条记录中已恢复 9 条,缺失 2 条/],
  ] as const)("is told once, in one line (%s)", (language, line) => {
    report("a", { present: counts(8) });
    const log = openLog({
      ...{ file: path.join(folder, "log"), level: "info", maxBytes: 1_000, keep: 1 },
      redact: (record) => record,
    });
    const notice = damageNotice({ home, clock: { now: () => 0 }, log });
    expect(notice(language)).toMatch(line);
    expect(notice(language)).toBeUndefined();
  });
});
