// What a failed call of SQLite or of the file system means: decided by result codes, never by words.
import { closeSync, openSync, statfsSync } from "node:fs";
import { constants } from "node:os";
import path from "node:path";
import { type ErrorCode, errorText, isObject, systemErrorCode, ThroughlineError } from "../../lib/index.ts";

interface FailureKind {
  /** Primary result codes of SQLite. An extended code belongs to the primary code in its low byte. */
  readonly sqlite: Readonly<Record<string, number>>;
  /** Error codes of the operating system. */
  readonly system: readonly string[];
  readonly means: string;
  readonly fix: string;
}

/** One row for each thing that a person can do about a failure; the last one is for every other code of SQLite. */
export const failureKinds = {
  "database-damaged": {
    sqlite: { CORRUPT: 11, FORMAT: 24, NOTADB: 26 },
    system: [],
    means: "is damaged or is not a database",
    fix: "restore a backup: throughline data restore FILE",
  },
  "database-busy": {
    sqlite: { BUSY: 5, LOCKED: 6, PROTOCOL: 15 },
    system: [],
    means: "is in use by another process",
    fix: "try again in a moment, or stop the worker first: throughline worker stop",
  },
  "disk-full": {
    sqlite: { FULL: 13 },
    system: ["ENOSPC", "EDQUOT"],
    means: "cannot be written: the disk is full",
    fix: "free disk space; nothing is lost: events wait in the spool, and transcripts fill what is missing there",
  },
  "permission-denied": {
    sqlite: { PERM: 3, READONLY: 8, CANTOPEN: 14, AUTH: 23 },
    system: ["EACCES", "EPERM", "EROFS"],
    means: "cannot be opened or written",
    fix: "check that its folder exists, and the owner and mode of both",
  },
  "io-failed": {
    sqlite: { IOERR: 10 },
    system: ["EIO", "EMFILE", "ENFILE", "ESTALE", "ETIMEDOUT"],
    means: "cannot be read or written: the operating system reported an error",
    fix: "check the disk, and the limit of open files (ulimit -n)",
  },
  "database-failed": {
    sqlite: {},
    system: [],
    means: "could not carry out a statement",
    fix: "run `throughline data check`; if it finds nothing, report the code",
  },
} as const satisfies Partial<Record<ErrorCode, FailureKind>>;

type FailureCode = keyof typeof failureKinds;

const kindByCode: Readonly<Record<FailureCode, FailureKind>> = failureKinds;
const failureCodes = Object.keys(failureKinds) as FailureCode[];

/** SQLite's own text for each code, which it uses where it has nothing more exact to say (`sqlite3_errstr`). */
const codeTexts: Readonly<Record<string, number>> = {
  "access permission denied": 3,
  "database is locked": 5,
  "database table is locked": 6,
  "attempt to write a readonly database": 8,
  "disk I/O error": 10,
  "database disk image is malformed": 11,
  "database or disk is full": 13,
  "unable to open database file": 14,
  "locking protocol": 15,
  "file is not a database": 26,
};

/**
 * SQLite's extended result code. `node:sqlite` and the package both call it `errcode`; the package leaves it out of errors
 * that come while rows are read by `all` or `iterate`, which then have SQLite's own text.
 */
function resultCode(error: unknown) {
  if (!isObject(error)) return undefined;
  if (typeof error.errcode === "number") return error.errcode;
  return error.code === "ERR_SQLITE_ERROR" ? (codeTexts[errorText(error)] ?? 1) : undefined;
}

/** With less free space than this, writing a page, a journal or a directory entry may fail. */
const OUT_OF_SPACE = 64 * 1024;

/** What the system reports for a file that SQLite could not use: the package knows, `node:sqlite` does not. */
function systemCause(error: unknown, file: string) {
  const errno = isObject(error) ? error.systemErrno : undefined;
  const named = Object.entries(constants.errno).find(([, value]) => value === errno)?.[0];
  if (named !== undefined) return named;
  try {
    const { bavail, bsize } = statfsSync(path.dirname(file));
    if (bavail * bsize < OUT_OF_SPACE) return "ENOSPC";
    closeSync(openSync(file, "r"));
    return undefined;
  } catch (probe) {
    return systemErrorCode(probe);
  }
}

/** The file or its journal ends before a page that it must have: the file is damaged, not the disk. */
const IOERR_SHORT_READ = 522;

const forSystem = (cause: string | undefined) =>
  failureCodes.find((code) => cause !== undefined && kindByCode[code].system.includes(cause));

function classify(error: unknown, file: string) {
  const result = resultCode(error);
  if (result === undefined) return forSystem(systemErrorCode(error));
  if (result === IOERR_SHORT_READ) return "database-damaged";
  const known = failureCodes.find((code) => Object.values(kindByCode[code].sqlite).includes(result & 0xff));
  // One SQLite code covers many reasons why a file cannot be used; the operating system tells which.
  if (known === "permission-denied" || known === "io-failed")
    return forSystem(systemCause(error, file)) ?? known;
  return known ?? "database-failed";
}

function describeSqliteError(error: unknown) {
  const result = resultCode(error);
  return result === undefined ? errorText(error) : `SQLite ${result}: ${errorText(error)}`;
}

/** Runs `work`; a failure of the database or its files gets a code and a fix, any other error passes through. */
export function classifyErrors<T>(file: string, work: () => T) {
  try {
    return work();
  } catch (error) {
    if (error instanceof ThroughlineError) throw error;
    const code = classify(error, file);
    if (code === undefined) throw error;
    const { means, fix } = kindByCode[code];
    throw new ThroughlineError(code, `${file} ${means} (${describeSqliteError(error)})`, {
      fix,
      cause: error,
    });
  }
}

export const isFailure = (error: unknown, code: FailureCode): error is ThroughlineError =>
  error instanceof ThroughlineError && error.code === code;

/** Whether the store as a whole is in trouble, in contrast to the rows that a call carried. */
export function isStoreTrouble(error: unknown) {
  return error instanceof ThroughlineError && error.code !== "database-failed";
}

/** The database is not the one that was here, or has lost a part of it. */
export function lost(database: string, what: string) {
  return new ThroughlineError(
    "database-damaged",
    `${database} ${what}`,
    "throughline worker start: it sets the file aside and brings back what can be read",
  );
}
