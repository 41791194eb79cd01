// A session's conversation from its first message on, and what Claude Code has announced around it, read off its transcript.
import type { HistoryItem } from "../messages/index.ts";
import type { Conversation, TranscriptAttachment } from "../transcript/index.ts";
import { type HostRow, wholeMessages } from "./hostRows.ts";

/**
 * Every message once, across all compactions: a summary is made of what was said and never of a summary. `rows` are the
 * window as the engine has it now: the transcript is written a moment later, and its last messages may be missing.
 * Nothing is given where one of these came without its content.
 */
export function originalMessages(
  { items }: Pick<Conversation, "items">,
  rows: readonly HostRow[],
): HistoryItem[] {
  const written = new Set(items.flatMap(({ uuids }) => uuids));
  const missing = rows.slice(
    rows.findLastIndex(({ handle }) => handle !== undefined && written.has(handle)) + 1,
  );
  const newest = wholeMessages(missing);
  if (newest === undefined) return [];
  const originals = items.filter((item) => !item.isApiError && !item.isCopy && !item.compactSummary);
  // With none of its rows in the file it is another file.
  return missing.length === rows.length ? newest : [...originals, ...newest];
}

/** What a compaction that is not the engine's own leaves out: where the agent is, and what it can call. */
const announced = [
  "environment",
  "model",
  "deferred_tools_delta",
  "agent_listing_delta",
  "skill_listing",
  "mcp_instructions_delta",
] as const;

/** Of these the last one counts; the others tell what was added. */
const replaced: readonly string[] = ["environment", "model"];

/** Everything that is announced and still holds, in the engine's own words and order. */
export function announcements({
  attachments,
  boundaries,
}: {
  readonly attachments: readonly TranscriptAttachment[];
  readonly boundaries: Conversation["boundaries"];
}): string[] {
  const told = new Map<string, string[]>();
  let lastAt = -1;
  for (const { type, text, index } of attachments) {
    if (text === undefined || !announced.some((name) => name === type)) continue;
    // The engine's own compaction announces everything anew, beginning with where the agent is.
    const isAnew = boundaries.some(({ kind, index: at }) => kind === "compact" && at > lastAt && at <= index);
    if (type === "environment" && isAnew) told.clear();
    if (type === "environment") lastAt = index;
    const before = replaced.includes(type) ? [] : (told.get(type) ?? []);
    if (!before.includes(text)) told.set(type, [...before, text]);
  }
  return announced.flatMap((type) => told.get(type) ?? []);
}
