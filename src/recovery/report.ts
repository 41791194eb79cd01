// What became of each damaged database: one small file beside it, written by the worker and read by everything else.

import { accessSync } from "node:fs";
import path from "node:path";
import { damagedFolder, type Home, type Language } from "../home/index.ts";
import {
  type Clock,
  errorText,
  isObject,
  isoTime,
  lstatIfThere,
  namesIn,
  parseJson,
  readIfPossible,
  removeTree,
  sumOf,
  writeJson,
} from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import type { HeldCounts, HeldState, SalvagePosition } from "../store/index.ts";

/**
 * `moving`: the files are on their way into the folder. `moved`: the new store is not prepared yet. `salvaging`: rows are
 * read out of the damaged file and a backup. `rebuilding`: transcripts are read again.
 */
type RecoveryState = "moving" | "moved" | "salvaging" | "rebuilding" | "done";

export interface DamageReport {
  readonly v: 1;
  /** When the damage was noticed. */
  readonly at: string;
  readonly reason: string;
  readonly state: RecoveryState;
  readonly position: SalvagePosition;
  /** Unknown when the file that says it was damaged too. */
  readonly held?: HeldState;
  /** Rows of the time before the damage that are in the store; known once transcripts were read. */
  readonly present?: HeldCounts;
  readonly endedAt?: string;
  readonly toldAt?: string;
  /** What keeps the salvage from going on. */
  readonly problem?: string;
  /** Failures without progress between them, and where they happened. */
  readonly failures?: { readonly at: string; readonly count: number };
  /** The damaged file was given up before its end: it is read again when a later worker can open it. */
  readonly isUnread?: true;
  /** File names of backups that were given up. */
  readonly skippedBackups?: readonly string[];
  /** Something in it was to be forgotten: the folder goes as soon as it is not needed. */
  readonly deleteWhenDone?: true;
}

const REPORT = "report.json";

const reportFile = (folder: string) => path.join(folder, REPORT);

export function readReport(folder: string) {
  const found = parseJson(readIfPossible(reportFile(folder)) ?? "");
  return isObject(found) && found.v === 1 && isObject(found.position)
    ? (found as unknown as DamageReport)
    : undefined;
}

export function writeReport(folder: string, report: DamageReport) {
  writeJson(reportFile(folder), report);
}

interface Damage {
  readonly folder: string;
  readonly report: DamageReport;
}

/** Every damaged database with a readable report, oldest first: the names of their folders are times. */
export function listDamage(home: Home): Damage[] {
  return namesIn(damagedFolder(home))
    .sort()
    .flatMap((name) => {
      const folder = path.join(damagedFolder(home), name);
      const report = readReport(folder);
      return report ? { folder, report } : [];
    });
}

/** The same for people and programs: numbers per table, and one for each of the four kinds. */
export interface DamageSummary {
  readonly folder: string;
  readonly at: string;
  readonly reason: string;
  readonly state: RecoveryState;
  /** From 0 to 1: how much of the damaged file was read. */
  readonly share: number;
  /** Null where it is not known how much there was. */
  readonly held: HeldCounts | null;
  readonly salvaged: HeldCounts;
  readonly rebuilt: HeldCounts;
  readonly missing: HeldCounts | null;
  readonly problem: string | null;
  /** Sources that could not be read, or not all of them, each with the reason. */
  readonly notes: readonly string[];
}

type Table = keyof HeldCounts;

const mapped = (counts: HeldCounts, to: (table: Table) => number): HeldCounts =>
  Object.fromEntries((Object.keys(counts) as Table[]).map((table) => [table, to(table)])) as Record<
    Table,
    number
  >;

export const total = (counts: HeldCounts) => sumOf(Object.values(counts), (count) => count);

/**
 * Rows that came in behind the last state that was written down were held too. Of what is there beyond what was held,
 * such as observations that were made meanwhile, nothing is said.
 */
export function summaryOf({ folder, report }: Damage): DamageSummary {
  const { at, reason, state, position, present, held, problem } = report;
  const { salvaged, share } = position;
  const known = held?.counts;
  const heldRows = known && mapped(salvaged, (table) => Math.max(known[table], salvaged[table]));
  const rebuilt = mapped(salvaged, (table) => {
    const found = Math.min(present?.[table] ?? 0, heldRows?.[table] ?? Number.POSITIVE_INFINITY);
    return Math.max(0, found - salvaged[table]);
  });
  return {
    ...{ folder, at, reason, state, salvaged, rebuilt },
    share: state === "done" ? 1 : share,
    held: heldRows ?? null,
    missing: heldRows
      ? mapped(salvaged, (table) => Math.max(0, heldRows[table] - salvaged[table] - rebuilt[table]))
      : null,
    problem: problem ?? null,
    notes: position.notes ?? [],
  };
}

/** Newest first. */
export const damageSummaries = (home: Home): DamageSummary[] => listDamage(home).reverse().map(summaryOf);

export function canAccess(file: string, mode: number) {
  try {
    accessSync(file, mode);
    return true;
  } catch {
    return false;
  }
}

export const isThere = (file: string) => lstatIfThere(file) !== undefined;

const KEPT = 2;

/** Keeps the newest two. One whose salvage has not ended stays until it has. */
export function pruneDamaged(home: Home) {
  for (const { folder, report } of listDamage(home).slice(0, -KEPT))
    if (report.state === "done") removeTree(folder);
}

/** What was forgotten is in these files as well. */
export function forgetDamaged(home: Home) {
  for (const { folder, report } of listDamage(home))
    if (report.state === "done") removeTree(folder);
    else writeReport(folder, { ...report, deleteWhenDone: true });
}

const englishNotices = {
  begun: "Throughline: the database was damaged and was set aside.",
  reading: (percent: number) => `Its rows are being brought back (${percent}% of the file is read).`,
  whole: (held: string) => `All ${held} rows are back.`,
  partly: (back: string, held: string, missing: string) =>
    `${back} of ${held} rows are back, ${missing} are missing.`,
  unknown: (back: string) => `${back} rows are back; how many there were is not known.`,
  details: "Details: throughline status",
};

const chineseNotices: typeof englishNotices = {
  begun: "Throughline:数据库已损坏,已移到一旁保存。",
  reading: (percent) => `正在恢复其中的记录(已读取文件的 ${percent}%)。`,
  whole: (held) => `全部 ${held} 条记录均已恢复。`,
  partly: (back, held, missing) => `${held} 条记录中已恢复 ${back} 条,缺失 ${missing} 条。`,
  unknown: (back) => `已恢复 ${back} 条记录;原有多少条无从得知。`,
  details: "详情:throughline status",
};

const noticeWords = { en: englishNotices, zh: chineseNotices };

function outcome({ state, share, held, salvaged, rebuilt, missing }: DamageSummary, language: Language) {
  const say = noticeWords[language];
  const shown = (count: number) => count.toLocaleString(language === "zh" ? "zh-CN" : "en-US");
  if (state !== "done") return say.reading(Math.floor(share * 100));
  const back = total(salvaged) + total(rebuilt);
  if (held === null || missing === null) return say.unknown(shown(back));
  if (total(missing) === 0) return say.whole(shown(total(held)));
  return say.partly(shown(total(held) - total(missing)), shown(total(held)), shown(total(missing)));
}

/** Gives the line the first time it is asked for after damage was found, and never again. */
export function damageNotice(parts: {
  readonly home: Home;
  readonly clock: Clock;
  readonly log: Logger;
}): (language: Language) => string | undefined {
  const { home, clock, log } = parts;
  return (language) => {
    const newest = listDamage(home).at(-1);
    if (!newest || newest.report.toldAt !== undefined) return undefined;
    try {
      writeReport(newest.folder, { ...newest.report, toldAt: isoTime(clock.now()) });
      const { begun, details } = noticeWords[language];
      return [begun, outcome(summaryOf(newest), language), details].join(" ");
    } catch (error) {
      // No notice rather than one in every session.
      log.warn({ problem: errorText(error) }, "salvage.notice-failed");
      return undefined;
    }
  };
}
