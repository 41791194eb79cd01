// What the ledger's writers write: told by the writer's name and a number, so that it can be checked afterwards.
import type { LedgerEntry } from "../../src/ledger/index.ts";
import { seededRandom } from "./seededRandom.ts";

/** The n-th entry of a writer: from a few bytes to about 30 KB, in one script or several. */
export function ledgerEntry(writer: string, index: number): LedgerEntry {
  const random = seededRandom(index * 7_919 + 17);
  const filler = (index % 2 === 0 ? "why " : "为什么 ").repeat(random(random(3) === 0 ? 6_000 : 20));
  return {
    v: 1,
    id: `${writer}-${index}`,
    at: "2026-01-01T00:00:00.000Z",
    by: "here",
    level: "budget",
    why: `entry ${index} ${filler}`,
    edit: { kind: "replace-result", toolUseId: `toolu_${index}`, content: filler },
  };
}
