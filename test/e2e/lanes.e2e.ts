// The same long session on plain Claude Code, on hooks, on mods and with the live window by both carriers.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  expectedAnswer,
  lanesMeasured,
  type Measured,
  type MeasuredLane,
  measureLane,
  type ReadBack,
} from "./lanes.ts";
import { hasClaude } from "./world.ts";

/** `npm run bench:lanes` takes all 200 and writes its tables down. */
const STEPS = Number(process.env.THROUGHLINE_LANES_STEPS ?? 60);
const TABLE = process.env.THROUGHLINE_LANES_TABLE;
const ONLY = process.env.THROUGHLINE_LANES_ONLY?.split(",");

/** Steps of a session of days, which takes about an hour. */
const LONG = Number(process.env.THROUGHLINE_LANES_LONG ?? 0);
/** Its results are short again after so many steps: the client sends all of them with every request. */
const LONG_ROUND = 60;

const number = (value: number): string => Math.round(value).toLocaleString("en-US");
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

const titles: Readonly<Record<ReadBack, string>> = {
  nothing: "The agent reads nothing back of what was cut",
  half: "The agent reads half of what was cut back, each right after it was cut",
};

function tableOf(readBack: ReadBack, measured: readonly Measured[]): string {
  const plain = measured.find(({ lane }) => lane === "plain")?.dollars;
  const rows = measured.map((one) =>
    [
      one.lane,
      number(one.requests),
      number(one.recalls),
      number(one.compactions),
      number(one.ownCompactions),
      number(one.removals),
      number(one.read / 1_000),
      number(one.written / 1_000),
      number(one.output / 1_000),
      number(one.largest / 1_000),
      percent(one.read / (one.read + one.written)),
      percent(one.kept),
      number(one.broken),
      `$${one.dollars.toFixed(3)}`,
      plain === undefined ? "–" : percent(one.dollars / plain),
      one.levels.join(", ") || "none",
    ].join(" | "),
  );
  return [
    `## ${titles[readBack]}`,
    "",
    "lane | requests | recalls | compactions | by Claude Code | removals | k tokens read | written | output | largest | from the cache | prefix kept | broken prefixes | dollars | of plain | levels that acted",
    "--- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | ---",
    ...rows,
    "",
  ].join("\n");
}

const intro = [
  `# One session of ${STEPS} steps on each lane`,
  "",
  "Claude Code against a scripted API, a window of 100,000 tokens, results of 0.3 KB to 20 KB. Dollars by the model table, from the",
  "usage that the API reported: it has the prompt cache with breakpoints in system prompt and messages, as documented. Compactions:",
  "requests that begin with a summary that the one before did not have; removals: requests from which something left near their",
  "end. From the cache: the share of all prompts; prefix kept: of what a request had left in the cache, the share that the next one",
  "read. `npm run bench:lanes` makes this.",
  "",
].join("\n");

const tables: string[] = [];

async function measureAll(readBack: ReadBack, lanes: readonly MeasuredLane[]) {
  const measured: Measured[] = [];
  for (const lane of lanes.filter((one) => ONLY?.includes(one) ?? true))
    measured.push(await measureLane(lane, { steps: STEPS, readBack }));
  tables.push(tableOf(readBack, measured));
  console.log(tables.at(-1));
  if (TABLE !== undefined) {
    mkdirSync(path.dirname(TABLE), { recursive: true });
    writeFileSync(TABLE, [intro, ...tables].join("\n"));
  }
  const of = (lane: MeasuredLane) => measured.find((one) => one.lane === lane);
  const live = (["live by mod", "live by proxy"] as const).flatMap((lane) => of(lane) ?? []);
  // Lanes that were left out are compared with nothing.
  return { measured, live, mods: of("mods"), plain: of("plain")?.dollars ?? Number.POSITIVE_INFINITY };
}

describe.skipIf(!hasClaude)("a long session", () => {
  it("is cheaper than plain on the mods lane and with the live window, which break no prefix outside compactions", async () => {
    const { measured, live, mods, plain } = await measureAll("nothing", lanesMeasured);
    expect(measured.map(({ answer }) => answer)).toEqual(measured.map(() => expectedAnswer));
    expect(measured.map(({ refused }) => refused)).toEqual(measured.map(() => 0));
    expect(mods?.dollars ?? 0).toBeLessThan(plain);
    for (const { dollars, ownCompactions, broken } of live) {
      expect(dollars).toBeLessThan(plain);
      // In a short session both lanes cut the same results and nothing else; the tags of turns cost the live one a little.
      expect(dollars).toBeLessThan((mods?.dollars ?? plain) * 1.01);
      expect([ownCompactions, broken]).toEqual([0, 0]);
    }
  }, 9_000_000);

  it("is cheaper than plain also where the agent reads half of what was cut back", async () => {
    const { measured, live, plain } = await measureAll("half", ["plain", "live by mod", "live by proxy"]);
    expect(measured.map(({ answer }) => answer)).toEqual(measured.map(() => expectedAnswer));
    for (const { dollars } of live) expect(dollars).toBeLessThan(plain);
  }, 9_000_000);

  it.runIf(LONG > 0)(
    "goes on for days, with no refusal and no compaction by Claude Code",
    async () => {
      const one = await measureLane("live by mod", { steps: LONG, round: LONG_ROUND });
      console.log(tableOf("nothing", [one]));
      expect(one.answer).toBe(expectedAnswer);
      expect([one.refused, one.ownCompactions, one.broken]).toEqual([0, 0, 0]);
    },
    9_000_000,
  );
});
