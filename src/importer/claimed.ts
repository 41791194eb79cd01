// Prompts that both a transcript and claude-mem tell of: the same words in the same session, as often as both have them.

import type { RedactPayload, SeenEvent } from "../intake/index.ts";
import { defined } from "../lib/index.ts";
import type { EventStore } from "../store/index.ts";

/** Tells whether a prompt is one of those that are there; each of them counts once. */
export type IsClaimed = (event: SeenEvent) => Promise<boolean>;

const PAGE = 500;

/** `fromClaudeMem`: those that claude-mem brought; otherwise all others. A caller knows its own by their ids. */
export async function claimedPrompts(
  { store, redact }: { readonly store: Pick<EventStore, "events">; readonly redact: RedactPayload },
  session: string,
  { fromClaudeMem }: { readonly fromClaudeMem: boolean },
): Promise<IsClaimed> {
  const left = new Map<string, number>();
  const request = { session, kind: "prompt", limit: PAGE } as const;
  for (let cursor: string | undefined; ; ) {
    const page = await store.events({ ...request, ...defined({ cursor }) });
    for (const { payload } of page.items) {
      if (fromClaudeMem !== (payload.origin === CLAUDE_MEM)) continue;
      const text = String(payload.prompt).trim();
      left.set(text, (left.get(text) ?? 0) + 1);
    }
    cursor = page.next;
    if (cursor === undefined) break;
  }
  return async ({ payload }) => {
    if (left.size === 0 || payload.hook_event_name !== "UserPromptSubmit") return false;
    // What is there was redacted, and what is compared with it has to be.
    const text = String((await redact({ prompt: payload.prompt })).prompt).trim();
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count > 0;
  };
}

export async function unclaimed(events: readonly SeenEvent[], isClaimed: IsClaimed): Promise<SeenEvent[]> {
  const left: SeenEvent[] = [];
  for (const event of events) if (!(await isClaimed(event))) left.push(event);
  return left;
}

/** What claude-mem is called in what came from it. */
export const CLAUDE_MEM = "claude-mem";
