// Keeps what was read of a session in the order in which it was read, by the way that live events take, a bounded piece at a time.
import { existsSync } from "node:fs";
import path from "node:path";
import { type Clock, HOUR } from "../../lib/index.ts";
import type { EventKind } from "../../spool/index.ts";
import type { Store } from "../../store/index.ts";
import { keepMessages, makeIngest, projectFinder, type RedactPayload } from "../ingest.ts";
import type { Logger } from "../log.ts";
import { keepMissed } from "../missed.ts";
import type { SaidMessage } from "../transcriptMessages.ts";
import type { SeenEvent } from "../transcriptRows.ts";

export interface KeeperParts {
  readonly store: Pick<Store, "recordEvents" | "eventsById" | "addMessages" | "knownMessages">;
  readonly redact: RedactPayload;
  readonly badFolder: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Events that were added, by kind. */
export type EventCounts = Readonly<Partial<Record<EventKind, number>>>;

export interface Keeper {
  /** `bytes`: how long the row is that they were read from. */
  add(events: readonly SeenEvent[], said: readonly SaidMessage[], bytes: number): Promise<void>;
  /** Keeps what waits. */
  flush(): Promise<void>;
  /** What is new so far. */
  added(): { readonly events: EventCounts; readonly messages: number };
}

/** An import that was given up does not keep its turns from being observed for ever. */
const HOLD_MS = 24 * HOUR;
/** What is kept together. Rows can be megabytes long, so there is a bound for both. */
const BATCH_ROWS = 100;
const BATCH_BYTES = 1024 * 1024;

/** A folder that is gone is of the project in which the session was started, if it was inside of it. */
export function projectsFrom(start: string | undefined): (cwd: string | undefined) => string {
  const find = projectFinder();
  const isInside = (cwd: string): boolean => start !== undefined && cwd.startsWith(`${start}${path.sep}`);
  return (cwd) => find(cwd !== undefined && isInside(cwd) && !existsSync(cwd) ? start : cwd);
}

export function makeKeeper(
  parts: KeeperParts,
  { session, projectFor }: { session: string; projectFor: (cwd: string | undefined) => string },
): Keeper {
  const { store, redact, badFolder, log, clock } = parts;
  const holdUntil = clock.now() + HOLD_MS;
  const events: Partial<Record<EventKind, number>> = {};
  let messages = 0;
  const recordEvents: Store["recordEvents"] = async (recorded) => {
    const report = await store.recordEvents(recorded, { holdUntil });
    const added = new Set(report.added);
    for (const { id, kind } of recorded)
      if (added.has(id)) events[kind as EventKind] = (events[kind as EventKind] ?? 0) + 1;
    return report;
  };
  const ingest = makeIngest({ store: { recordEvents }, redact, badFolder, log, projectFor });
  let [seen, said]: [SeenEvent[], SaidMessage[]] = [[], []];
  let waiting = 0;
  const flush = async (): Promise<void> => {
    await keepMissed(seen, { store, ingest, lane: "import" });
    // Not looked through for secrets again: a session that was broken off is read from its beginning.
    const known = await store.knownMessages(
      session,
      said.map(({ uuid }) => uuid),
    );
    const fresh = said.filter(({ uuid }) => !known.has(uuid));
    messages += await keepMessages({ store, redact }, session, fresh, projectFor);
    [seen, said, waiting] = [[], [], 0];
  };
  return {
    async add(happened, words, bytes) {
      seen.push(...happened);
      said.push(...words);
      waiting += bytes;
      if (seen.length + said.length >= BATCH_ROWS || waiting >= BATCH_BYTES) await flush();
    },
    flush,
    added: () => ({ events, messages }),
  };
}
