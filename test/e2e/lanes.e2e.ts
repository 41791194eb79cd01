// The same long session on plain Claude Code, on hooks, on mods and with the live window: both are cheaper.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { expectedAnswer, lanesMeasured, type Measured, measureLane } from "./lanes.ts";
import { hasClaude } from "./world.ts";

/** `npm run bench:lanes` takes all 200 and writes its table down. */
const STEPS = Number(process.env.THROUGHLINE_LANES_STEPS ?? 60);
const TABLE = process.env.THROUGHLINE_LANES_TABLE;

const number = (value: number): string => Math.round(value).toLocaleString("en-US");

function tableOf(measured: readonly Measured[]): string {
  const rows = measured.map((one) =>
    [
      one.lane,
      number(one.requests),
      number(one.compactions),
      number(one.ownCompactions),
      number(one.bytes / 1_000),
      number(one.largest / 1_000),
      `${(one.kept * 100).toFixed(1)} %`,
      number(one.broken),
      `$${one.dollars.toFixed(3)}`,
    ].join(" | "),
  );
  return [
    `# One session of ${STEPS} steps on each lane`,
    "",
    "Claude Code against a scripted API, a window of 100,000 tokens, results of 0.3 KB to 20 KB. Dollars by the model",
    "table: what stood in the request before is read from the cache, the rest is written. `npm run bench:lanes` makes this.",
    "",
    "lane | requests | compactions | of Claude Code | KB sent | largest KB | prefix kept | broken prefixes | dollars",
    "--- | --: | --: | --: | --: | --: | --: | --: | --:",
    ...rows,
    "",
  ].join("\n");
}

describe.skipIf(!hasClaude)("a long session", () => {
  it("is cheaper than plain on the mods lane and with the live window, which break no prefix outside compactions", async () => {
    const measured = [];
    for (const lane of lanesMeasured) measured.push(await measureLane(lane, STEPS));
    console.log(tableOf(measured));
    if (TABLE !== undefined) {
      mkdirSync(path.dirname(TABLE), { recursive: true });
      writeFileSync(TABLE, tableOf(measured));
    }
    expect(measured.map(({ answer }) => answer)).toEqual(lanesMeasured.map(() => expectedAnswer));
    const [plain, hooks, mods, live] = measured;
    expect([mods?.broken, live?.broken]).toEqual([0, 0]);
    expect(mods?.dollars).toBeLessThan(Math.min(plain?.dollars ?? 0, hooks?.dollars ?? 0));
    expect(live?.dollars).toBeLessThan(plain?.dollars ?? 0);
    expect(live?.ownCompactions).toBe(0);
  }, 3_600_000);
});
