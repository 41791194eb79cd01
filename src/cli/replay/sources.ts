// What `throughline replay` is asked to replay: transcripts by name or below folders, and what each is called.
import path from "node:path";
import { findTranscripts } from "../../transcript/index.ts";

export interface NamedTranscript {
  readonly file: string;
  readonly name: string;
}

interface Sources {
  readonly files: readonly NamedTranscript[];
  /** What is below the folders and cannot be looked into. */
  readonly leftOut: readonly { readonly file: string; readonly reason: string }[];
}

/** Each is called by its file's name; by all of its path when another one is called the same. */
export function namedTranscripts(given: readonly string[]): Sources {
  const { files, unsearched } = findTranscripts(given);
  const short = (file: string): string => path.basename(file, ".jsonl");
  const counts = new Map<string, number>();
  for (const file of files) counts.set(short(file), (counts.get(short(file)) ?? 0) + 1);
  const named = files.map((file) => ({
    file,
    name: (counts.get(short(file)) ?? 0) > 1 ? file : short(file),
  }));
  return { files: named, leftOut: unsearched };
}
