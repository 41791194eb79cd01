// Properties of apply that must hold for any valid history and any ledger.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyEditSeed, anyHistory, anyHistoryWithLedger, entryFor } from "../../test/arbitrary/history.ts";
import { check, identify, type Message } from "../messages/index.ts";
import { apply, type LedgerEntry } from "./index.ts";

const runs = { numRuns: Number(process.env.THROUGHLINE_RUNS ?? 2_500) };

describe("apply", () => {
  it("starts from histories that are valid themselves", () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        expect(check(history.map(({ message }) => message))).toEqual([]);
      }),
      runs,
    );
  });

  it("turns any valid history and any ledger into a valid array", () => {
    fc.assert(
      fc.property(anyHistoryWithLedger, ({ history, entries }) => {
        expect(check(apply(history, entries).messages)).toEqual([]);
      }),
      runs,
    );
  });

  it("gives an output for a longer history that begins with the output for the shorter one", () => {
    fc.assert(
      fc.property(anyHistoryWithLedger, fc.nat(), ({ history, entries }, cut) => {
        const shorter = history.slice(0, 1 + (cut % history.length));
        const known = new Set(shorter.map(({ id }) => id));
        const then = writtenBy(entries, known);
        const early = apply(shorter, then).messages;
        const late = apply(history, then).messages;
        expect(JSON.stringify(late.slice(0, early.length))).toBe(JSON.stringify(early));
      }),
      runs,
    );
  });

  it("takes an entry back exactly", () => {
    fc.assert(
      fc.property(anyHistoryWithLedger, anyEditSeed, ({ history, entries }, seed) => {
        const added = entryFor(seed, history, entries);
        const undo: LedgerEntry = { ...added, id: "u", edit: { kind: "undo", entry: added.id } };
        expect(JSON.stringify(apply(history, [...entries, added, undo]))).toBe(
          JSON.stringify(apply(history, entries)),
        );
      }),
      runs,
    );
  });

  it("gives the same bytes for a ledger that went through JSON", () => {
    fc.assert(
      fc.property(anyHistoryWithLedger, ({ history, entries }) => {
        const reread = entries.map((entry) => JSON.parse(JSON.stringify(entry)) as LedgerEntry);
        const copy = identify(JSON.parse(JSON.stringify(history.map(({ message }) => message))) as Message[]);
        expect(JSON.stringify(apply(copy, reread).messages)).toBe(
          JSON.stringify(apply(history, entries).messages),
        );
      }),
      runs,
    );
  });

  it("never changes the history it is given", () => {
    fc.assert(
      fc.property(anyHistoryWithLedger, ({ history, entries }) => {
        const before = JSON.stringify(history);
        apply(history, entries);
        expect(JSON.stringify(history)).toBe(before);
      }),
      { numRuns: 300 },
    );
  });
});

/** The entries that can have been written when only these messages were known, in order, up to the first that cannot. */
function writtenBy(entries: readonly LedgerEntry[], known: ReadonlySet<string>): LedgerEntry[] {
  return entries.filter(({ tip }) => tip !== undefined && known.has(tip));
}
