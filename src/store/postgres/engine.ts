// The PostgreSQL engine: opens the schema of a server and implements the store for one person of one team.
import { type Clock, systemClock } from "../../lib/index.ts";
import type { RedactedEvent } from "../events.ts";
import { type NewJob, workFor } from "../jobQueue.ts";
import { readImport } from "../portable/importLines.ts";
import type { Store } from "../store.ts";
import { type Access, accessOn } from "./access/access.ts";
import * as accounts from "./accounts.ts";
import {
  classified,
  type Database,
  databaseOn,
  poolOf,
  type Space,
  type Transaction,
  type Writer,
} from "./connection.ts";
import { correct, undoCorrection } from "./corrections.ts";
import * as queue from "./jobQueue.ts";
import { feedHead, feedSince, rowLists, workFolders } from "./lists.ts";
import * as memories from "./memories.ts";
import { migrate } from "./migrate.ts";
import * as overview from "./overview.ts";
import * as record from "./record.ts";
import { type RedactRow, share } from "./revise.ts";
import type { Visibility } from "./schema.ts";
import * as find from "./search/find.ts";
import { vocabulary } from "./search/postings.ts";
import * as vectors from "./search/vectors.ts";
import { sessionRow } from "./sessions.ts";
import * as sync from "./sync.ts";
import { forget, previewForget } from "./upkeep/forget.ts";
import { applyRetention, previewRetention } from "./upkeep/retention.ts";
import { integrityCheck, stats, vacuum } from "./upkeep/stats.ts";
import { backup, exportLines, keepBatch } from "./upkeep/transfer.ts";

interface PostgresOptions extends Space {
  /** Such as `postgres://throughline@db.example/throughline`. */
  readonly url: string;
  /** The schema that holds the tables; `throughline` unless given. */
  readonly schema?: string;
  readonly clock?: Clock;
  /** Which work an event asks for. */
  readonly work?: (event: RedactedEvent) => NewJob | undefined;
}

type Bound<T, On> = {
  [K in keyof T]: T[K] extends (on: On, ...values: infer A) => Promise<infer R>
    ? (...values: A) => Promise<R>
    : never;
};

const memoryMethods = { changedMemories: memories.changedMemories, keepMemories: memories.keepMemories };

/** A store whose rows can be shared with others of the team, and which keeps memories as files. */
export interface TeamStore extends Store, Bound<typeof memoryMethods, Transaction> {
  /** Private rows are seen by their person alone. Gives how many rows changed; other persons' rows are skipped. */
  share(
    kind: "observation" | "summary",
    uids: readonly string[],
    visibility: Visibility,
    redact?: RedactRow,
  ): Promise<number>;
}

/** A server with the stores of many persons, over one pool of connections. */
export interface TeamDatabase {
  /** Closing it leaves the connections to the others. */
  store(space: Space): TeamStore;
  /** What is done with that store is kept together, or not at all. The team's other writers wait. */
  together<T>(space: Space, work: (store: TeamStore) => Promise<T>): Promise<T>;
  readonly access: Access;
  /** The version of PostgreSQL and the names of the extensions that it could load. */
  serverFacts(): Promise<{ readonly version: string; readonly extensions: readonly string[] }>;
  close(): Promise<void>;
}

type TeamOptions = Pick<PostgresOptions, "url" | "schema" | "clock">;

export async function openTeamDatabase(options: TeamOptions): Promise<TeamDatabase> {
  const { url, schema = "throughline", clock = systemClock } = options;
  const pool = await openPool(url, schema, clock);
  const database = (space: Space) => databaseOn(pool, schema, space);
  return {
    store: (space) => ({ ...storeOn(database(space), clock, () => undefined), close: async () => undefined }),
    together: (space, work) =>
      database(space).together((within) => work(storeOn(within, clock, () => undefined))),
    access: accessOn(database, clock.now),
    serverFacts: () =>
      database({ team: "", person: "" }).transaction(async (on) => ({
        version: String((await on.get("SHOW server_version"))?.server_version),
        extensions: (await on.all("SELECT name FROM pg_available_extensions ORDER BY name")).map(({ name }) =>
          String(name),
        ),
      })),
    close: () => pool.end(),
  };
}

async function openPool(url: string, schema: string, clock: Clock) {
  const pool = poolOf(url);
  try {
    await migrate(pool, schema, clock.now());
  } catch (error) {
    await pool.end();
    throw classified(error);
  }
  return pool;
}

export async function openPostgresStore(options: PostgresOptions): Promise<TeamStore> {
  const { url, schema = "throughline", clock = systemClock, work = workFor } = options;
  return storeOn(databaseOn(await openPool(url, schema, clock), schema, options), clock, work);
}

/** Methods, each in a transaction of its own. */
function bind<On, T extends Readonly<Record<string, (on: On, ...values: never[]) => Promise<unknown>>>>(
  run: (work: (on: On) => Promise<unknown>) => Promise<unknown>,
  methods: T,
) {
  const bound = Object.entries(methods).map(([name, method]) => [
    name,
    (...values: never[]) => run((on) => method(on, ...values)),
  ]);
  return Object.fromEntries(bound) as Bound<T, On>;
}

/** Methods that write no row with a number, and so do not wait for the team's other writers. */
const unnumbered = {
  ...memoryMethods,
  ...rowLists,
  session: sessionRow,
  feedSince,
  feedHead,
  workFolders,
  sourceState: record.sourceState,
  messagesElsewhere: record.messagesElsewhere,
  knownMessages: record.knownMessages,
  leaseJobs: queue.leaseJobs,
  postponeJob: queue.postponeJob,
  releaseOtherLeases: queue.releaseOtherLeases,
  failJob: queue.failJob,
  deadJobs: queue.deadJobs,
  retryDeadJobs: queue.retryDeadJobs,
  queueStats: queue.queueStats,
  workDue: queue.workDue,
  passages: find.findPassages,
  passagesById: find.passagesById,
  termStatistics: find.termStatistics,
  rarity: find.rarity,
  vocabulary,
  surroundings: find.surroundings,
  entries: find.listEntries,
  entriesOf: find.entriesOf,
  timeline: find.timeline,
  barePassages: vectors.barePassages,
  nearest: vectors.nearest,
  vectorState: vectors.vectorState,
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
  integrityCheck,
  changes: sync.changes,
  projectIdentities: sync.projectIdentities,
} satisfies Readonly<Record<string, (on: Transaction, ...values: never[]) => Promise<unknown>>>;

const writing = {
  share,
  correct,
  undoCorrection,
  finishSource: record.finishSource,
  addVectors: vectors.addVectors,
  applyRetention,
  keepProjectIdentities: sync.keepProjectIdentities,
  releaseProject: sync.releaseProject,
} satisfies Readonly<Record<string, (on: Writer, ...values: never[]) => Promise<unknown>>>;

function storeOn(db: Database, clock: Clock, work: NonNullable<PostgresOptions["work"]>): TeamStore {
  /** Methods that also take the time. */
  const timed =
    <V, R>(method: (on: Writer, value: V, now: number) => Promise<R>) =>
    (value: V) =>
      db.write((on) => method(on, value, clock.now()));
  return {
    ...bind<Transaction, typeof unnumbered>((run) => db.transaction(run), unnumbered),
    ...bind<Writer, typeof writing>((run) => db.write(run), writing),
    recordEvents: (events, held) =>
      db.write((on) => record.recordEvents(on, events, { now: clock.now(), work, ...held })),
    addObservations: timed(record.addObservations),
    addSummaries: timed(record.addSummaries),
    addMessages: timed(record.addMessages),
    completeJobs: timed(queue.completeJobs),
    forget: timed(forget),
    receive: timed(sync.receive),
    keepAccount: (session, account, upTo) =>
      db.write((on) => accounts.keepAccount(on, session, account, { upTo, now: clock.now() })),
    vacuum: () => vacuum(db),
    backup: (file) => backup(exportLines(db, {}, clock.now()), file),
    exportLines: (scope = {}) => exportLines(db, scope, clock.now()),
    importLines: (lines, options = {}) =>
      readImport(lines, options, (batch, totals) =>
        db.write((on) => keepBatch(on, batch, totals, clock.now())),
      ),
    close: () => db.close(),
  };
}
