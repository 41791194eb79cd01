// Messages that a compaction put back: they stand in the file a second time, and were said once.
import type { Entry } from "./dialect.ts";
import type { TranscriptBoundary, TranscriptItem } from "./model.ts";

/**
 * Claude Code lets a mod answer a compaction with messages of its own. Those that it kept are written anew behind the
 * boundary and the summary, under new ids, with times between the summary's and the boundary's. What a person typed to
 * have the conversation compacted stands behind the boundary too, and is older than the summary.
 */
export function markCopies(
  items: readonly TranscriptItem[],
  boundaries: readonly TranscriptBoundary[],
): TranscriptItem[] {
  const cuts = boundaries.flatMap(({ kind, index, at }) => {
    const since = items.slice(index).find(({ compactSummary }) => compactSummary)?.at;
    return kind === "compact" && at !== undefined && since !== undefined ? [{ index, since, at }] : [];
  });
  const isCopy = ({ at }: TranscriptItem, index: number): boolean =>
    at !== undefined && cuts.some((cut) => index >= cut.index && at >= cut.since && at <= cut.at);
  return items.map((item, index) =>
    !item.compactSummary && isCopy(item, index) ? { ...item, isCopy: true } : item,
  );
}

/** The same for who reads a file entry by entry, in its order. */
export function copiedEntries(): (entry: Entry) => boolean {
  let [since, until] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  return (entry) => {
    if (entry.kind === "boundary" && entry.boundary.kind === "compact")
      [since, until] = [Number.POSITIVE_INFINITY, entry.at ?? Number.NEGATIVE_INFINITY];
    if (entry.kind !== "message" || entry.at === undefined) return false;
    if (entry.compactSummary) since = entry.at;
    return !entry.compactSummary && entry.at >= since && entry.at <= until;
  };
}
