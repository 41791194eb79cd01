// The transcripts a bench is asked to measure: files as they are named, folders with every transcript in them.
import { readdirSync, statSync } from "node:fs";
import path from "node:path";

/** Paths from the command line; with none, says how the bench is called and ends. */
export function transcriptsAsked(script: string): string[] {
  const files = process.argv.slice(2).flatMap((given) =>
    statSync(given).isDirectory()
      ? readdirSync(given)
          .filter((name) => name.endsWith(".jsonl"))
          .map((name) => path.join(given, name))
      : [given],
  );
  if (files.length > 0) return files;
  console.error(`usage: npm run ${script} -- FILE|DIR…`);
  process.exit(2);
}
