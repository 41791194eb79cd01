// Keeps the vault within `vault.retentionDays` and `vault.maxBytes`: swept once a day, by a process of its own.
import type { Config } from "../../config/index.ts";
import { type Home, ledgerFile, listSessions, upkeepLock, vaultFolder } from "../../home/index.ts";
import { DAY, defined, MINUTE, readIfThere, withLock } from "../../lib/index.ts";
import type { Logger } from "../../log/index.ts";
import { openVault } from "../../vault/index.ts";
import { makeSideProcess } from "./sideProcess.ts";

export interface SweepQuestion {
  readonly home: Home;
  readonly limits: Config["vault"];
}

type SweepAnswer = Awaited<ReturnType<typeof sweepVault>> | { readonly problem: string };

interface VaultSweepParts {
  readonly home: Home;
  /** The program of the sweeping process. */
  readonly script: string;
  /** Undefined where they cannot be read. */
  readonly settings: () => Config["vault"] | undefined;
  readonly log: Logger;
  readonly times?: { readonly firstMs: number; readonly everyMs: number };
}

const usualTimes = { firstMs: 5 * MINUTE, everyMs: DAY };

/** Without a limit in the settings nothing is swept. A killed sweep would leave origins without their blobs. */
export function makeVaultSweep(parts: VaultSweepParts): ReturnType<typeof makeSideProcess> {
  const { home, script, log, times = usualTimes } = parts;
  return makeSideProcess<SweepAnswer>({
    ...{ script, times, log, failure: "vault.sweep-failed", isKillable: false },
    question() {
      const limits = parts.settings();
      const isLimited = limits !== undefined && limits.retentionDays + limits.maxBytes > 0;
      return isLimited ? ({ home, limits } satisfies SweepQuestion) : undefined;
    },
    report(given) {
      if ("problem" in given) log.error(given, "vault.sweep-failed");
      else log.info(given, "vault.swept");
    },
  });
}

const MENTIONED_HANDLE = /tl:[0-9a-f]{6,64}/g;

/** Every handle that a ledger mentions, also in lines that this version cannot read. */
const liveHandles = (home: Home) =>
  listSessions(home).flatMap((place) => readIfThere(ledgerFile(place))?.match(MENTIONED_HANDLE) ?? []);

/** Holds the lock of backups, restores and deletions, which work on the same files. */
export function sweepVault({ home, limits: { retentionDays, maxBytes } }: SweepQuestion) {
  return withLock(upkeepLock(home), async () => {
    const { deleted, freedBytes, remainingBytes } = openVault(vaultFolder(home)).sweep({
      live: liveHandles(home),
      ...defined({ olderThan: retentionDays * DAY || undefined, maxBytes: maxBytes || undefined }),
    });
    return { deleted: deleted.length, freedBytes, remainingBytes };
  });
}
