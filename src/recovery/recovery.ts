// Brings back what damaged databases held, behind the running worker: from the file, a backup, and transcripts. Checks the one in use.
import path from "node:path";
import { databaseFile, type Home } from "../home/index.ts";
import {
  type Clock,
  errorText,
  HOUR,
  isObject,
  isoTime,
  MINUTE,
  parseJson,
  readIfPossible,
  removeTree,
  SECOND,
  writeJson,
} from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import {
  automaticBackups,
  type FileReport,
  type HeldTable,
  type SalvagePosition,
  withNote,
} from "../store/index.ts";
import { askProcess } from "./askProcess.ts";
import { afterFailure, isStoreDamaged, resumeUnread } from "./attempts.ts";
import {
  type DamageReport,
  type DamageSummary,
  damageSummaries,
  listDamage,
  pruneDamaged,
  readReport,
  summaryOf,
  writeReport,
} from "./report.ts";
import type { CountAnswer, SalvageQuestion } from "./salvageProcess.ts";

export type KnownTranscript = CountAnswer["transcripts"][number];

interface RecoveryDuties {
  /**
   * Reads these transcripts, and all others that are known, from their beginning, until `isStopped`. Returns
   * those that could not be read to their end.
   */
  readonly rebuild: (
    transcripts: readonly KnownTranscript[],
    isStopped: () => boolean,
  ) => Promise<readonly string[]>;
}

interface RecoveryParts {
  readonly home: Home;
  /** The program of the salvage process. */
  readonly script: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether the database was closed by the process that had it last, and not touched since. */
  readonly isAsClosed: boolean;
  /** Called when the database in use is found to be damaged. */
  readonly onDamage: (reason: string) => void;
  /** The pause after a failure; a minute by default. */
  readonly retryMs?: number;
}

export interface Recovery {
  start(): void;
  busy(): boolean;
  stop(): Promise<void>;
  /** The newest damage; undefined when there was none, or its folder was deleted. */
  latest(): DamageSummary | undefined;
}

const CHECK_EVERY = 24 * HOUR;
const SALVAGE_RETRY_MS = MINUTE;
const SAVE_EVERY_MS = SECOND;
/** Observations are made of rebuilt events by jobs that run after it: what came back is counted again. */
const RECOUNT_MS = MINUTE;
const RECOUNTS = 30;

const needsTranscripts: readonly HeldTable[] = ["events", "prompts", "messages", "sessions"];

export type MakeRecovery = (duties: RecoveryDuties) => Recovery;

export function makeRecovery(parts: RecoveryParts): MakeRecovery {
  return ({ rebuild }) => {
    const { home, log } = parts;
    const running = {
      stopped: false,
      child: undefined as ReturnType<typeof askProcess>["child"] | undefined,
    };
    const ask = async <T>(question: SalvageQuestion, onPosition?: (position: SalvagePosition) => void) => {
      const { child, answer } = askProcess<T>(parts.script, question, ({ position }) =>
        onPosition?.(position),
      );
      running.child = child;
      if (running.stopped) child.kill("SIGKILL");
      return answer.finally(() => {
        running.child = undefined;
      });
    };
    let work: Promise<void> = Promise.resolve();
    let isBusy = false;
    let timer: NodeJS.Timeout | undefined;
    const run = () => {
      isBusy = true;
      work = recoverAll(parts, { ask, rebuild, isStopped: () => running.stopped })
        .catch((error: unknown) => {
          log.warn({ problem: errorText(error) }, "salvage.interrupted");
          return parts.retryMs ?? SALVAGE_RETRY_MS;
        })
        .then((again) => {
          if (again !== undefined && !running.stopped) timer = setTimeout(run, again).unref();
        })
        .finally(() => {
          isBusy = false;
        });
    };
    return {
      start: () => {
        resumeUnread(home);
        run();
      },
      busy: () => isBusy,
      stop: async () => {
        running.stopped = true;
        clearTimeout(timer);
        running.child?.kill("SIGTERM");
        await work;
      },
      latest: () => damageSummaries(home)[0],
    };
  };
}

interface Surroundings {
  readonly ask: <T>(
    question: SalvageQuestion,
    onPosition?: (position: SalvagePosition) => void,
  ) => Promise<T>;
  readonly rebuild: RecoveryDuties["rebuild"];
  readonly isStopped: () => boolean;
}

/** Gives the milliseconds after which it wants to be called again. */
async function recoverAll(parts: RecoveryParts, around: Surroundings) {
  const { home, log } = parts;
  for (const { folder, report } of listDamage(home).reverse()) {
    if (report.state === "done") continue;
    try {
      await recoverOne(parts, around, folder);
    } catch (error) {
      if (around.isStopped()) return undefined;
      log.error({ folder, problem: errorText(error) }, "salvage.failed");
      if (isStoreDamaged(error)) {
        parts.onDamage(errorText(error));
        return undefined;
      }
      const failed = readReport(folder);
      if (failed) endSalvage(parts, folder, afterFailure(failed, error));
      return parts.retryMs ?? SALVAGE_RETRY_MS;
    }
  }
  if (!around.isStopped()) await checkStore(parts, around);
  return around.isStopped() ? undefined : recount(parts, around);
}

/** Undefined when the folder was deleted meanwhile: then nothing of it is wanted any more. */
function updateReport(folder: string, change: Partial<DamageReport>): DamageReport | undefined {
  const report = readReport(folder);
  if (!report) return undefined;
  const { problem: _, ...rest } = report;
  const next = { ...rest, ...change };
  writeReport(folder, next);
  return next;
}

async function recoverOne(parts: RecoveryParts, around: Surroundings, folder: string) {
  const { home, log } = parts;
  const database = databaseFile(home);
  let report = readReport(folder);
  if (report?.state === "salvaging") {
    const position = await readFile(parts, around, folder, report);
    log.info({ folder, salvaged: position.salvaged, unreadable: position.unreadable }, "salvage.read");
    report = updateReport(folder, { state: "rebuilding", position });
  }
  if (!report) return;
  const until = Date.parse(report.at);
  const first = await around.ask<CountAnswer>({ ask: "count", database, until });
  report = updateReport(folder, { present: first.present });
  if (!report) return;
  const { missing } = summaryOf({ folder, report });
  let { position } = report;
  if (missing === null || needsTranscripts.some((table) => missing[table] > 0))
    for (const file of await around.rebuild(first.transcripts, around.isStopped))
      position = withNote(position, `transcript ${file}`);
  if (around.isStopped()) return;
  const { present } = await around.ask<CountAnswer>({ ask: "count", database, until });
  endSalvage(parts, folder, { state: "done", position, present });
}

/** Writes the change into the report, and does what follows when it is the last one. */
function endSalvage({ home, log, clock }: RecoveryParts, folder: string, change: Partial<DamageReport>) {
  if (change.state !== "done") {
    updateReport(folder, change);
    return;
  }
  const done = updateReport(folder, { ...change, endedAt: isoTime(clock.now()) });
  if (done?.deleteWhenDone === true) removeTree(folder);
  pruneDamaged(home);
  log.info({ folder }, "salvage.done");
}

async function readFile(
  { home }: RecoveryParts,
  { ask }: Surroundings,
  folder: string,
  { held, position: from, at, skippedBackups = [] }: DamageReport,
) {
  const database = databaseFile(home);
  const damaged = path.join(folder, path.basename(database));
  // A backup of the new store has no more than the store itself.
  const backups = automaticBackups(database)
    .filter((one) => one.at <= Date.parse(at) && !skippedBackups.includes(path.basename(one.file)))
    .map(({ file }) => file);
  let saved = performance.now();
  let last = from;
  try {
    return await ask<SalvagePosition>(
      { ask: "salvage", database, damaged, held, backups, from },
      (position) => {
        last = position;
        if (performance.now() - saved < SAVE_EVERY_MS) return;
        saved = performance.now();
        updateReport(folder, { position });
      },
    );
  } catch (error) {
    // Failures are counted by position: the next attempt begins where this one failed.
    updateReport(folder, { position: last });
    throw error;
  }
}

const integrityFile = (home: Home) => path.join(home.state, "integrity.json");

/** SQLite begins a report on several pages with a headline. */
const firstLine = (problem: string) =>
  problem.split("\n").find((line) => line !== "" && !line.startsWith("***")) ?? "the integrity check failed";

/** A sound database is read through once a day, and after a process that died or another that wrote into the file. */
async function checkStore(parts: RecoveryParts, { ask, isStopped }: Surroundings) {
  const { home, clock, log, isAsClosed } = parts;
  const last = parseJson(readIfPossible(integrityFile(home)) ?? "");
  const age = clock.now() - (isObject(last) ? Number(last.at) : 0);
  if (isAsClosed && age >= 0 && age < CHECK_EVERY) return;
  try {
    const began = performance.now();
    const { ok, problems, rebuilt } = await ask<FileReport>({ ask: "check", database: databaseFile(home) });
    const ms = Math.round(performance.now() - began);
    log.info({ ok, ms, problem: problems[0], rebuilt }, "store.checked");
    if (!ok) return parts.onDamage(firstLine(problems[0] ?? ""));
    writeJson(integrityFile(home), { at: clock.now() });
  } catch (error) {
    if (!isStopped()) log.warn({ problem: errorText(error) }, "store.check-failed");
  }
}

async function recount({ home, clock }: RecoveryParts, { ask }: Surroundings) {
  const newest = listDamage(home).at(-1);
  if (newest?.report.endedAt === undefined) return undefined;
  const { folder, report } = newest;
  const { missing } = summaryOf(newest);
  const age = clock.now() - Date.parse(newest.report.endedAt);
  if (missing === null || Object.values(missing).every((rows) => rows === 0)) return undefined;
  if (age < 0 || age > RECOUNTS * RECOUNT_MS) return undefined;
  const until = Date.parse(report.at);
  const { present } = await ask<CountAnswer>({ ask: "count", database: databaseFile(home), until });
  updateReport(folder, { present });
  return RECOUNT_MS;
}
