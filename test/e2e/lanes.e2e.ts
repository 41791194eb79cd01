// The same long session on plain Claude Code, on hooks, on mods and with the live window by both carriers.
import { afterAll, describe, expect, it } from "vitest";
import type { Bar, Finding } from "../../bench/bench.ts";
import { rounded } from "../../bench/measure.ts";
import { outcomeText } from "../../bench/print.ts";
import { record } from "../../bench/record.ts";
import {
  expectedAnswer,
  lanesMeasured,
  type Measured,
  type MeasuredLane,
  measureLane,
  type ReadBack,
} from "./lanes.ts";
import { hasClaude } from "./world.ts";

/** `npm run bench:lanes` takes all 200 and records what it measured. */
const STEPS = Number(process.env.THROUGHLINE_LANES_STEPS ?? 60);
const ONLY = process.env.THROUGHLINE_LANES_ONLY?.split(",");

/** Steps of a session of days, which takes about an hour. */
const LONG = Number(process.env.THROUGHLINE_LANES_LONG ?? 0);
/** Its results are short again after so many steps: the client sends all of them with every request. */
const LONG_ROUND = 60;

const titles: Readonly<Record<ReadBack, string>> = {
  nothing: "The agent reads nothing back of what was cut",
  half: "The agent reads half of what was cut back, each right after it was cut",
};

const bench = {
  name: "lanes",
  about: `One session of ${STEPS} steps on each lane: Claude Code against a scripted API, a window of 100,000 tokens, results of 0.3 KB to 20 KB. Dollars by the model table, from the usage that the API reported: it has the prompt cache with breakpoints in system prompt and messages, as documented. Compactions: requests that begin with a summary that the one before did not have; removals: requests from which something left near their end. From the cache: the share of all prompts; prefix kept: of what a request had left in the cache, the share that the next one read.`,
  measures: ["src/live", "src/pipeline", "src/economics", "src/mods", "src/proxy", "plugin/mods/hooks"],
};

const share = (part: number) => rounded(part * 100, 1);

function rowOf(one: Measured, plain: number | undefined) {
  return {
    lane: one.lane,
    requests: one.requests,
    recalls: one.recalls,
    compactions: one.compactions,
    "by Claude Code": one.ownCompactions,
    removals: one.removals,
    "k tokens read": Math.round(one.read / 1_000),
    "k written": Math.round(one.written / 1_000),
    "k output": Math.round(one.output / 1_000),
    "k largest": Math.round(one.largest / 1_000),
    "from the cache %": share(one.read / (one.read + one.written)),
    "prefix kept %": share(one.kept),
    "broken prefixes": one.broken,
    dollars: rounded(one.dollars, 3),
    "of plain %": plain === undefined ? "–" : share(one.dollars / plain),
    "levels that acted": one.levels.join(", ") || "none",
  };
}

const findingOf = (readBack: ReadBack, measured: readonly Measured[]): Finding => {
  const plain = measured.find(({ lane }) => lane === "plain")?.dollars;
  return { title: titles[readBack], rows: measured.map((one) => rowOf(one, plain)) };
};

/** What has to hold of both carriers, from the worse of the two. */
function barsOf(nothing: readonly Measured[], half: readonly Measured[]): Bar[] {
  const isLive = ({ lane }: Measured) => lane.startsWith("live");
  const dollarsOf = (all: readonly Measured[], lane: MeasuredLane) =>
    all.find((one) => one.lane === lane)?.dollars ?? Number.NaN;
  const dearest = (all: readonly Measured[]) => Math.max(...all.filter(isLive).map(({ dollars }) => dollars));
  const kept = Math.min(...nothing.filter(isLive).map((one) => one.kept));
  const own = Math.max(...[...nothing, ...half].filter(isLive).map((one) => one.ownCompactions));
  return [
    { what: "% of plain, live", value: share(dearest(nothing) / dollarsOf(nothing, "plain")), atMost: 43 },
    {
      what: "% of the mods lane, live",
      value: share(dearest(nothing) / dollarsOf(nothing, "mods")),
      atMost: 90,
    },
    { what: "prefix kept %, live", value: share(kept), atLeast: 98 },
    { what: "compactions by Claude Code, live", value: own, atMost: 0 },
    {
      what: "% of plain, half read back, live",
      value: share(dearest(half) / dollarsOf(half, "plain")),
      atMost: 65,
    },
  ];
}

const all: Record<ReadBack, Measured[]> = { nothing: [], half: [] };

async function measureAll(readBack: ReadBack, lanes: readonly MeasuredLane[]) {
  const measured = all[readBack];
  for (const lane of lanes.filter((one) => ONLY?.includes(one) ?? true))
    measured.push(await measureLane(lane, { steps: STEPS, readBack }));
  console.log(outcomeText({ findings: [findingOf(readBack, measured)] }));
  const of = (lane: MeasuredLane) => measured.find((one) => one.lane === lane);
  const live = (["live by mod", "live by proxy"] as const).flatMap((lane) => of(lane) ?? []);
  // Lanes that were left out are compared with nothing.
  return { measured, live, mods: of("mods"), plain: of("plain")?.dollars ?? Number.POSITIVE_INFINITY };
}

afterAll(() => {
  const { nothing, half } = all;
  if (nothing.length === 0 || half.length === 0) return;
  const findings = [findingOf("nothing", nothing), findingOf("half", half)];
  const outcome = { findings, bars: barsOf(nothing, half) };
  console.log(outcomeText(outcome));
  if (process.env.THROUGHLINE_RECORD) record(bench, "npm run bench:lanes", outcome);
});

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
      console.log(outcomeText({ findings: [findingOf("nothing", [one])] }));
      expect(one.answer).toBe(expectedAnswer);
      expect([one.refused, one.ownCompactions, one.broken]).toEqual([0, 0, 0]);
    },
    9_000_000,
  );
});
