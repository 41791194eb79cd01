// From planned edits to ledger entries: drafts are tried out, removed content goes to the vault, then entries are appended.
import type { Applied, LedgerEntry, Skip } from "../ledger/index.ts";
import { defined, timeOrderedId } from "../lib/index.ts";
import type { Repair } from "../messages/index.ts";
import { jsonPieces, nameOf } from "../vault/index.ts";
import type { PlanContext, PlannedEdit, Removed } from "./planContext.ts";
import type { Session } from "./session.ts";

/** A planned edit and the entry that would record it. */
interface EntryDraft {
  readonly planned: PlannedEdit;
  readonly entry: LedgerEntry;
}

type EntryFields = Pick<LedgerEntry, "level" | "why" | "edit"> & Partial<LedgerEntry>;

/** An entry of now with an id of its own; carried out by `apply` unless `by` says otherwise. */
export function newEntry(now: number, fields: EntryFields): LedgerEntry {
  return { v: 1, id: timeOrderedId("e", now), at: new Date(now).toISOString(), by: "here", ...fields };
}

export function draftOf(
  planned: PlannedEdit,
  { history, now }: Pick<PlanContext, "history" | "now">,
): EntryDraft {
  const { by, level, why, edit, tokens, removed, settles } = planned;
  const handles = removed.length > 0 ? removed.map(handleOf) : undefined;
  const optional = defined({ by, tokens, handles, tip: history.at(-1)?.id, settles });
  return { planned, entry: newEntry(now, { level, why, edit, ...optional }) };
}

const handleOf = ({ content, handle }: Removed) =>
  handle ?? (typeof content === "string" ? nameOf(content).handle : content.handle);

export interface Trial {
  readonly drafts: readonly EntryDraft[];
  /** The ledger as it will be. */
  readonly entries: readonly LedgerEntry[];
  readonly after: Applied;
  /** What could not be carried out and is not recorded. */
  readonly refused: readonly { readonly draft: EntryDraft; readonly skip: Skip }[];
}

/**
 * Carries drafts out on a copy. What would be skipped is left out: an entry that does nothing would be planned again
 * with every request. Where thinking cannot leave, nothing that is bound to it may change either.
 */
export function tryOut(
  drafts: readonly EntryDraft[],
  { applied, entries, legality, apply }: PlanContext,
): Trial {
  const refused: { draft: EntryDraft; skip: Skip }[] = [];
  let kept = drafts;
  while (kept.length > 0) {
    const list = [...entries, ...kept.map(({ entry }) => entry)];
    const after = apply(list);
    const skips = new Map(after.skipped.map((skip) => [skip.entry, skip]));
    const failed = kept.flatMap((draft) => {
      const skip = skips.get(draft.entry.id);
      return skip ? [{ draft, skip }] : [];
    });
    if (failed.length === 0) return { drafts: kept, entries: list, after, refused };
    refused.push(...failed);
    const thinkingStays =
      legality.dropAllThinking && failed.some(({ skip }) => skip.kind === "drop-thinking");
    kept = kept.filter(
      (draft) =>
        !failed.some((one) => one.draft === draft) && !(thinkingStays && changesOldContent(draft.planned)),
    );
  }
  return { drafts: [], entries, after: applied, refused };
}

export function changesOldContent({ level, edit }: PlannedEdit) {
  return (
    level !== "budget" && !["tag-inputs", "insert", "directive", "collapse-snapshot"].includes(edit.kind)
  );
}

/**
 * The vault first, then the ledger: an entry never promises bytes that are not there. False when the ledger has more than
 * the `known` entries that the drafts were decided on, and none of them was recorded.
 */
export function commitDrafts(
  session: Session,
  drafts: readonly EntryDraft[],
  keep: readonly Removed[] = [],
  repairs: readonly Repair[],
  known: number,
) {
  const put = (level: string, removed: Removed) => putIntoVault(session, level, removed);
  for (const { removed } of repairs)
    if (removed) put("repair", { content: JSON.stringify(removed), json: true });
  for (const { planned } of drafts) for (const removed of planned.removed) put(planned.level, removed);
  for (const removed of keep) put("microcompact", removed);
  return session.ledger.appendAfter(
    known,
    drafts.map(({ entry }) => entry),
  );
}

function putIntoVault(session: Session, level: string, removed: Removed) {
  const { content, json, tool, toolUseId, item, asFile } = removed;
  const origin = { session: session.id, level, ...defined({ tool, toolUseId, item }) };
  const text = typeof content === "string" ? content : undefined;
  session.vault.put(content, origin, json && text !== undefined ? jsonPieces(text) : undefined);
  if (asFile && toolUseId !== undefined && text !== undefined) session.results.write(toolUseId, text);
}
