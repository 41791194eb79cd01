// Leaves out prompts that both a transcript and claude-mem have: the same words in the same session, as often as both have them.

import type { RedactPayload, SeenEvent } from "../intake/index.ts";
import { type EventStore, everyRow } from "../store/index.ts";

/** What claude-mem is called in what came from it. */
export const CLAUDE_MEM = "claude-mem";

/**
 * A filter for events that leaves out each stored prompt once. `fromClaudeMem`: compares with the prompts that claude-mem
 * brought; otherwise with all others. A caller knows its own prompts by their ids.
 */
export async function duplicateFilter(
  { store, redact }: { readonly store: Pick<EventStore, "events">; readonly redact: RedactPayload },
  session: string,
  { fromClaudeMem }: { readonly fromClaudeMem: boolean },
): Promise<(events: readonly SeenEvent[]) => Promise<SeenEvent[]>> {
  const left = new Map<string, number>();
  for await (const { payload } of everyRow(store.events, { session, kind: "prompt" })) {
    if (fromClaudeMem !== (payload.origin === CLAUDE_MEM)) continue;
    const text = String(payload.prompt).trim();
    left.set(text, (left.get(text) ?? 0) + 1);
  }
  const isDuplicate = async ({ payload }: SeenEvent) => {
    if (left.size === 0 || payload.hook_event_name !== "UserPromptSubmit") return false;
    // Stored prompts are redacted, so that what is compared with them has to be.
    const text = String((await redact({ prompt: payload.prompt })).prompt).trim();
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count > 0;
  };
  return async (events) => {
    const fresh: SeenEvent[] = [];
    for (const event of events) if (!(await isDuplicate(event))) fresh.push(event);
    return fresh;
  };
}
