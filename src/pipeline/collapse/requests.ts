// What may be asked about collapsed spans: better words while they are staged, and the messages back afterwards.
import { activeEntries } from "../../ledger/index.ts";
import { systemClock, ThroughlineError, timeOrderedId } from "../../lib/index.ts";
import type { History } from "../../messages/index.ts";
import { type DoorOptions, type Undone, undo } from "../requests.ts";
import { runtimeOf } from "../runtime.ts";
import type { Session } from "../session.ts";
import { currentSnapshot } from "./collapse.ts";

/** Words for a span's placeholder; undefined leaves it to what code can tell. */
export type WordSpan = (span: History) => Promise<string | undefined>;

/** Wording that is longer than this share of what it stands for is no gain. */
const LONGEST_SHARE = 0.5;

/**
 * Lets somebody, a model for example, read the staged spans before they go, and notes their words. Gives the number
 * of spans that have words now. Rejects with whatever `word` rejects with; then nothing was noted.
 */
export async function wordStagedSpans(
  session: Session,
  word: WordSpan,
  options: { readonly now?: number } = {},
): Promise<number> {
  const { lastHistory } = runtimeOf(session);
  const staged = currentSnapshot(activeEntries(session.ledger.entries()));
  if (!staged?.edit.armed) return 0;
  const at = (id: string): number => lastHistory.findIndex((item) => item.id === id);
  const spans = [...staged.edit.spans];
  for (const [index, span] of spans.entries()) {
    if (span.wording !== undefined) continue;
    const part = lastHistory.slice(at(span.firstArchivedUuid), at(span.lastArchivedUuid) + 1);
    const words = part.length === 0 ? undefined : (await word(part))?.trim();
    if (words && words.length <= JSON.stringify(part).length * LONGEST_SHARE)
      spans[index] = { ...span, wording: words };
  }
  const worded = spans.filter(({ wording }) => wording !== undefined).length;
  // While the words were written a request may have gone out that collapsed the spans or staged others.
  const isCurrent = currentSnapshot(activeEntries(session.ledger.entries()))?.id === staged.id;
  if (!isCurrent || spans.every((span, index) => span === staged.edit.spans[index])) return 0;
  const now = options.now ?? systemClock.now();
  session.ledger.append([
    {
      v: 1,
      id: timeOrderedId("e", now),
      at: new Date(now).toISOString(),
      by: "here",
      level: "collapse",
      why: `${worded} staged spans have words of their own`,
      edit: { ...staged.edit, spans },
    },
  ]);
  return worded;
}

/**
 * Brings a collapsed span back, by its `collapseId` or by the handle in its placeholder: at once, or at the next point
 * at which that is legal. Throws `not-found` when no span in force goes by that name.
 */
export function expand(session: Session, name: string, options: DoorOptions): Undone {
  const entry = activeEntries(session.ledger.entries()).find(
    ({ edit, handles }) =>
      edit.kind === "collapse-commit" && (edit.collapseId === name || handles?.includes(name)),
  );
  if (entry) return undo(session, entry.id, options);
  throw new ThroughlineError("not-found", `session ${session.id} has no collapsed span ${name}`, {
    fix: "name a span by the handle in its placeholder",
  });
}
