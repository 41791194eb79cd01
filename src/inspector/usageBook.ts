// What was spent and kept out of windows today and in the last seven days, by lane, added up from the transcripts of the
// sessions that were active; read one after the other in the background, and again when a session went on.
import { type Clock, DAY, errorText, isoTime, MINUTE, serialQueue } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import type { EventStore, OverviewStore, Session } from "../store/index.ts";
import type { SessionTrace } from "./trace/model.ts";
import { addUsage, type UsageBucket, type UsageSums, usageBuckets } from "./trace/usage.ts";

/** The sums of a span of days; `lanes` add up to it, each session counting for the lanes that its events came by. */
export interface UsagePeriod extends UsageSums {
  readonly from: string;
  readonly sessions: number;
  readonly lanes: readonly (UsageSums & { readonly lane: string; readonly sessions: number })[];
}

export interface UsageSummary {
  readonly today: UsagePeriod;
  /** Today and the six days before. */
  readonly week: UsagePeriod;
  /** Sessions of these days whose transcript is gone: nothing is known of what they spent. */
  readonly unread: number;
  /** Whether sessions are still being read: the numbers will grow. */
  readonly isCounting: boolean;
}

interface UsageBookParts {
  readonly store: Pick<EventStore, "sessions"> & Pick<OverviewStore, "lanesOf">;
  readonly trace: (session: string) => Promise<SessionTrace>;
  readonly clock: Clock;
  readonly log: Pick<Logger, "warn">;
}

interface KnownUsage {
  readonly readAt: number;
  readonly lastActivityEpoch: number;
  readonly lane: string;
  readonly buckets: readonly UsageBucket[];
  readonly hasTranscript: boolean;
}

const DAYS_BEFORE = 6;
const SESSIONS_PER_PAGE = 100;
/** A running session is not read again with every request. */
const FRESH_MS = MINUTE;

/** Midnight at a place so many minutes east of UTC. */
function dayStart(now: number, eastMinutes: number) {
  const shift = eastMinutes * MINUTE;
  return Math.floor((now + shift) / DAY) * DAY - shift;
}

async function activeSince(store: UsageBookParts["store"], from: number) {
  const sessions: Session[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.sessions({ limit: SESSIONS_PER_PAGE, ...(cursor !== undefined && { cursor }) });
    sessions.push(...page.items.filter(({ lastActivityEpoch }) => lastActivityEpoch >= from));
    cursor = page.items.at(-1) && (page.items.at(-1)?.lastActivityEpoch ?? 0) >= from ? page.next : undefined;
  } while (cursor !== undefined);
  return sessions;
}

function periodOf(known: readonly KnownUsage[], from: number): UsagePeriod {
  const start = isoTime(from);
  const spent = known
    .map(({ lane, buckets }) => ({ lane, buckets: buckets.filter(({ at }) => at >= start) }))
    .filter(({ buckets }) => buckets.length > 0);
  const lanes = [...new Set(spent.map(({ lane }) => lane))].sort().map((lane) => {
    const own = spent.filter((one) => one.lane === lane);
    return { lane, sessions: own.length, ...addUsage(own.flatMap(({ buckets }) => buckets)) };
  });
  return {
    from: start,
    sessions: spent.length,
    ...addUsage(spent.flatMap(({ buckets }) => buckets)),
    lanes,
  };
}

export function makeUsageBook({ store, trace, clock, log }: UsageBookParts) {
  const known = new Map<string, KnownUsage>();
  const queue = serialQueue();
  const waiting = new Set<string>();
  const read = async ({ claudeSessionId: session, lastActivityEpoch }: Session) => {
    try {
      const [found, lanes] = await Promise.all([trace(session), store.lanesOf(session)]);
      const { hasTranscript } = found;
      const buckets = usageBuckets(found);
      const lane = lanes.join(" + ");
      known.set(session, { readAt: clock.now(), lastActivityEpoch, lane, buckets, hasTranscript });
    } catch (error) {
      // It is read again when the session goes on.
      const nothing = { lane: "", buckets: [], hasTranscript: false };
      known.set(session, { readAt: clock.now(), lastActivityEpoch, ...nothing });
      log.warn({ session, problem: errorText(error) }, "usage.failed");
    }
  };
  const isDue = ({ claudeSessionId: session, lastActivityEpoch }: Session) => {
    const before = known.get(session);
    if (!before) return true;
    return before.lastActivityEpoch < lastActivityEpoch && clock.now() - before.readAt >= FRESH_MS;
  };
  return {
    /** With what is known now; what is not is read meanwhile. Days are those of a place so many minutes east of UTC. */
    async summary(eastMinutes = 0): Promise<UsageSummary> {
      const today = dayStart(clock.now(), eastMinutes);
      const week = today - DAYS_BEFORE * DAY;
      const sessions = await activeSince(store, week);
      for (const session of sessions) {
        const { claudeSessionId: id } = session;
        if (waiting.has(id) || !isDue(session)) continue;
        waiting.add(id);
        void queue.run(() => read(session)).finally(() => waiting.delete(id));
      }
      const found = sessions.flatMap(({ claudeSessionId }) => known.get(claudeSessionId) ?? []);
      return {
        today: periodOf(found, today),
        week: periodOf(found, week),
        unread: found.filter(({ hasTranscript }) => !hasTranscript).length,
        isCounting: waiting.size > 0,
      };
    },
  };
}
