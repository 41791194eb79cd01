// Events read from a transcript, kept unless somebody has told of them before.
import { ownVersion } from "../../lib/index.ts";
import { type CapturedEvent, captureEvent, type EventLane, eventId, eventKey } from "../../spool/index.ts";
import type { EventStore } from "../../store/index.ts";
import type { Ingest } from "../ingest.ts";
import type { SeenEvent } from "./transcriptRows.ts";

interface MissedParts {
  readonly store: Pick<EventStore, "eventsById">;
  readonly ingest: Ingest;
  readonly lane: EventLane;
}

/** The ids under which a hook may have reported it: a failed call may have been reported as a plain one. */
function idsOf(event: CapturedEvent): string[] {
  if (event.kind !== "tool" && event.kind !== "tool-failure") return [event.id];
  const kind = event.kind === "tool" ? "tool-failure" : "tool";
  const { session, agent, payload, at } = event;
  return [event.id, eventId({ session, agent, kind, key: eventKey(kind, payload, at) })];
}

/** Those that nobody has told of yet. */
export async function missedOf(
  seen: readonly SeenEvent[],
  { store, lane }: Pick<MissedParts, "store" | "lane">,
): Promise<CapturedEvent[]> {
  const events = seen.flatMap(
    ({ payload, at }) => captureEvent(payload, { lane, writer: ownVersion, now: at }) ?? [],
  );
  const known = new Set((await store.eventsById(events.flatMap(idsOf))).map(({ id }) => id));
  return events.filter((event) => !idsOf(event).some((id) => known.has(id)));
}

/** Gives those that were missing, and how many of them are new: what was forgotten is not. */
export async function keepMissed(
  seen: readonly SeenEvent[],
  parts: MissedParts,
): Promise<{ readonly missed: readonly CapturedEvent[]; readonly added: number }> {
  const missed = await missedOf(seen, parts);
  return { missed, added: missed.length === 0 ? 0 : (await parts.ingest.keep(missed)).added };
}
