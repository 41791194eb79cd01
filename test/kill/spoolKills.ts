// The spool under kill -9: what every round must find, for the short run and the long one.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { drainSpool } from "../../src/spool/index.ts";
import { killLoop } from "./killLoop.ts";

export const spoolWriter = fileURLToPath(new URL("./spoolWriter.ts", import.meta.url));

interface SpoolTally {
  readonly kills: number;
  readonly confirmed: number;
  readonly drained: number;
  /** Files of events that were killed while they were written. */
  readonly abandoned: number;
}

/** Two writers a round, both killed; then every confirmed event must come out, and no part of one. */
export async function killSpoolWriters(folder: string, kills: number, seed: number): Promise<SpoolTally> {
  const writers = 2;
  const confirmed = new Set<string>();
  await killLoop({
    entry: spoolWriter,
    args: (round, writer) => [folder, `r${round}w${writer}`],
    kills: kills / writers,
    writers,
    seed,
    onRound: ({ confirmed: lines }) => {
      for (const id of lines.flat()) confirmed.add(id);
    },
  });
  const abandoned = readdirSync(folder).filter((name) => name.endsWith(".tmp")).length;
  const drained = new Set<string>();
  const report = await drainSpool(folder, {
    batch: 100,
    handle: async (events) => {
      for (const { id } of events) drained.add(id);
    },
  });
  expect(report).toMatchObject({ handled: drained.size, bad: 0 });
  expect([...confirmed].filter((id) => !drained.has(id))).toEqual([]);
  return { kills, confirmed: confirmed.size, drained: drained.size, abandoned };
}
