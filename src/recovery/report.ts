// What became of each damaged database: one small file beside it, written by the worker and read by everything else.
import { lstatSync, rmSync } from "node:fs";
import path from "node:path";
import { damagedFolder, type Home } from "../home/index.ts";
import { isObject, namesIn, parseJson, readIfPossible, writeFileAtomic } from "../lib/index.ts";
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

const reportFile = (folder: string): string => path.join(folder, REPORT);

export function readReport(folder: string): DamageReport | undefined {
  const found = parseJson(readIfPossible(reportFile(folder)) ?? "");
  return isObject(found) && found.v === 1 && isObject(found.position)
    ? (found as unknown as DamageReport)
    : undefined;
}

export function writeReport(folder: string, report: DamageReport): void {
  writeFileAtomic(reportFile(folder), `${JSON.stringify(report)}\n`);
}

/** Folders with a readable report, oldest first: their names are times. */
export function damageFolders(home: Home): string[] {
  return namesIn(damagedFolder(home))
    .sort()
    .map((name) => path.join(damagedFolder(home), name))
    .filter((folder) => readReport(folder) !== undefined);
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

export const total = (counts: HeldCounts): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

/**
 * Rows that came in behind the last state that was written down were held too. Of what is there beyond what was held,
 * such as observations that were made meanwhile, nothing is said.
 */
export function summaryOf(folder: string, report: DamageReport): DamageSummary {
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
export function damageSummaries(home: Home): DamageSummary[] {
  return damageFolders(home)
    .reverse()
    .flatMap((folder) => {
      const report = readReport(folder);
      return report === undefined ? [] : summaryOf(folder, report);
    });
}

export const isThere = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false }) !== undefined;

const KEPT = 2;

/** Keeps the newest two. One whose salvage has not ended stays until it has. */
export function pruneDamaged(home: Home): void {
  const folders = damageFolders(home);
  for (const folder of folders.slice(0, -KEPT))
    if (readReport(folder)?.state === "done") rmSync(folder, { recursive: true, force: true });
}

/** What was forgotten is in these files as well. */
export function forgetDamaged(home: Home): void {
  for (const folder of damageFolders(home)) {
    const report = readReport(folder);
    if (report === undefined || report.state === "done") rmSync(folder, { recursive: true, force: true });
    else writeReport(folder, { ...report, deleteWhenDone: true });
  }
}
