// The transcripts a bench is asked to measure: files as they are named, folders with every transcript in them.
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { UsageError } from "./bench.ts";

/** Paths among the arguments; without any the bench says how it is called. */
export function transcriptsIn(args: readonly string[]): string[] {
  const files = args
    .filter((arg) => !arg.startsWith("--"))
    .flatMap((given) =>
      statSync(given).isDirectory()
        ? readdirSync(given)
            .filter((name) => name.endsWith(".jsonl"))
            .sort()
            .map((name) => path.join(given, name))
        : [given],
    );
  if (files.length === 0) throw new UsageError();
  return files;
}
