// What must hold of a ledger's file, whatever is written to it.
import { appendFileSync, rmSync } from "node:fs";
import fc from "fast-check";
import { expect } from "vitest";
import { apply, type LedgerEntry, memoryLedger, openLedger } from "../../src/ledger/index.ts";
import { anyHistoryWithLedger } from "../arbitrary/history.ts";
import type { Property } from "./property.ts";

const first: LedgerEntry = {
  v: 1,
  id: "first",
  at: "2026-01-01T00:00:00.000Z",
  by: "here",
  level: "user",
  why: "请保留 — test",
  edit: { kind: "pin", items: ["m1"] },
};

const anyLine = fc.oneof(
  fc.string(),
  fc.json(),
  fc.constant(JSON.stringify(first)),
  fc.nat({ max: 200 }).map((length) => JSON.stringify(first).slice(0, length)),
);

/** `file` is written over by each case. */
export const logProperties = (file: string): readonly Property[] => [
  {
    says: "gives identical bytes when it is read again",
    holds: (trial) =>
      fc.assert(
        fc.property(anyHistoryWithLedger, ({ history, entries }) => {
          rmSync(file, { force: true });
          openLedger(file).append(entries);
          expect(JSON.stringify(apply(history, openLedger(file).entries()))).toBe(
            JSON.stringify(apply(history, memoryLedger(entries).entries())),
          );
        }),
        trial,
      ),
  },
  {
    says: "is read without a throw whatever the file holds, and keeps what stands before the damage",
    holds: (trial) =>
      fc.assert(
        fc.property(fc.array(anyLine), (lines) => {
          rmSync(file, { force: true });
          openLedger(file).append([first]);
          appendFileSync(file, lines.join("\n"));
          const ledger = openLedger(file);
          expect(ledger.entries()[0]).toEqual(first);
          openLedger(file).append([{ ...first, id: "last" }]);
          expect(ledger.entries().at(-1)?.id).toBe("last");
        }),
        trial,
      ),
  },
];
