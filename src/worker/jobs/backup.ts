// Keeps the automatic backups of the database current: one a day, made by a process of its own.
import { type ChildProcess, spawn } from "node:child_process";
import type { Config } from "../../config/index.ts";
import { databaseFile, type Home } from "../../home/index.ts";
import { type Clock, errorText, HOUR, isObject, MINUTE, parseJson } from "../../lib/index.ts";
import type { Logger } from "../../log/index.ts";
import { damageSummaries } from "../../recovery/index.ts";
import { type DailyBackup, defaultLimits, type makeDailyBackup, whyNoBackup } from "../../store/index.ts";
import type { BackgroundJob } from "../backgroundJob.ts";

export type BackupQuestion = Parameters<typeof makeDailyBackup>[0];
export type BackupAnswer = DailyBackup | { readonly problem: string };

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

/** `stop` kills a backup in progress: it leaves an unfinished file, which the next one removes. */
export function makeBackups(parts: BackupParts): Required<Omit<BackgroundJob, "note">> {
  const { home, clock, log, times = usualTimes } = parts;
  let timer: NodeJS.Timeout | undefined;
  let running: { readonly child: ChildProcess; readonly ended: Promise<void> } | undefined;
  const look = () => {
    timer = setTimeout(look, times.everyMs);
    try {
      const settings = parts.settings();
      const limits =
        settings === undefined
          ? defaultLimits
          : { daily: settings.dailyBackups, maxBytes: settings.maxBackupBytes };
      const question = { file: databaseFile(home), now: clock.now(), limits };
      if (running !== undefined || limits.daily === 0 || whyNoBackup(question.file, question.now)) return;
      // A store that still gets its rows back must not take the place of the backup that has them.
      if (damageSummaries(home).some(({ state }) => state !== "done")) return;
      const { child, answer } = ask(parts.script, question);
      const ended = answer.then(
        (given) => report(log, given),
        (error: unknown) => log.warn({ problem: errorText(error) }, "backup.failed"),
      );
      running = { child, ended };
      void ended.finally(() => {
        running = undefined;
      });
    } catch (error) {
      log.warn({ problem: errorText(error) }, "backup.failed");
    }
  };
  return {
    start: () => {
      timer = setTimeout(look, times.firstMs);
    },
    busy: () => running !== undefined,
    stop: async () => {
      clearTimeout(timer);
      running?.child.kill("SIGKILL");
      await running?.ended;
    },
  };
}

function report(log: Logger, given: BackupAnswer) {
  if ("problem" in given) log.error({ problem: given.problem }, "backup.failed");
  else if (given.outcome === "made") log.info({ file: given.file, bytes: given.bytes }, "backup.made");
  else log.info({ reason: given.outcome }, "backup.skipped");
}

function ask(
  script: string,
  question: BackupQuestion,
): { readonly child: ChildProcess; readonly answer: Promise<BackupAnswer> } {
  const child = spawn(process.execPath, [script, JSON.stringify(question)], {
    stdio: ["ignore", "pipe", "ignore"],
    windowsHide: true,
  });
  const answer = new Promise<BackupAnswer>((resolve, reject) => {
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    child.once("error", reject);
    child.once("close", (code, signal) => {
      const given = parseJson(text);
      if (isObject(given)) resolve(given as unknown as BackupAnswer);
      else reject(new Error(`the backup process ended with ${signal ?? code}`));
    });
  });
  return { child, answer };
}
