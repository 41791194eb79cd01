// Removes snapshot blocks from CLAUDE.md at their expiry: Claude Code reads the file before the hook of the next session runs.

import { type Home, listSessions, type SnapshotRules } from "../../home/index.ts";
import { type Clock, errorText, HOUR, SECOND } from "../../lib/index.ts";
import type { Logger } from "../../log/index.ts";
import { expireReferences, journalIn, projectsIn } from "../../snapshot/index.ts";

interface ExpiryParts {
  readonly home: Home;
  readonly settingsFor: (project: string) => Pick<SnapshotRules, "enabled" | "hours">;
  readonly isExcluded: (folder: string) => boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly lookMs?: number;
}

export type BlockExpiry = ReturnType<typeof makeBlockExpiry>;

const EXPIRY_LOOK_MS = 10 * SECOND;
/** A worker stays for a block of the usual validity; for one of days the next worker's start is soon enough. */
const STAY_FOR_MS = 4 * HOUR;

export function makeBlockExpiry(parts: ExpiryParts) {
  const { home, settingsFor, isExcluded, clock, log } = parts;
  const expiries = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  const look = (project: string) => {
    expiries.delete(project);
    try {
      const { enabled, hours } = settingsFor(project);
      if (!enabled || isExcluded(project)) return;
      const { removed, next } = expireReferences(project, clock.now(), hours);
      for (const page of removed) log.info({ project, page }, "snapshot.block-expired");
      if (next !== undefined) expiries.set(project, next);
    } catch (error) {
      log.warn({ project, problem: errorText(error) }, "snapshot.block-not-removed");
    }
  };
  const lookAtExpired = () => {
    for (const [project, expires] of [...expiries]) if (expires <= clock.now()) look(project);
  };
  return {
    start() {
      for (const project of projectsIn(listSessions(home).map(({ folder }) => journalIn(folder))))
        look(project);
      timer = setInterval(lookAtExpired, parts.lookMs ?? EXPIRY_LOOK_MS).unref();
    },
    /** A project has a new block. */
    watch: look,
    /** Whether a block expires so soon that the worker stays for it. */
    isWaiting: () => [...expiries.values()].some((expires) => expires - clock.now() < STAY_FOR_MS),
    stop: async () => clearInterval(timer),
  };
}
