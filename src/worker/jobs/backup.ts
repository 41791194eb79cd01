// Keeps the automatic backups of the database current: one a day, made by a process of its own.
import type { Config } from "../../config/index.ts";
import { databaseFile, type Home } from "../../home/index.ts";
import { type Clock, HOUR, MINUTE } from "../../lib/index.ts";
import type { Logger } from "../../log/index.ts";
import { damageSummaries } from "../../recovery/index.ts";
import { type DailyBackup, defaultLimits, type makeDailyBackup, whyNoBackup } from "../../store/index.ts";
import { makeSideProcess } from "./sideProcess.ts";

export type BackupQuestion = Parameters<typeof makeDailyBackup>[0];
type BackupAnswer = DailyBackup | { readonly problem: string };

interface BackupParts {
  readonly home: Home;
  /** The program of the backup process. */
  readonly script: string;
  /** Undefined where they cannot be read. */
  readonly settings: () => Pick<Config["store"], "dailyBackups" | "maxBackupBytes"> | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** When the first look is, and how often there is another. */
  readonly times?: { readonly firstMs: number; readonly everyMs: number };
}

const usualTimes = { firstMs: MINUTE, everyMs: HOUR };

/** A backup that was killed leaves an unfinished file, which the next one removes. */
export function makeBackups(parts: BackupParts): ReturnType<typeof makeSideProcess> {
  const { home, script, clock, log, times = usualTimes } = parts;
  return makeSideProcess<BackupAnswer>({
    ...{ script, times, log, failure: "backup.failed", isKillable: true },
    question() {
      const settings = parts.settings();
      const limits = settings
        ? { daily: settings.dailyBackups, maxBytes: settings.maxBackupBytes }
        : defaultLimits;
      const question: BackupQuestion = { file: databaseFile(home), now: clock.now(), limits };
      if (limits.daily === 0 || whyNoBackup(question.file, question.now)) return undefined;
      // A store that still gets its rows back must not take the place of the backup that has them.
      return damageSummaries(home).some(({ state }) => state !== "done") ? undefined : question;
    },
    report(given) {
      if ("problem" in given) log.error({ problem: given.problem }, "backup.failed");
      else if (given.outcome === "made") log.info({ file: given.file, bytes: given.bytes }, "backup.made");
      else log.info({ reason: given.outcome }, "backup.skipped");
    },
  });
}
