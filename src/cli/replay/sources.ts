// What `throughline replay` is asked to replay: transcripts by name or by folder, and what each is called.
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { ThroughlineError } from "../../lib/index.ts";

export interface NamedTranscript {
  readonly file: string;
  readonly name: string;
}

/** Whatever is no readable folder is left to the reader of transcripts, which says what is wrong with it. */
function isFolder(given: string): boolean {
  try {
    return statSync(given).isDirectory();
  } catch {
    return false;
  }
}

function transcriptsIn(given: string): string[] {
  if (!isFolder(given)) return [given];
  const files = readdirSync(given)
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .map((name) => path.join(given, name));
  if (files.length > 0) return files;
  throw new ThroughlineError("not-found", `no .jsonl file in ${given}`, {
    fix: "give a folder of transcripts",
  });
}

/** Each is called by its file's name; by all of its path when another one is called the same. */
export function namedTranscripts(given: readonly string[]): NamedTranscript[] {
  const files = [...new Set(given.flatMap(transcriptsIn))];
  const short = (file: string): string => path.basename(file, ".jsonl");
  const counts = new Map<string, number>();
  for (const file of files) counts.set(short(file), (counts.get(short(file)) ?? 0) + 1);
  return files.map((file) => ({ file, name: (counts.get(short(file)) ?? 0) > 1 ? file : short(file) }));
}
