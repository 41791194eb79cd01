// What must hold of apply for any valid history and any ledger.
import fc from "fast-check";
import { expect } from "vitest";
import { apply, type LedgerEntry } from "../../src/ledger/index.ts";
import { check, type Message } from "../../src/messages/index.ts";
import { anyEditSeed, anyHistory, anyHistoryWithLedger, entryFor } from "../arbitrary/history.ts";
import { identify } from "../fixtures/history.ts";
import type { Property } from "./property.ts";

/** Comparing texts costs a tenth of comparing structures, and the bytes are what the cache sees. */
const same = (one: unknown, other: unknown): void => {
  expect(JSON.stringify(one)).toBe(JSON.stringify(other));
};

const isValid = (messages: readonly Message[]): void => {
  const violations = check(messages);
  if (violations.length > 0) expect(violations).toEqual([]);
};

export const applyProperties: readonly Property[] = [
  {
    says: "starts from histories that are valid themselves",
    holds: (trial) =>
      fc.assert(
        fc.property(anyHistory, (history) => isValid(history.map(({ message }) => message))),
        trial,
      ),
  },
  {
    says: "turns any valid history and any ledger into a valid array",
    holds: (trial) =>
      fc.assert(
        fc.property(anyHistoryWithLedger, ({ history, entries }) =>
          isValid(apply(history, entries).messages),
        ),
        trial,
      ),
  },
  {
    says: "gives an output for a longer history that begins with the output for the shorter one",
    holds: (trial) =>
      fc.assert(
        fc.property(anyHistoryWithLedger, fc.nat(), ({ history, entries }, cut) => {
          const shorter = history.slice(0, 1 + (cut % history.length));
          const then = writtenBy(entries, new Set(shorter.map(({ id }) => id)));
          const early = apply(shorter, then).messages;
          const late = apply(history, then).messages;
          same(late.slice(0, early.length), early);
        }),
        trial,
      ),
  },
  {
    says: "takes an entry back exactly",
    holds: (trial) =>
      fc.assert(
        fc.property(anyHistoryWithLedger, anyEditSeed, ({ history, entries }, seed) => {
          const added = entryFor(seed, history, entries);
          const undo: LedgerEntry = { ...added, id: "u", edit: { kind: "undo", entry: added.id } };
          same(apply(history, [...entries, added, undo]), apply(history, entries));
        }),
        trial,
      ),
  },
  {
    says: "gives the same bytes for a history and a ledger that went through JSON",
    holds: (trial) =>
      fc.assert(
        fc.property(anyHistoryWithLedger, ({ history, entries }) => {
          const reread = JSON.parse(JSON.stringify(entries)) as LedgerEntry[];
          const copy = identify(
            JSON.parse(JSON.stringify(history.map(({ message }) => message))) as Message[],
          );
          same(apply(copy, reread).messages, apply(history, entries).messages);
        }),
        trial,
      ),
  },
  {
    says: "never changes the history it is given",
    holds: (trial) =>
      fc.assert(
        fc.property(anyHistoryWithLedger, ({ history, entries }) => {
          const before = JSON.stringify(history);
          apply(history, entries);
          expect(JSON.stringify(history)).toBe(before);
        }),
        trial,
      ),
  },
];

/** The entries that can have been written when only these messages were known. */
function writtenBy(entries: readonly LedgerEntry[], known: ReadonlySet<string>): LedgerEntry[] {
  return entries.filter(({ tip }) => tip !== undefined && known.has(tip));
}
