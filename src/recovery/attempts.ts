// Decides what follows a failed attempt to salvage: the same again, or without the source that fails each time.
import { constants } from "node:fs";
import path from "node:path";
import { databaseFile, type Home } from "../home/index.ts";
import { errorText, ThroughlineError } from "../lib/index.ts";
import { isStoreTrouble, salvageStart, withFileRead, withNote } from "../store/index.ts";
import { canAccess, type DamageReport, listDamage, writeReport } from "./report.ts";

/** Failures at one position after which the source that is read there is given up. */
const MOST_SALVAGE_FAILURES = 5;

/** The store that rows go into is damaged: it is set aside itself, and the salvage begins anew. */
export const isStoreDamaged = (error: unknown) =>
  error instanceof ThroughlineError && error.code === "database-damaged";

/** What changes in the report. A store that cannot be written, as on a full disk, is no reason to give a source up. */
export function afterFailure(report: DamageReport, error: unknown): Partial<DamageReport> {
  const problem = errorText(error);
  if (isStoreTrouble(error)) return { problem };
  const { stage, backup, table, done } = report.position;
  const at = JSON.stringify([report.state, stage, backup, table, done]);
  const count = report.failures?.at === at ? report.failures.count + 1 : 1;
  return count < MOST_SALVAGE_FAILURES
    ? { problem, failures: { at, count } }
    : withoutSource(report, problem);
}

function withoutSource(report: DamageReport, problem: string): Partial<DamageReport> {
  const { state, position, skippedBackups = [] } = report;
  const noted = (source: string) => withNote(position, `${source} cannot be read: ${problem}`);
  if (state !== "salvaging") return { state: "done", position: noted("the new database") };
  if (position.stage === "reading")
    return { position: withFileRead(noted("the damaged file")), isUnread: true };
  if (position.backup === undefined) return { state: "rebuilding", position: noted("the backups") };
  return {
    position: noted(`backup ${position.backup}`),
    skippedBackups: [...skippedBackups, position.backup],
  };
}

/** Begins again with damaged files that were given up and can be opened now. */
export function resumeUnread(home: Home) {
  for (const { folder, report } of listDamage(home)) {
    if (report.isUnread !== true || report.state !== "done") continue;
    if (!canAccess(path.join(folder, path.basename(databaseFile(home))), constants.R_OK)) continue;
    const { isUnread: _, failures: __, skippedBackups: ___, endedAt: ____, ...rest } = report;
    writeReport(folder, { ...rest, state: "salvaging", position: salvageStart });
  }
}
