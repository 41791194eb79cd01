// The SQLite engine: opens a database and implements the store on one connection.
import { type Clock, notFoundError, systemClock, type ThroughlineError } from "../../lib/index.ts";
import type { RedactedEvent } from "../events.ts";
import { type NewJob, workFor } from "../jobQueue.ts";
import type { Store } from "../store.ts";
import { copyDatabase, defaultLimits, makeBackup } from "./backup/autoBackup.ts";
import { examine, keepHeld } from "./backup/held.ts";
import { type Connection, connect, connectReadOnly } from "./connection.ts";
import {
  finishSource,
  knownMessages,
  messagesElsewhere,
  recordEvents,
  sourceState,
} from "./events/record.ts";
import { sessionRow } from "./events/sessions.ts";
import { classifyErrors, isFailure, lost } from "./failures.ts";
import {
  completeJobs,
  deadJobs,
  failJob,
  leaseJobs,
  postponeJob,
  queueStats,
  releaseOtherLeases,
  retryDeadJobs,
  workDue,
} from "./jobQueue.ts";
import * as accounts from "./knowledge/accounts.ts";
import { correct, undoCorrection } from "./knowledge/corrections.ts";
import { addMessages, addObservations, addSummaries } from "./knowledge/knowledge.ts";
import { feedHead, feedSince, rowLists, workFolders } from "./knowledge/lists.ts";
import * as overview from "./knowledge/overview.ts";
import { isOlder, isUpToDate, migrate, migrations } from "./schema/migrate.ts";
import * as find from "./search/find.ts";
import * as vectors from "./search/vectors.ts";
import { changes, keepProjectIdentities, projectIdentities, receive, releaseProject } from "./sync.ts";
import { exportLines } from "./upkeep/export.ts";
import { forget, previewForget } from "./upkeep/forget.ts";
import { importLines } from "./upkeep/import.ts";
import { applyRetention, previewRetention } from "./upkeep/retention.ts";
import { integrityCheck, stats, vacuum } from "./upkeep/upkeep.ts";

export interface StoreOptions {
  readonly file: string;
  /** Refuse instead of making a new database. */
  readonly mustExist?: boolean;
  /** Read what is there and change nothing. A store with an earlier schema is brought up to date first. */
  readonly readOnly?: boolean;
  readonly clock?: Clock;
  /** Which work an event asks for. */
  readonly work?: (event: RedactedEvent) => NewJob | undefined;
  /** Called with events for the log. */
  readonly notice?: (event: string, facts: Readonly<Record<string, unknown>>) => void;
  /** Called when a page or an index turns out to be damaged while the store is open; more than once. */
  readonly onDamage?: (error: ThroughlineError) => void;
  /** For tests of older and newer layouts. */
  readonly migrations?: typeof migrations;
}

export async function openStore(options: StoreOptions): Promise<Store> {
  const { file, clock = systemClock, work = workFor, migrations: known = migrations } = options;
  const exists = await examine(file, known);
  if (!exists && options.mustExist === true) {
    throw notFoundError(
      `there is no database yet at ${file}`,
      "`throughline install` keeps sessions from now on, `throughline import` brings in earlier ones; check THROUGHLINE_HOME if there should be one",
    );
  }
  if (options.readOnly === true && exists) {
    const reader = await connectReadOnly(file);
    if (isUpToDate(reader, known)) return storeOn(reader, clock, work, () => reader.close());
    reader.close();
  }
  const db = await connect(file);
  try {
    if (isOlder(db, known)) await backUpBeforeMigrating(db, clock.now(), options);
    bringUp(db, clock.now(), known);
    const held = classifyErrors(file, () => keepHeld(db, () => clock.now()));
    db.onDamage = options.onDamage;
    return storeOn(db, clock, work, () => held.finish(() => closeWhole(db)));
  } catch (error) {
    db.close();
    throw error;
  }
}

/** When a migration cannot be applied, the tables are not those that the list of applied migrations promises: damage. */
function bringUp(db: Connection, now: number, known: typeof migrations) {
  try {
    classifyErrors(db.file, () => migrate(db, now, known));
  } catch (error) {
    if (!isFailure(error, "database-failed")) throw error;
    throw lost(db.file, `has tables that do not fit its list of migrations (${error.message})`);
  }
}

async function backUpBeforeMigrating(db: Connection, now: number, options: StoreOptions) {
  const { outcome } = await makeBackup(db, { now, reason: "migration", limits: defaultLimits });
  // A migration is one transaction: without room for a copy it is still whole or not at all.
  if (outcome !== "made") options.notice?.("store.migration-backup-skipped", { outcome });
}

/** Leaves everything in the main file where that is possible; a reader may still hold the journal. */
function closeWhole(db: Connection) {
  try {
    db.get("PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    db.close();
  }
}

type Method = (db: Connection, ...values: never[]) => unknown;
type OnConnection<T> = {
  [K in keyof T]: T[K] extends (db: Connection, ...values: infer A) => infer R
    ? (...values: A) => Promise<R>
    : never;
};

/** Runs a synchronous call of SQLite. Classifies its errors, and reports damage to the owner of the store. */
async function runClassified<T>(db: Connection, action: () => T) {
  try {
    return classifyErrors(db.file, action);
  } catch (error) {
    if (isFailure(error, "database-damaged")) db.onDamage?.(error);
    throw error;
  }
}

function onConnection<T extends Readonly<Record<string, Method>>>(db: Connection, methods: T) {
  const bound = Object.entries(methods).map(([name, method]) => [
    name,
    (...values: never[]) => runClassified(db, () => method(db, ...values)),
  ]);
  return Object.fromEntries(bound) as OnConnection<T>;
}

/** Methods that need the connection and their arguments only. */
const methods = {
  ...rowLists,
  session: sessionRow,
  feedSince,
  feedHead,
  workFolders,
  sourceState,
  finishSource,
  messagesElsewhere,
  knownMessages,
  correct,
  undoCorrection,
  leaseJobs,
  postponeJob,
  releaseOtherLeases,
  failJob,
  deadJobs,
  retryDeadJobs,
  queueStats,
  workDue,
  passages: find.findPassages,
  passagesById: find.passagesById,
  termStatistics: find.termStatistics,
  vocabulary: find.vocabulary,
  rarity: find.rarity,
  surroundings: find.surroundings,
  entries: find.listEntries,
  entriesOf: find.entriesOf,
  timeline: find.timeline,
  barePassages: vectors.barePassages,
  addVectors: vectors.addVectors,
  vectorState: vectors.vectorState,
  nearest: vectors.nearest,
  chronicle: overview.chronicle,
  chronicleDays: overview.chronicleDays,
  projectDigests: overview.projectDigests,
  sessionDigests: overview.sessionDigests,
  touchedFiles: overview.touchedFiles,
  lanesOf: overview.lanesOf,
  account: accounts.accountOf,
  accountSums: accounts.accountSums,
  dueAccounts: accounts.dueAccounts,
  stats,
  previewForget,
  previewRetention,
  applyRetention,
  integrityCheck,
  vacuum,
  backup: copyDatabase,
  changes,
  keepProjectIdentities,
  projectIdentities,
  releaseProject,
};

function storeOn(
  db: Connection,
  clock: Clock,
  work: NonNullable<StoreOptions["work"]>,
  close: () => void,
): Store {
  /** Methods that also take the time. */
  const timed =
    <V, R>(method: (on: Connection, value: V, now: number) => R) =>
    (value: V) =>
      runClassified(db, () => method(db, value, clock.now()));
  return {
    ...onConnection(db, methods),
    recordEvents: (events, held) =>
      runClassified(db, () => recordEvents(db, events, { now: clock.now(), work, ...held })),
    addObservations: timed(addObservations),
    addSummaries: timed(addSummaries),
    addMessages: timed(addMessages),
    completeJobs: timed(completeJobs),
    forget: timed(forget),
    receive: timed(receive),
    keepAccount: (session, account, upTo) =>
      runClassified(db, () => accounts.keepAccount(db, session, account, { upTo, now: clock.now() })),
    exportLines: (scope = {}) => exportLines(db.file, scope, clock.now()),
    importLines: (lines, importing) => importLines(db, lines, { ...importing, now: clock.now() }),
    close: () => runClassified(db, close),
  };
}
