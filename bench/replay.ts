// What recorded sessions would have cost under every rule, and Throughline's default under other prices: the command
// itself, in a home of its own.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { type PolicyTotal, type ReplayResult, totalsByPolicy } from "../src/replay/index.ts";
import type { Bar, Bench } from "./bench.ts";
import { inFolder, rounded } from "./measure.ts";

const cli = path.resolve("dist", "cli.js");
const sample = path.resolve("sample", "session.jsonl");
const run = promisify(execFile);

interface ReplayAnswer {
  readonly totals: readonly PolicyTotal[];
  readonly sessions: readonly ReplayResult[];
}

async function replayed(
  home: string,
  paths: readonly string[],
  flags: readonly string[],
): Promise<ReplayAnswer> {
  const { stdout } = await run(process.execPath, [cli, "replay", ...paths, ...flags, "--json"], {
    env: { PATH: process.env.PATH, THROUGHLINE_HOME: home },
    maxBuffer: 2 ** 30,
  });
  return JSON.parse(stdout);
}

const percent = (share = Number.NaN): number => rounded(share * 100, 1);

function row({
  policy,
  lookedAt,
  ratio,
  billRatio,
  worstRatio,
  dollars,
  compactions,
  cuts,
  recalls,
  retention,
}: PolicyTotal) {
  return {
    rule: policy,
    "never %": percent(lookedAt.never.ratio),
    "cost %": percent(ratio),
    "always %": percent(lookedAt.always.ratio),
    "whole bill %": percent(billRatio),
    "worst session %": percent(worstRatio),
    dollars: rounded(dollars),
    compactions,
    cuts,
    recalls,
    "in view %": percent(retention),
  };
}

/** The default on every second session, on the others, and on all, by how much of what it cut is looked at. */
function halvesOf(sessions: readonly ReplayResult[]) {
  const names = [...new Set(sessions.map(({ session }) => session))].sort();
  const parts: readonly (readonly [string, (at: number) => boolean])[] = [
    ["all", () => true],
    ["first, third, …", (at) => at % 2 === 0],
    ["second, fourth, …", (at) => at % 2 === 1],
  ];
  return parts.flatMap(([part, isIn]) => {
    const chosen = new Set(names.filter((_, at) => isIn(at)));
    const total = totalsByPolicy(sessions.filter(({ session }) => chosen.has(session))).find(
      ({ policy }) => policy === "thrifty",
    );
    return (["never", "half", "always"] as const).flatMap((rate) => {
      const at = total?.lookedAt[rate];
      if (!at) return [];
      const numbers = { "cost %": percent(at.ratio), "whole bill %": percent(at.billRatio) };
      const others = { "worst session %": percent(at.worstRatio), "in view %": percent(at.retention) };
      return [{ sessions: part, "looked at": rate, ...numbers, ...others }];
    });
  });
}

/** What the default has to keep on recorded sessions when the model looks at half of what was cut. */
function bars({ ratio, retention, worstRatio }: PolicyTotal): Bar[] {
  return [
    { what: "cost % of thrifty, half looked at", value: percent(ratio), atMost: 64 },
    { what: "in view %", value: percent(retention), atLeast: 96 },
    { what: "worst session %", value: percent(worstRatio), atMost: 103 },
  ];
}

/** What the default is held against. */
const variants: readonly (readonly [string, readonly string[]])[] = [
  ["a cache read at a twentieth of the input price", ["--cache-read", "0.05"]],
  ["a cache of one hour", ["--ttl", "1h"]],
  ["thinking bound to what precedes it (as if on claude-opus-5-5)", ["--model", "claude-opus-5-5"]],
];

export const bench: Bench = {
  name: "replay",
  measures: ["src/replay", "src/pipeline", "src/economics", "src/compact", "src/preview"],
  about:
    "Recorded sessions sent again under every rule: cost in % of sending everything, recalls, looks and summary calls charged. Cost without a rate: half of what was cut on arrival is looked at.",
  usage: "[FILE|DIR…]",
  async run(args) {
    if (!existsSync(cli)) throw new Error("dist/cli.js is missing; run `npm run build` first");
    const paths = args.length > 0 ? args : [sample];
    return inFolder("replay", async (home) => {
      const { totals: all, sessions } = await replayed(home, paths, []);
      const others = [];
      for (const [what, flags] of variants) {
        const { totals } = await replayed(home, paths, ["--policy", "thrifty", ...flags]);
        others.push({ what, total: totals.find(({ policy }) => policy === "thrifty") });
      }
      const base = all[0];
      const usual = all.find(({ policy }) => policy === "thrifty");
      const rows = [{ what: "as it is", total: usual }, ...others].flatMap(({ what, total }) => {
        if (!total) return [];
        const { rule: _, ...numbers } = row(total);
        return [{ thrifty: what, ...numbers }];
      });
      const whole = (count = 0): string => count.toLocaleString("en-US");
      const what = args.length > 0 ? `${whole(base?.sessions)} recorded sessions` : "The sample session";
      return {
        findings: [
          { title: `${what}, ${whole(base?.requests)} requests`, rows: all.map(row) },
          { title: "The default under other prices", rows },
          { title: "The default by how much of what it cut is looked at", rows: halvesOf(sessions) },
        ],
        ...(args.length > 0 && usual ? { bars: bars(usual) } : {}),
      };
    });
  },
};
