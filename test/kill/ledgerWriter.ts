// A process that appends to a ledger until it is killed, or until it has appended as many entries as it was told.
import { writeSync } from "node:fs";
import { openLedger } from "../../src/ledger/index.ts";
import { ledgerEntry } from "./ledgerEntries.ts";

const [file = "", writer = "", count = "Infinity"] = process.argv.slice(2);
const ledger = openLedger(file);
const total = Number(count);

for (let index = 0, batch = 1; index < total; batch = 1 + (batch % 4)) {
  const size = Math.min(batch, total - index);
  const entries = Array.from({ length: size }, (_, at) => ledgerEntry(writer, index + at));
  ledger.append(entries);
  writeSync(1, entries.map(({ id }) => `${id}\n`).join(""));
  index += size;
}
