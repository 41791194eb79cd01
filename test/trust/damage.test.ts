// Damage to a small store: every row that SQLite still returns comes back, without a worker around it.
import { describe, expect, it } from "vitest";
import { damageKinds } from "./damageKinds.ts";
import { recoverHere, SMALL_STORE, stageOf } from "./damageRun.ts";

const stage = stageOf(SMALL_STORE);

const quick = damageKinds.filter(({ isQuick, before }) => isQuick && before === undefined);

describe("a damaged database", () => {
  it.each(quick.map((kind) => [kind.name, kind] as const))(
    "loses no row that can be read: %s",
    async (_, kind) => {
      const { isSetAside, lostReadable, report, problems } = await recoverHere(kind, stage());
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
