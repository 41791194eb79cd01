// The memory directory under kill -9: what every round must find, for the short run and the long one.
import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { historyOf, openFolder, readFolder } from "../../src/memdir/index.ts";
import { killLoop, runTogether } from "./killLoop.ts";
import { memdirPlace, memoryOf } from "./memdirPlace.ts";

const memdirWriter = fileURLToPath(new URL("./memdirWriter.ts", import.meta.url));

interface MemdirTally {
  readonly kills: number;
  readonly steps: number;
  /** Folders in which file and index did not agree before they were opened. */
  readonly torn: number;
  readonly memories: number;
}

/** A line for each memory that is valid, a memory for each line, and every text whole. */
async function expectAgreement(folder: string): Promise<{ files: Set<string>; count: number }> {
  const place = memdirPlace(folder);
  const { memories, index, unreadable } = await openFolder(place);
  expect(unreadable).toEqual([]);
  expect(
    memories.filter(({ problems, body }) => problems.length > 0 || !/end of \S+ \d+(, changed)?$/.test(body)),
  ).toEqual([]);
  const valid = memories.filter(({ supersededBy }) => supersededBy === undefined).map(({ file }) => file);
  const lines = index.map(({ file }) => file);
  expect([...lines].sort()).toEqual([...valid].sort());
  expect(readdirSync(place.folder).filter((name) => name.startsWith("."))).toEqual([]);
  const kept = path.join(place.books, "versions");
  const versions = new Set(existsSync(kept) ? readdirSync(kept) : []);
  for (const { steps } of historyOf(place))
    for (const hash of steps.flatMap(({ before, after }) => [before, after]))
      if (hash !== null) expect(versions).toContain(hash);
  return { files: new Set(memories.map(({ file }) => file)), count: memories.length };
}

/** Writers that die at their n-th operation on the disk, n growing by `stride` with the rounds, two at a time. */
export async function killMemdirWriters(
  folder: string,
  rounds: number,
  stride: number,
): Promise<MemdirTally> {
  let [steps, torn, memories] = [0, 0, 0];
  const writers = 2;
  await killLoop({
    entry: memdirWriter,
    args: (round, writer) => [folder, `w${writer}r${round}`, "Infinity", String(round * stride + writer * 7)],
    kills: rounds,
    writers,
    // They die by themselves.
    patience: Number.POSITIVE_INFINITY,
    seed: 0,
    onRound: async ({ round, confirmed }) => {
      steps += confirmed.reduce((sum, lines) => sum + lines.length, 0);
      if (!agreesUnopened(folder)) torn += 1;
      const { files, count } = await expectAgreement(folder);
      memories = count;
      for (const [writer, lines] of confirmed.entries())
        for (const line of lines) {
          const [step = "", file = ""] = line.split(" ");
          if (Number(step) % 5 !== 3) expect(files, `w${writer}r${round} step ${step}`).toContain(file);
        }
    },
  });
  return { kills: rounds * writers, steps, torn, memories };
}

function agreesUnopened(folder: string): boolean {
  const { memories, index } = readFolder(memdirPlace(folder));
  const valid = memories.filter(({ supersededBy }) => supersededBy === undefined);
  return valid.length === index.length && valid.every(({ file }) => index.some((line) => line.file === file));
}

/** Processes that save at the same time: every file, every line. */
export async function saveTogether(folder: string, processes: number, each: number): Promise<number> {
  const writers = Array.from({ length: processes }, (_, writer) => `together${writer}`);
  const lines = await runTogether(
    memdirWriter,
    writers.map((writer) => [folder, writer, String(each)]),
  );
  expect(lines.map((own) => own.length)).toEqual(writers.map(() => each));
  const { files } = await expectAgreement(folder);
  expect(files.size).toBe(processes * each);
  const { index } = await openFolder(memdirPlace(folder));
  const known = new Set(index.map(({ title, hook }) => `${title} — ${hook}`));
  for (const writer of writers)
    for (let step = 0; step < each; step++) {
      const { name, description } = memoryOf(writer, step);
      expect(known).toContain(`${name} — ${description}`);
    }
  return index.length;
}
