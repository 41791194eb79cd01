// The events of a window: entries of its ledger, and compactions of the agent.

import { activeEntries, type LedgerEntry, planUndo } from "../ledger/index.ts";
import { ThroughlineError } from "../lib/index.ts";
import type { Conversation, TranscriptBoundary } from "../transcript/index.ts";
import type { WindowEvent, WindowPoint } from "./model.ts";
import { totalOf } from "./points.ts";

/** Kinds that are not shown: they change no message. */
const bookkeeping: readonly string[] = ["collapse-snapshot", "tag-inputs"];

/** The host writes its boundary some time after the ledger entry. */
const MARKED_WITHIN_MS = 5 * 60_000;

function undoOf(entries: readonly LedgerEntry[], id: string) {
  try {
    planUndo(entries, id);
    return { legal: true };
  } catch (error) {
    if (error instanceof ThroughlineError) return { legal: false, reason: error.message };
    throw error;
  }
}

export const isCompaction = ({ edit }: LedgerEntry) => edit.kind === "replace-prefix";

function ledgerEvent(entry: LedgerEntry, entries: readonly LedgerEntry[], active: ReadonlySet<string>) {
  const { id, at, level, by, why, tokens, handles = [], edit } = entry;
  const kind = edit.kind === "undo" ? "undo" : isCompaction(entry) ? "compaction" : "edit";
  return {
    id,
    at,
    kind,
    what: edit.kind,
    level,
    by,
    why,
    before: tokens?.before ?? 0,
    after: tokens?.after ?? 0,
    handles,
    undone: edit.kind !== "undo" && !active.has(id),
    undo: undoOf(entries, id),
  } as const;
}

/** Stable for the same transcript. */
export const boundaryId = ({ kind, uuid, index }: TranscriptBoundary) => `${kind}:${uuid ?? index}`;

/** The window's size at the requests around a boundary, where the boundary itself does not say. */
function sizesAround(points: readonly WindowPoint[], at: number) {
  const size = (point: WindowPoint | undefined) => totalOf(point?.tokens ?? {});
  const next = points.findIndex((point) => Date.parse(point.at) >= at);
  return { before: size(points[next < 0 ? points.length - 1 : next - 1]), after: size(points[next]) };
}

function agentEvent(boundary: TranscriptBoundary, points: readonly WindowPoint[]) {
  const { kind, at = 0 } = boundary;
  const sizes = sizesAround(points, at);
  const base = {
    id: boundaryId(boundary),
    at: new Date(at).toISOString(),
    what: kind,
    level: "agent",
    by: "agent",
    handles: [],
    undone: false,
    undo: { legal: false, reason: "the agent did this by itself, and its own history holds the result" },
  } as const;
  if (kind === "compact") {
    const { trigger, preTokens = sizes.before, postTokens = sizes.after } = boundary;
    const why = trigger === "manual" ? "asked for with /compact" : "the window was full";
    return { ...base, kind: "compaction", why, before: preTokens, after: postTokens } as const;
  }
  if (kind !== "microcompact") return undefined;
  const { preTokens = sizes.before, tokensSaved = 0, compactedToolIds } = boundary;
  const why = `${compactedToolIds.length} old results were emptied`;
  return { ...base, kind: "edit", why, before: preTokens, after: preTokens - tokensSaved } as const;
}

/** A compaction that Throughline answered is in the ledger; the agent's boundary for it is the same event. */
function isOurs(boundary: TranscriptBoundary, entries: readonly LedgerEntry[]) {
  if (boundary.kind !== "compact" || boundary.at === undefined) return false;
  const { at } = boundary;
  return entries.some((entry) => {
    const since = at - Date.parse(entry.at);
    return entry.by === "host" && isCompaction(entry) && Math.abs(since) <= MARKED_WITHIN_MS;
  });
}

/** Oldest first, each with the request that first saw it. */
export function windowEvents(
  conversation: Pick<Conversation, "boundaries"> | undefined,
  entries: readonly LedgerEntry[],
  points: readonly WindowPoint[],
): WindowEvent[] {
  const active = new Set(activeEntries(entries).map(({ id }) => id));
  const ours = entries
    .filter(({ edit }) => !bookkeeping.includes(edit.kind))
    .map((entry) => ledgerEvent(entry, entries, active));
  const theirs = (conversation?.boundaries ?? [])
    .filter((boundary) => !isOurs(boundary, entries))
    .flatMap((boundary) => agentEvent(boundary, points) ?? []);
  return [...ours, ...theirs]
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    .map((event) => {
      const seen = points.findIndex(({ at }) => at >= event.at);
      return { ...event, point: seen < 0 ? points.length : seen };
    });
}
