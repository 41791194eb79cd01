// The edits of a ledger as rows in the form in which Claude Code records its own: for a host that keeps its transcript in that form.
import type { EditOf, LedgerEntry, StagedSpan } from "./edits.ts";
import { activeEntries } from "./undo.ts";

/** Where the rows are to stand. */
export interface TranscriptRowOptions {
  readonly sessionId: string;
  /** The row that the first of these follows. */
  readonly parentUuid?: string;
  /** The rows of a message, where it has several; the message's id without it. */
  readonly rowsOf?: (item: string) => readonly string[];
}

/** Turns that left: a reader leaves their rows out, and links what followed them to what stood before them. */
interface SnipRow {
  readonly type: "system";
  readonly subtype: "snip_boundary";
  readonly uuid: string;
  readonly parentUuid: string | null;
  readonly sessionId: string;
  readonly timestamp: string;
  readonly isMeta: true;
  readonly content: string;
  readonly snipMetadata: { readonly removedUuids: readonly string[] };
}

/** A span that was replaced by its placeholder. */
interface CollapseCommitRow extends Omit<EditOf<"collapse-commit">, "kind"> {
  readonly type: "marble-origami-commit";
  readonly sessionId: string;
}

/** Spans that wait to be collapsed: the last such row counts. */
interface CollapseSnapshotRow {
  readonly type: "marble-origami-snapshot";
  readonly sessionId: string;
  readonly staged: readonly StagedSpan[];
  readonly armed: boolean;
  readonly lastSpawnTokens: number;
}

/** A row of a transcript that records an edit. */
export type TranscriptRow = SnipRow | CollapseCommitRow | CollapseSnapshotRow;

/** Rows for the snips and collapses in force, oldest first. Each edit has the same row every time, to be appended once. */
export function transcriptRows(
  entries: readonly LedgerEntry[],
  { sessionId, parentUuid, rowsOf = (item) => [item] }: TranscriptRowOptions,
): readonly TranscriptRow[] {
  let parent = parentUuid ?? null;
  return activeEntries(entries).flatMap((entry): TranscriptRow[] => {
    const { edit } = entry;
    if (edit.kind === "remove-turn") {
      const row = snipRow(entry, edit.items.flatMap(rowsOf), sessionId, parent);
      parent = row.uuid;
      return [row];
    }
    if (edit.kind === "collapse-commit") {
      const { kind: _, ...commit } = edit;
      return [{ type: "marble-origami-commit", sessionId, ...commit }];
    }
    if (edit.kind !== "collapse-snapshot") return [];
    const { spans: staged, armed, lastSpawnTokens } = edit;
    return [{ type: "marble-origami-snapshot", sessionId, staged, armed, lastSpawnTokens }];
  });
}

function snipRow(
  { id, at, why }: LedgerEntry,
  removedUuids: readonly string[],
  sessionId: string,
  parentUuid: string | null,
): SnipRow {
  return {
    type: "system",
    subtype: "snip_boundary",
    uuid: id,
    parentUuid,
    sessionId,
    timestamp: at,
    isMeta: true,
    content: why,
    snipMetadata: { removedUuids },
  };
}
