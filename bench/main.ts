// `npm run bench [-- FOLDER…]`: what is quoted of this project, measured in one run and kept in bench/results.
// Numbers are ratios to something else of the same run, so that they mean the same on another machine.
import { errorText } from "../src/lib/index.ts";
import { commandOf } from "./alone.ts";
import { type Bench, holds } from "./bench.ts";
import { bench as hooks } from "./hooks.ts";
import { bench as ingest } from "./ingest.ts";
import { bench as pipeline } from "./pipeline.ts";
import { outcomeText } from "./print.ts";
import { isStale, machineText, type Recorded, record, recordedResults, thisMachine } from "./record.ts";
import { bench as replay } from "./replay.ts";
import { bench as retention } from "./retention.ts";
import { bench as search } from "./search.ts";
import { bench as tokens } from "./tokens.ts";

/** Those that need nothing, and those that need recorded sessions. */
const alone: readonly Bench[] = [hooks, ingest, search, pipeline];
const onSessions: readonly Bench[] = [replay, retention, tokens];

const flags = ["--dry-run", "--recorded", "--only="];

/** Which results are older than the code that they measure, and what makes each anew. */
function staleText(results: readonly Recorded[]): string {
  const stale = results.filter(isStale);
  if (stale.length === 0) return "Every recorded result was made with the code as it is.";
  return [
    "Older than the code that they measure:",
    ...stale.map(({ bench, date, command }) => `  ${bench}, ${date}: ${command}`),
  ].join("\n");
}

/** Prints what is recorded, and measures nothing. */
function printRecorded(results: readonly Recorded[]): void {
  for (const result of results) {
    const { bench, about, command, date, machine } = result;
    console.log(`── ${bench}: ${about}\n   ${command}, ${date}, ${machineText(machine)}\n`);
    console.log(`${outcomeText(result)}\n`);
  }
}

function usage(): number {
  const names = [...alone, ...onSessions].map(({ name }) => name).join(",");
  console.error(`usage: npm run bench [-- FOLDER|FILE…] [--only=${names}] [--dry-run] [--recorded]`);
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
  if (args.includes("--recorded")) {
    const results = [...recordedResults().values()].filter(({ bench }) => only?.includes(bench) ?? true);
    printRecorded(results);
    console.log(staleText(results));
    return 0;
  }
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
  console.log(staleText([...recordedResults().values()]));
  return isGood ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
