// Keeps what was read of a past session by the way that live events take, and holds its work until all of it is there.
import { existsSync } from "node:fs";
import path from "node:path";
import type { IsExcluded } from "../home/index.ts";
import { keepMessages, keepMissed, makeIngest, projectFinder, type RedactPayload } from "../intake/index.ts";
import { type Clock, HOUR } from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import type { EventKind } from "../spool/index.ts";
import type { EventStore, KnowledgeStore, Store } from "../store/index.ts";
import { type IsClaimed, unclaimed } from "./claimed.ts";
import type { TakePiece } from "./readPast.ts";

export interface KeeperParts {
  readonly store: Pick<EventStore, "recordEvents" | "eventsById" | "knownMessages"> &
    Pick<KnowledgeStore, "addMessages">;
  readonly redact: RedactPayload;
  readonly isExcluded: IsExcluded;
  readonly badFolder: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Events by kind. */
export type EventCounts = Readonly<Partial<Record<EventKind, number>>>;

interface KeptSession {
  readonly session: string;
  readonly projectFor: (cwd: string | undefined) => string;
  /** Whether a prompt is one that claude-mem brought before. */
  readonly isClaimed: IsClaimed;
}

interface Keeper {
  readonly take: TakePiece;
  /** What is new so far. */
  added(): { readonly events: EventCounts; readonly messages: number };
}

/** An import that was given up does not keep its turns from being observed for ever. */
const HOLD_MS = 24 * HOUR;

/** A folder that is gone is of the project in which the session was started, if it was inside of it. */
export function projectsFrom(start: string | undefined): (cwd: string | undefined) => string {
  const find = projectFinder();
  const isInside = (cwd: string) => start !== undefined && cwd.startsWith(`${start}${path.sep}`);
  return (cwd) => find(cwd !== undefined && isInside(cwd) && !existsSync(cwd) ? start : cwd);
}

export function makeKeeper(parts: KeeperParts, { session, projectFor, isClaimed }: KeptSession): Keeper {
  const { store, redact, isExcluded, badFolder, log, clock } = parts;
  const holdUntil = clock.now() + HOLD_MS;
  const events: Partial<Record<string, number>> = {};
  let messages = 0;
  const recordEvents: Store["recordEvents"] = async (recorded) => {
    const report = await store.recordEvents(recorded, { holdUntil });
    const added = new Set(report.added);
    for (const { id, kind } of recorded) if (added.has(id)) events[kind] = (events[kind] ?? 0) + 1;
    return report;
  };
  const ingest = makeIngest({ store: { recordEvents }, redact, isExcluded, badFolder, log, projectFor });
  return {
    async take(happened, said) {
      await keepMissed(await unclaimed(happened, isClaimed), { store, ingest, lane: "import" });
      const uuids = said.map(({ uuid }) => uuid);
      // A session that was broken off is read from its beginning; what is there is not looked through again.
      const known = await store.knownMessages(session, uuids);
      const fresh = said.filter(({ uuid }) => !known.has(uuid));
      messages += await keepMessages({ store, redact, isExcluded }, session, fresh, projectFor);
    },
    added: () => ({ events, messages }),
  };
}
