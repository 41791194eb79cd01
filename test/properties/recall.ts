// What was taken out of a window comes back byte for byte by the handles that the ledger names.
import fc from "fast-check";
import { expect } from "vitest";
import { apply, type LedgerEntry } from "../../src/ledger/index.ts";
import { type Block, type History, type Message, toolPairs } from "../../src/messages/index.ts";
import { memoryVault, recall, type Vault } from "../../src/vault/index.ts";
import { anyHistory } from "../arbitrary/history.ts";
import type { Property } from "./property.ts";

interface Replacement {
  readonly which: number;
  readonly text: string;
}

const replacements: fc.Arbitrary<Replacement[]> = fc.array(
  fc.record({ which: fc.nat(), text: fc.string({ maxLength: 30 }) }),
  { maxLength: 8 },
);

/** Puts a result's content into the vault and writes the entry that replaces it, as a level of the pipeline does. */
function takeOut(
  vault: Vault,
  history: History,
  { which, text }: Replacement,
  serial: number,
): LedgerEntry[] {
  const pairs = toolPairs(history).filter(({ result }) => result?.type === "tool_result");
  const result = pairs[which % Math.max(1, pairs.length)]?.result;
  if (result === undefined) return [];
  const { handle } = vault.put(String(result.content), { session: "any", toolUseId: result.tool_use_id });
  return [
    {
      v: 1,
      id: `e${serial}`,
      at: "2026-01-01T00:00:00.000Z",
      by: "here",
      level: "budget",
      why: "property",
      handles: [handle],
      edit: { kind: "replace-result", toolUseId: result.tool_use_id, content: `${text} [${handle}]` },
    },
  ];
}

/** The window with everything the ledger took out put back where it was. */
function restored(vault: Vault, messages: readonly Message[], entries: readonly LedgerEntry[]): Message[] {
  const handles = new Map(
    entries.map(({ edit, handles }) => [edit.kind === "replace-result" ? edit.toolUseId : "", handles?.[0]]),
  );
  const restoredBlock = (block: Block): Block => {
    const handle = handles.get(String(block.tool_use_id));
    return handle === undefined ? block : { ...block, content: recall(vault, handle).text };
  };
  return messages.map((message) =>
    typeof message.content === "string"
      ? message
      : { ...message, content: message.content.map(restoredBlock) },
  );
}

export const recallProperty: Property = {
  says: "gives back every byte that was taken out",
  holds: (trial) =>
    fc.assert(
      fc.property(anyHistory, replacements, (history, chosen) => {
        const vault = memoryVault();
        const entries = chosen.flatMap((replacement, serial) => takeOut(vault, history, replacement, serial));
        const { messages, skipped } = apply(history, entries);
        expect(skipped).toHaveLength(0);
        expect(JSON.stringify(restored(vault, messages, entries))).toBe(
          JSON.stringify(history.map(({ message }) => message)),
        );
      }),
      trial,
    ),
};
