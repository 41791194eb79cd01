// One bench by itself: run, printed, and kept when `--record` asks for it. The exit code says whether all of it holds.
import { errorText } from "../src/lib/index.ts";
import { type Bench, holds, NotRun, UsageError } from "./bench.ts";
import { outcomeText } from "./print.ts";
import { record } from "./record.ts";

/** How a bench was called, with what stands for the names of files and folders. */
export function commandOf(name: string, args: readonly string[]): string {
  const shown = args
    .filter((arg) => arg !== "--record")
    .map((arg) => (arg.startsWith("--") || /^\d+$/.test(arg) ? arg : "FOLDER"));
  const more = [...new Set(shown)].join(" ");
  return `npm run ${name}${more === "" ? "" : ` -- ${more}`}`;
}

export async function runAlone(bench: Bench, args: readonly string[]): Promise<number> {
  try {
    const outcome = await bench.run(args.filter((arg) => arg !== "--record"));
    console.log(outcomeText(outcome));
    if (args.includes("--record")) record(bench, commandOf(`bench:${bench.name}`, args), outcome);
    return (outcome.bars ?? []).every(holds) ? 0 : 1;
  } catch (error) {
    if (error instanceof NotRun) {
      console.log(`bench:${bench.name} was NOT RUN: ${error.message}.`);
      return 0;
    }
    if (error instanceof UsageError) {
      console.error(`usage: npm run bench:${bench.name} -- ${bench.usage ?? ""}`.trimEnd());
      return 2;
    }
    console.error(errorText(error));
    return 1;
  }
}
