// Thinking that the API refuses as bound to another conversation: all of it leaves, which every model allows.
import type { LedgerEntry } from "../ledger/index.ts";
import { isoTime, systemClock, timeOrderedId } from "../lib/index.ts";
import { blocksOf, isThinking } from "../messages/index.ts";
import type { RequestPlan } from "../pipeline/index.ts";

/** Records that all thinking leaves, with its bytes in the vault; false where there is none to take out. */
export function dropThinking({ input: { session }, context: { view, history } }: RequestPlan): boolean {
  const blocks = view.flatMap(({ id, message }) => {
    const thinking = message.role === "assistant" ? blocksOf(message).filter(isThinking) : [];
    return thinking.length === 0 ? [] : [{ item: id, blocks: thinking }];
  });
  const through = view.at(-1)?.id;
  if (blocks.length === 0 || through === undefined) return false;
  const { handle } = session.vault.put(JSON.stringify(blocks), {
    session: session.id,
    level: "microcompact",
  });
  const now = systemClock.now();
  const entry: LedgerEntry = {
    v: 1,
    id: timeOrderedId("e", now),
    at: isoTime(now),
    by: "here",
    level: "microcompact",
    why: "the API refused the thinking as bound to another conversation",
    edit: { kind: "drop-thinking", through },
    handles: [handle],
    tip: history.at(-1)?.id ?? through,
  };
  session.ledger.append([entry]);
  return true;
}
