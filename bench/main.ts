// `npm run bench [-- FOLDER…]`: what is quoted of this project, measured in one run and kept in bench/results.
// Numbers are ratios to something else of the same run, so that they mean the same on another machine.
import { errorText } from "../src/lib/index.ts";
import { commandOf } from "./alone.ts";
import { type Bench, holds } from "./bench.ts";
import { bench as hooks } from "./hooks.ts";
import { bench as ingest } from "./ingest.ts";
import { bench as pipeline } from "./pipeline.ts";
import { outcomeText } from "./print.ts";
import { machineText, record, thisMachine } from "./record.ts";
import { bench as replay } from "./replay.ts";
import { bench as retention } from "./retention.ts";
import { bench as search } from "./search.ts";
import { bench as tokens } from "./tokens.ts";

/** Those that need nothing, and those that need recorded sessions. */
const alone: readonly Bench[] = [hooks, ingest, search, pipeline];
const onSessions: readonly Bench[] = [replay, retention, tokens];

const flags = ["--dry-run", "--only="];

function usage(): number {
  const names = [...alone, ...onSessions].map(({ name }) => name).join(",");
  console.error(`usage: npm run bench [-- FOLDER|FILE…] [--only=${names}] [--dry-run]`);
  return 2;
}

async function main(args: readonly string[]): Promise<number> {
  const paths = args.filter((arg) => !arg.startsWith("--"));
  if (args.some((arg) => arg.startsWith("--") && !flags.some((flag) => arg.startsWith(flag)))) return usage();
  const only = args
    .find((arg) => arg.startsWith("--only="))
    ?.slice("--only=".length)
    .split(",");
  const all = [...alone, ...(paths.length > 0 ? onSessions : [replay])];
  const chosen = all.filter(({ name }) => only === undefined || only.includes(name));
  if (chosen.length === 0) return usage();
  console.log(`${machineText(thisMachine())}\n`);
  let isGood = true;
  for (const bench of chosen) {
    console.log(`── ${bench.name}: ${bench.about}\n`);
    try {
      const outcome = await bench.run(onSessions.includes(bench) ? paths : []);
      console.log(`${outcomeText(outcome)}\n`);
      isGood &&= (outcome.bars ?? []).every(holds);
      if (!args.includes("--dry-run"))
        record(bench, commandOf("bench", onSessions.includes(bench) ? paths : []), outcome);
    } catch (error) {
      console.error(`${bench.name} could not be measured: ${errorText(error)}\n`);
      isGood = false;
    }
  }
  return isGood ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
