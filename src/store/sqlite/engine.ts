// The SQLite engine: the contract, method by method, on one connection.
import { type Clock, systemClock, ThroughlineError } from "../../lib/index.ts";
import type { StoreAccounts } from "../accountModel.ts";
import type { RedactedEvent } from "../eventModel.ts";
import type { StoreImports } from "../importModel.ts";
import type { StoreIndex } from "../indexModel.ts";
import type { NewJob, Store } from "../model.ts";
import type { StoreOverview } from "../overviewModel.ts";
import type { StoreVectors } from "../vectorModel.ts";
import { workFor } from "../work.ts";
import { makeBackup } from "./backup/autoBackup.ts";
import { defaultLimits } from "./backup/backupFiles.ts";
import { copyDatabase } from "./backup/copy.ts";
import { examine } from "./backup/examine.ts";
import { keepHeld } from "./backup/held.ts";
import { type Connection, connect, connectReadOnly } from "./connection.ts";
import { feedHead, feedSince } from "./events/feed.ts";
import * as imported from "./events/imported.ts";
import * as queue from "./events/queue.ts";
import { recordEvents } from "./events/record.ts";
import { sessionRow, setModelSession } from "./events/sessions.ts";
import { explained, lost } from "./failures.ts";
import * as accounts from "./knowledge/accounts.ts";
import { addMessages, addObservations, addSummaries } from "./knowledge/knowledge.ts";
import * as lists from "./knowledge/lists.ts";
import * as overview from "./knowledge/overview.ts";
import { isOlder, isUpToDate, migrate, migrations } from "./schema/migrate.ts";
import { rebuildIndex } from "./search/entries.ts";
import * as find from "./search/find.ts";
import * as vectors from "./search/vectors.ts";
import { exportLines } from "./upkeep/export.ts";
import { forget, previewForget } from "./upkeep/forget.ts";
import { importLines } from "./upkeep/import.ts";
import { retain } from "./upkeep/retain.ts";
import { integrityCheck, stats, vacuum } from "./upkeep/upkeep.ts";

export interface StoreOptions {
  readonly file: string;
  /** Refuse instead of making a new database. */
  readonly mustExist?: boolean;
  /** Read what is there and change nothing. Only where the layout is of this program; otherwise it is brought there. */
  readonly readOnly?: boolean;
  readonly clock?: Clock;
  /** Which work an event asks for. */
  readonly work?: (event: RedactedEvent) => NewJob | undefined;
  /** Told what a log should know. */
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
    throw new ThroughlineError("not-found", `there is no database yet at ${file}`, {
      fix: "`throughline install` keeps sessions from now on, `throughline import` brings in earlier ones; check THROUGHLINE_HOME if there should be one",
    });
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
    const held = explained(file, () => keepHeld(db, () => clock.now()));
    db.onDamage = options.onDamage;
    return storeOn(db, clock, work, () => held.finish(() => closeWhole(db)));
  } catch (error) {
    db.close();
    throw error;
  }
}

/** A layout that a migration cannot be applied to is not the one that the list of applied migrations says. */
function bringUp(db: Connection, now: number, known: typeof migrations): void {
  try {
    explained(db.file, () => migrate(db, now, known));
  } catch (error) {
    if (!(error instanceof ThroughlineError) || error.code !== "database-failed") throw error;
    throw lost(db.file, `has tables that do not fit its list of migrations (${error.message})`);
  }
}

async function backUpBeforeMigrating(db: Connection, now: number, options: StoreOptions): Promise<void> {
  const { outcome } = await makeBackup(db, { now, reason: "migration", limits: defaultLimits });
  // A migration is one transaction: without room for a copy it is still whole or not at all.
  if (outcome !== "made") options.notice?.("store.migration-backup-skipped", { outcome });
}

/** Leaves everything in the main file where that is possible; a reader may still hold the journal. */
function closeWhole(db: Connection): void {
  try {
    db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
  } finally {
    db.close();
  }
}

/** What the engine does at once, as a promise that fails in our words. */
function atOnce(db: Connection): <T>(action: () => T) => Promise<T> {
  return async (action) => {
    try {
      return explained(db.file, action);
    } catch (error) {
      if (error instanceof ThroughlineError && error.code === "database-damaged") db.onDamage?.(error);
      throw error;
    }
  };
}

/** What search asks for. */
function indexOn(db: Connection): StoreIndex & StoreVectors {
  const run = atOnce(db);
  return {
    passages: (request) => run(() => find.findPassages(db, request)),
    termStatistics: (terms, filter) => run(() => find.termStatistics(db, terms, filter)),
    vocabulary: (beginning, limit) => run(() => find.vocabulary(db, beginning, limit)),
    rarity: (terms, most) => run(() => find.rarity(db, terms, most)),
    surroundings: (entries, reach) => run(() => find.surroundings(db, entries, reach)),
    entries: (filter, limit) => run(() => find.listEntries(db, filter, limit)),
    entriesOf: (rows) => run(() => find.entriesOf(db, rows)),
    timeline: (request) => run(() => find.timeline(db, request)),
    rebuildIndex: () => run(() => rebuildIndex(db)),
    barePassages: (model, limit) => run(() => vectors.barePassages(db, model, limit)),
    addVectors: (added) => run(() => vectors.addVectors(db, added)),
    nearest: (request) => run(() => vectors.nearest(db, request)),
    vectorState: () => run(() => vectors.vectorState(db)),
  };
}

/** What people look through. */
function overviewOn(db: Connection): StoreOverview {
  const run = atOnce(db);
  return {
    chronicle: (request = {}) => run(() => overview.chronicle(db, request)),
    chronicleDays: (filter = {}, east = 0) => run(() => overview.chronicleDays(db, filter, east)),
    projectDigests: () => run(() => overview.projectDigests(db)),
    sessionDigests: (sessions) => run(() => overview.sessionDigests(db, sessions)),
    touchedFiles: (session) => run(() => overview.touchedFiles(db, session)),
    lanesOf: (session) => run(() => overview.lanesOf(db, session)),
  };
}

/** What importing the past asks for. */
function importsOn(db: Connection): StoreImports {
  const run = atOnce(db);
  return {
    sourceState: (key) => run(() => imported.sourceState(db, key)),
    finishSource: (source) => run(() => imported.finishSource(db, source)),
    messagesElsewhere: (session, uuids) => run(() => imported.messagesElsewhere(db, session, uuids)),
    knownMessages: (session, uuids) => run(() => imported.knownMessages(db, session, uuids)),
    workDue: (kinds, now) => run(() => imported.workDue(db, kinds, now)),
  };
}

function accountsOn(db: Connection, clock: Clock): StoreAccounts {
  const run = atOnce(db);
  return {
    keepAccount: (session, account, upTo) =>
      run(() => accounts.keepAccount(db, session, account, { upTo, now: clock.now() })),
    account: (session) => run(() => accounts.accountOf(db, session)),
    accountSums: () => run(() => accounts.accountSums(db)),
    dueAccounts: ({ limit, drawnBefore }) => run(() => accounts.dueAccounts(db, limit, drawnBefore)),
  };
}

function storeOn(
  db: Connection,
  clock: Clock,
  work: NonNullable<StoreOptions["work"]>,
  close: () => void,
): Store {
  const run = atOnce(db);
  return {
    recordEvents: (events, held = {}) =>
      run(() => recordEvents(db, events, { now: clock.now(), work, ...held })),
    events: (request = {}) => run(() => lists.eventPage(db, request)),
    eventOutlines: (request = {}) => run(() => lists.outlinePage(db, request)),
    eventsById: (ids) => run(() => lists.eventsById(db, ids)),
    session: (id) => run(() => sessionRow(db, id)),
    sessions: (request = {}) => run(() => lists.sessionPage(db, request)),
    setModelSession: (session, sdkSessionId) => run(() => setModelSession(db, session, sdkSessionId)),
    prompts: (request = {}) => run(() => lists.promptPage(db, request)),
    addObservations: (items) => run(() => addObservations(db, items, clock.now())),
    observations: (request = {}) => run(() => lists.observationPage(db, request)),
    observationsById: (ids) => run(() => lists.observationsById(db, ids)),
    addSummaries: (items) => run(() => addSummaries(db, items, clock.now())),
    summaries: (request = {}) => run(() => lists.summaryPage(db, request)),
    addMessages: (items) => run(() => addMessages(db, items, clock.now())),
    messages: (request = {}) => run(() => lists.messagePage(db, request)),
    summariesById: (ids) => run(() => lists.summariesById(db, ids)),
    promptsById: (ids) => run(() => lists.promptsById(db, ids)),
    messagesById: (ids) => run(() => lists.messagesById(db, ids)),
    ...indexOn(db),
    ...overviewOn(db),
    ...accountsOn(db, clock),
    ...importsOn(db),
    enqueue: (jobs) => run(() => queue.addJobs(db, jobs, clock.now())),
    lease: (request) => run(() => queue.lease(db, request)),
    complete: (completion) => run(() => queue.complete(db, completion, clock.now())),
    releaseOthers: (worker) => run(() => queue.releaseOthers(db, worker)),
    fail: (failure) => run(() => queue.fail(db, failure)),
    deadJobs: (request = {}) => run(() => queue.deadJobs(db, request)),
    retryDead: (request = {}) => run(() => queue.retryDead(db, request)),
    queueStats: (now) => run(() => queue.queueStats(db, now)),
    feedSince: (cursor, limit) => run(() => feedSince(db, cursor, limit)),
    feedHead: () => run(() => feedHead(db)),
    workFolders: () => run(() => lists.workFolders(db)),
    stats: () => run(() => stats(db)),
    previewForget: (scope) => run(() => previewForget(db, scope)),
    forget: (scope) => run(() => forget(db, scope, clock.now())),
    previewRetention: (rules, now) => run(() => retain(db, rules, now, true)),
    applyRetention: (rules, now) => run(() => retain(db, rules, now, false)),
    integrityCheck: () => run(() => integrityCheck(db)),
    vacuum: () => run(() => vacuum(db)),
    backup: (file) => run(() => ({ bytes: copyDatabase(db, file) })),
    exportLines: (scope = {}) => exportLines(db.file, scope, clock.now()),
    importLines: (lines, importing = {}) => importLines(db, lines, { ...importing, now: clock.now() }),
    close: () => run(close),
  };
}
