// The archive under kill -9: what every round must find, for the short run and the long one.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import {
  archiveTranscript,
  conversationsFolder,
  type FormatName,
  findArchive,
  listArchives,
  readArchive,
} from "../../src/archive/index.ts";
import { archiveRun } from "./archiveRows.ts";
import { killLoop } from "./killLoop.ts";

const archiveWriter = fileURLToPath(new URL("./archiveWriter.ts", import.meta.url));

const writers: readonly { readonly session: string; readonly format: FormatName }[] = [
  { session: "in-markdown", format: "md" },
  { session: "in-json", format: "json" },
];

export interface ArchiveTally {
  readonly kills: number;
  readonly steps: number;
  /** Rounds that left half of a write behind. */
  readonly torn: number;
}

const partCount = (text: string, format: FormatName): number =>
  format === "json"
    ? JSON.parse(text).parts.length
    : text.split(/\n\n(?=\*\*(?:User|Assistant)\*\*: )/).length - 1;

/** Two writers a round, both killed. Then what is read is whole, and one more run gives what one run from nothing gives. */
export async function killArchiveWriters(folder: string, kills: number, seed: number): Promise<ArchiveTally> {
  let [steps, torn] = [0, 0];
  await killLoop({
    entry: archiveWriter,
    args: (_, writer) => [folder, writers[writer]?.session ?? "", writers[writer]?.format ?? ""],
    kills: kills / writers.length,
    writers: writers.length,
    seed,
    onRound: async ({ confirmed }) => {
      steps += confirmed.reduce((sum, lines) => sum + lines.length, 0);
      for (const { session, format } of writers) {
        const run = archiveRun(folder, session, format);
        const [left] = listArchives(run.options.dir).filter((one) => one.session === session);
        if (left !== undefined && left.bytes !== Buffer.byteLength(readArchive(left))) torn += 1;
        // Before anything is repaired, what is read is whole: every part of it, and nothing behind it.
        if (left !== undefined) expect(partCount(readArchive(left), format) % 2).toBe(0);
        await archiveTranscript(run.transcript, run.options);
        const once = archiveRun(folder, session, format, "once").options;
        rmSync(once.dir, { recursive: true, force: true });
        await archiveTranscript(run.transcript, once);
        expect(readArchive(findArchive(run.options.dir, session))).toBe(
          readArchive(findArchive(once.dir, session)),
        );
      }
      const conversations = conversationsFolder(path.join(folder, "archives"), "g");
      const visible = readdirSync(conversations).filter((name) => !name.startsWith("."));
      expect(visible).toHaveLength(writers.length);
      const books = readdirSync(path.join(conversations, ".archive"));
      expect(books.filter((name) => !/\.(json|seen)$/.test(name))).toEqual([]);
      for (const name of visible)
        expect(readFileSync(path.join(conversations, name)).length).toBeGreaterThan(0);
    },
  });
  return { kills, steps, torn };
}
