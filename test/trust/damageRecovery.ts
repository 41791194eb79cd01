// The recovery of a small store from kinds of damage, as two test files share it: each takes half of the kinds.
import { describe, expect, it } from "vitest";
import { damageKinds } from "./damageKinds.ts";
import { recoverHere, SMALL_STORE, stageOf } from "./damageRun.ts";

const quick = damageKinds.filter(({ isQuick, before }) => isQuick && before === undefined);

export function describeRecovery(half: "first" | "second"): void {
  const stage = stageOf(SMALL_STORE);
  const middle = Math.ceil(quick.length / 2);
  const kinds = half === "first" ? quick.slice(0, middle) : quick.slice(middle);

  describe("a damaged database", () => {
    it.each(kinds.map((kind) => [kind.name, kind] as const))(
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
}
