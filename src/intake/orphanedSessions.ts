// Finds agents that are gone without a word: a hook that was cut off, or a process that was killed, leaves no end.
import { type Clock, defined, errorText, isRunning as hasProcess, ownVersion } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import { type CapturedEvent, captureEvent } from "../spool/index.ts";
import type { EventStore, RedactedEvent } from "../store/index.ts";
import type { Ingest } from "./ingest.ts";

interface OrphanedSessionParts {
  readonly store: Pick<EventStore, "events" | "sessions">;
  readonly ingest: Ingest;
  readonly clock: Clock;
  readonly log: Logger;
  /** Hears of each end that was found, once it is kept. */
  readonly onEnd?: (end: CapturedEvent) => void;
  readonly isRunning?: (pid: number) => boolean;
}

export interface OrphanedSessions {
  /** Notes sessions that were resumed: the process that had them before is gone, too. */
  note(events: readonly CapturedEvent[]): void;
  /** Ends what has no end and whose agent is gone. Gives how many ends there were; never rejects. */
  look(): Promise<number>;
}

/** An agent's last hooks may still be writing for a moment. */
export const LAST_WORDS_MS = 2_000;
const SESSIONS_CHECKED = 100;
const EVENTS = 100;

/** What one process of the agent did in a session, newest first. */
type Stay = readonly RedactedEvent[];

/** A session's events, newest first, parted where it was begun or taken up again. */
function staysOf(events: readonly RedactedEvent[]): Stay[] {
  const stays: RedactedEvent[][] = [[]];
  for (const event of events) {
    stays.at(-1)?.push(event);
    if (event.kind === "session-start" && event.payload.source !== "compact") stays.push([]);
  }
  return stays.filter((stay) => stay.length > 0);
}

function agentOf(stay: Stay) {
  const pids = stay.map(({ payload }) => payload.agent_pid);
  return pids.find((pid): pid is number => Number.isSafeInteger(pid) && Number(pid) > 0);
}

/** The end of a stay, under the id that the agent's own hook would have given it, right after what was last heard. */
function endOfStay(stay: Stay) {
  const [last] = stay;
  if (!last) return undefined;
  const prompts = stay.map(({ payload }) => payload.prompt_id);
  const prompt = prompts.find((id) => typeof id === "string" && id !== "");
  const payload = {
    hook_event_name: "SessionEnd",
    session_id: last.session,
    reason: "gone",
    ...defined({ cwd: last.cwd, transcript_path: last.transcript, prompt_id: prompt }),
  };
  return captureEvent(payload, { lane: "transcript", writer: ownVersion, now: Date.parse(last.at) + 1 });
}

export function makeOrphanedSessions(parts: OrphanedSessionParts): OrphanedSessions {
  const { store, ingest, clock, log, isRunning = hasProcess } = parts;
  const resumed = new Set<string>();
  const isOver = (stay: Stay) => {
    const [last] = stay;
    if (!last || stay.some(({ kind }) => kind === "session-end")) return false;
    if (Math.abs(clock.now() - Date.parse(last.at)) < LAST_WORDS_MS) return false;
    const pid = agentOf(stay);
    return pid !== undefined && !isRunning(pid);
  };
  const look = async () => {
    const open = await store.sessions({ status: "active", order: "newest", limit: SESSIONS_CHECKED });
    let added = 0;
    for (const session of new Set([...resumed, ...open.items.map((one) => one.claudeSessionId)])) {
      const { items } = await store.events({ session, order: "newest", limit: EVENTS });
      const ends = staysOf(items)
        .filter(isOver)
        .flatMap((stay) => endOfStay(stay) ?? []);
      if (ends.length === 0) continue;
      added += (await ingest.keep(ends)).added;
      for (const end of ends) parts.onEnd?.(end);
    }
    if (added > 0) log.info({ added }, "session.orphans-ended");
    return added;
  };
  return {
    note(events) {
      for (const { kind, session, payload } of events)
        if (kind === "session-start" && payload.source === "resume") resumed.add(session);
    },
    look: () =>
      look().catch((error: unknown) => {
        log.warn({ problem: errorText(error) }, "session.orphan-scan-failed");
        return 0;
      }),
  };
}
