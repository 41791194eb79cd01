// What recorded sessions would have cost under every rule, and Throughline's default under other prices: the command
// itself, in a home of its own.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import type { PolicyTotal } from "../src/replay/index.ts";
import type { Bench } from "./bench.ts";
import { inFolder, rounded } from "./measure.ts";

const cli = path.resolve("dist", "cli.js");
const sample = path.resolve("sample", "session.jsonl");
const run = promisify(execFile);

async function totals(
  home: string,
  paths: readonly string[],
  flags: readonly string[],
): Promise<PolicyTotal[]> {
  const { stdout } = await run(process.execPath, [cli, "replay", ...paths, ...flags, "--json"], {
    env: { PATH: process.env.PATH, THROUGHLINE_HOME: home },
    maxBuffer: 2 ** 30,
  });
  return JSON.parse(stdout).totals;
}

const percent = (share = Number.NaN): number => rounded(share * 100, 1);

function row({
  policy,
  ratio,
  billRatio,
  worstRatio,
  dollars,
  compactions,
  recalls,
  retention,
}: PolicyTotal) {
  return {
    rule: policy,
    "cost %": percent(ratio),
    "whole bill %": percent(billRatio),
    "worst session %": percent(worstRatio),
    dollars: rounded(dollars),
    compactions,
    recalls,
    "in view %": percent(retention),
  };
}

/** What the default is held against. */
const variants: readonly (readonly [string, readonly string[]])[] = [
  ["a cache read at a twentieth of the input price", ["--cache-read", "0.05"]],
  ["a cache of one hour", ["--ttl", "1h"]],
  ["thinking bound to what precedes it (as if on claude-opus-5-5)", ["--model", "claude-opus-5-5"]],
];

export const bench: Bench = {
  name: "replay",
  about:
    "Recorded sessions sent again under every rule: cost in % of sending everything, recalls and summary calls charged.",
  usage: "[FILE|DIR…]",
  async run(args) {
    if (!existsSync(cli)) throw new Error("dist/cli.js is missing; run `npm run build` first");
    const paths = args.length > 0 ? args : [sample];
    return inFolder("replay", async (home) => {
      const all = await totals(home, paths, []);
      const others = [];
      for (const [what, flags] of variants) {
        const found = await totals(home, paths, ["--policy", "thrifty", ...flags]);
        others.push({ what, total: found.find(({ policy }) => policy === "thrifty") });
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
        ],
      };
    });
  },
};
