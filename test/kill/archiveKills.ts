// The archive under kill -9: what every round must find, for the short run and the long one.
import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import {
  type ArchiveFormatName,
  archiveTranscript,
  conversationsFolder,
  findArchive,
  listArchives,
  readArchive,
} from "../../src/archive/index.ts";
import { archiveRun } from "./archiveRows.ts";
import { killLoop } from "./killLoop.ts";

const archiveWriter = fileURLToPath(new URL("./archiveWriter.ts", import.meta.url));

interface Writer {
  readonly session: string;
  readonly format: ArchiveFormatName;
}

/** Two archives that grow through all rounds, and two that begin in their round. */
const writersOf = (round: number): readonly Writer[] => [
  { session: "in-markdown", format: "md" },
  { session: "in-json", format: "json" },
  { session: `markdown-${round}`, format: "md" },
  { session: `json-${round}`, format: "json" },
];
const WRITERS = 4;

interface ArchiveTally {
  readonly kills: number;
  readonly steps: number;
  /** Archives that were left with half of a write behind them. */
  readonly torn: number;
}

const partCount = (text: string, format: ArchiveFormatName): number =>
  format === "json"
    ? JSON.parse(text).parts.length
    : text.split(/\n\n(?=\*\*(?:User|Assistant)\*\*: )/).length - 1;

/**
 * Writers that die at their n-th operation on the disk, n growing by `stride` with the rounds. Then what is read is whole,
 * and one more run gives what a single run from nothing gives.
 */
export async function killArchiveWriters(
  folder: string,
  rounds: number,
  stride: number,
): Promise<ArchiveTally> {
  let [steps, torn] = [0, 0];
  await killLoop({
    entry: archiveWriter,
    args: (round, writer) => {
      const { session = "", format = "" } = writersOf(round)[writer] ?? {};
      return [folder, session, format, String(round * stride)];
    },
    kills: rounds,
    writers: WRITERS,
    // No process has to be killed from outside.
    patience: Number.POSITIVE_INFINITY,
    seed: 0,
    onRound: async ({ round, confirmed }) => {
      steps += confirmed.reduce((sum, lines) => sum + lines.length, 0);
      for (const writer of writersOf(round)) if (await leftTorn(folder, writer)) torn += 1;
      const conversations = conversationsFolder(path.join(folder, "archives"), "g");
      const visible = readdirSync(conversations).filter((name) => !name.startsWith("."));
      expect(visible).toHaveLength(2 + 2 * (round + 1));
      const books = readdirSync(path.join(conversations, ".archive"));
      expect(books.filter((name) => !/^[0-9a-f]+\.(json|seen)$/.test(name))).toEqual([]);
    },
  });
  return { kills: rounds * WRITERS, steps, torn };
}

/** Looks at one archive before and after it is repaired; tells whether there was anything to repair. */
async function leftTorn(folder: string, { session, format }: Writer): Promise<boolean> {
  const run = archiveRun(folder, session, format);
  const left = listArchives(run.options.dir).find((one) => one.session === session);
  const text = left === undefined ? "" : readArchive(left);
  // Each step adds two parts: what is read holds whole steps, and nothing behind them.
  if (left !== undefined) expect(partCount(text, format) % 2).toBe(0);
  // A writer that died while it took the lock holds it for a moment longer.
  while ((await archiveTranscript(run.transcript, run.options)).outcome === "busy") await sleep(50);
  const once = archiveRun(folder, session, format, "once").options;
  rmSync(once.dir, { recursive: true, force: true });
  await archiveTranscript(run.transcript, once);
  expect(readArchive(findArchive(run.options.dir, session))).toBe(
    readArchive(findArchive(once.dir, session)),
  );
  return left !== undefined && left.bytes !== Buffer.byteLength(text);
}
