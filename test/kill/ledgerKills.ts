// The ledger under kill -9: what every round must find, for the short run and the long one.
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { type Ledger, type LedgerEntry, openLedger } from "../../src/ledger/index.ts";
import { killLoop } from "./killLoop.ts";
import { ledgerEntry } from "./ledgerEntries.ts";

export const ledgerWriter = fileURLToPath(new URL("./ledgerWriter.ts", import.meta.url));

interface LedgerTally {
  readonly kills: number;
  readonly confirmed: number;
  /** Written whole, but killed before it could be confirmed. */
  readonly unconfirmed: number;
  readonly tornLines: number;
}

/** Two writers of one file a round, both killed; then everything ever confirmed must be there, as it was written. */
export async function killLedgerWriters(folder: string, kills: number, seed: number): Promise<LedgerTally> {
  const file = path.join(folder, "session", "ledger.jsonl");
  const writers = 2;
  const confirmed = new Map<string, number>();
  // One reader lives through it all, as a resident process would, and must see what a new one sees.
  const resident = openLedger(file);
  await killLoop({
    entry: ledgerWriter,
    args: (round, writer) => [file, `r${round}w${writer}`],
    kills: kills / writers,
    writers,
    seed,
    onRound: ({ round, confirmed: lines }) => {
      lines.forEach((ids, writer) => {
        confirmed.set(`r${round}w${writer}`, ids.length);
      });
      const ledger = openLedger(file);
      expectWhole(ledger, confirmed);
      expect(resident.entries()).toEqual(ledger.entries());
    },
  });
  const ledger = openLedger(file);
  const promised = [...confirmed.values()].reduce((sum, count) => sum + count, 0);
  return {
    kills,
    confirmed: promised,
    unconfirmed: ledger.entries().length - promised,
    tornLines: ledger.problems().length,
  };
}

/** Of every writer at least as many entries as it had confirmed, in its order, each as it was written. */
export function expectWhole(ledger: Ledger, confirmed: ReadonlyMap<string, number>): void {
  const found = new Map<string, LedgerEntry[]>([...confirmed.keys()].map((writer) => [writer, []]));
  for (const entry of ledger.entries()) found.get(entry.id.split("-")[0] ?? "")?.push(entry);
  for (const [writer, entries] of found) {
    expect(entries.length).toBeGreaterThanOrEqual(confirmed.get(writer) ?? 0);
    expect(entries).toEqual(entries.map((_, index) => ledgerEntry(writer, index)));
  }
  expect(new Set(ledger.problems().map(({ problem }) => problem))).toEqual(
    new Set(ledger.problems().length === 0 ? [] : ["a torn or broken line"]),
  );
  expect(ledger.problems().length).toBeLessThanOrEqual(confirmed.size);
}
