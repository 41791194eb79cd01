// Opens the store whatever state its file is in: a damaged one is set aside, and a new one takes its place at once.
import { constants, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { damagedFolder, databaseFile, type Home } from "../home/index.ts";
import {
  defined,
  ensureFolder,
  errorText,
  HOUR,
  isoTime,
  ThroughlineError,
  writeFileAtomic,
} from "../lib/index.ts";
import type { Logger } from "../log/index.ts";
import {
  clearDamage,
  filesBeside,
  forgetHeld,
  openStore,
  prepareStore,
  readHeld,
  type Store,
  type StoreOptions,
  salvageStart,
} from "../store/index.ts";
import { canAccess, type DamageReport, isThere, listDamage, pruneDamaged, writeReport } from "./report.ts";

interface OpenParts {
  readonly home: Home;
  readonly log: Logger;
  readonly now: () => number;
  readonly options: Omit<StoreOptions, "file">;
}

/** A new store that is damaged at once is on a disk that cannot keep one. */
const ATTEMPTS = 2;
const OPEN_RETRY_MS = 500;
const MOST_AN_HOUR = 5;

export async function openOrRecover(parts: OpenParts): Promise<Store> {
  const { home, log, options } = parts;
  const file = databaseFile(home);
  for (let attempt = 0; ; attempt++) {
    await finishMoves(home);
    try {
      return await openStore({ ...options, file });
    } catch (error) {
      if (isReadFailure(error) && attempt === 0) {
        // A disk that was slow, or a process that was just ending, is better a moment later.
        await sleep(OPEN_RETRY_MS);
        continue;
      }
      if (attempt > ATTEMPTS || !isRecoverable(error, file)) throw error;
      refuseEndless(parts);
      const folder = setAsideDatabase(parts, errorText(error));
      log.error({ problem: errorText(error), folder }, "store.set-aside");
    }
  }
}

/** A disk that damages every new store would be filled with damaged ones. */
function refuseEndless({ home, now }: OpenParts) {
  const recent = listDamage(home).filter(({ report }) => {
    const age = now() - Date.parse(report.at);
    return age >= 0 && age < HOUR;
  });
  if (recent.length < MOST_AN_HOUR) return;
  throw new ThroughlineError(
    "io-failed",
    `${recent.length} databases were damaged within an hour; the next one is not set aside`,
    `check the disk; events wait in the spool. ${damagedFolder(home)} has the damaged files`,
  );
}

const isReadFailure = (error: unknown) => error instanceof ThroughlineError && error.code === "io-failed";

/** Not a full disk, a locked file or a newer layout: those files are whole. */
function isRecoverable(error: unknown, file: string) {
  if (!(error instanceof ThroughlineError)) return false;
  if (error.code === "permission-denied") return isFilesFault(file);
  // A bad sector, or a journal that was deleted while another process reads: a new file works where this one does not.
  if (error.code === "io-failed") return canWriteIn(path.dirname(file));
  return error.code === "database-damaged" || error.code === "database-unusable";
}

/** The file cannot be used although its folder can: it belongs to another user. */
function isFilesFault(file: string) {
  const { R_OK, W_OK, X_OK } = constants;
  return canAccess(path.dirname(file), R_OK | W_OK | X_OK) && !canAccess(file, R_OK | W_OK);
}

function canWriteIn(folder: string) {
  const probe = path.join(folder, `.probe-${process.pid}`);
  try {
    writeFileAtomic(probe, "a page of a new store ".repeat(200));
    rmSync(probe);
    return true;
  } catch {
    return false;
  }
}

function setAsideDatabase({ home, now }: OpenParts, reason: string) {
  const at = isoTime(now());
  const folder = path.join(damagedFolder(home), at.replace(/[:.]/g, "-"));
  const held = readHeld(databaseFile(home));
  ensureFolder(folder);
  // Rows of earlier ones went into the store that is damaged now: they are read once more.
  for (const { folder: earlier, report } of listDamage(home))
    if (["salvaging", "rebuilding"].includes(report.state))
      writeReport(earlier, { ...report, state: "salvaging", position: salvageStart });
  writeReport(folder, {
    ...{ v: 1, at, reason, state: "moving", position: salvageStart },
    ...defined({ held }),
  });
  return folder;
}

/** Every step can be done again: a process may have died behind any of them. */
async function finishMoves(home: Home) {
  const file = databaseFile(home);
  for (const { folder, report: found } of listDamage(home)) {
    const report = found.state === "moving" ? moveInto(folder, found, file) : found;
    if (report.state !== "moved") continue;
    await prepareStore(file, report.held);
    writeReport(folder, { ...report, state: "salvaging" });
    pruneDamaged(home);
  }
}

function moveInto(folder: string, report: DamageReport, file: string) {
  for (const from of [file, ...filesBeside(file)]) {
    const to = path.join(folder, path.basename(from));
    if (isThere(from) && !isThere(to)) renameSync(from, to);
  }
  forgetHeld(file);
  clearDamage(file);
  const moved: DamageReport = { ...report, state: "moved" };
  writeReport(folder, moved);
  return moved;
}
