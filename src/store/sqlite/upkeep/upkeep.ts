// The state of the database: numbers, integrity, free space given back.
import { defined, fileSize } from "../../../lib/index.ts";
import { optionalText, rowReader } from "../../portable/rows.ts";
import type { FileReport, IntegrityReport, StoreStats } from "../../upkeep.ts";
import { countRows } from "../backup/held.ts";
import { type Connection, connect, withConnection, withDatabaseFile } from "../connection.ts";
import { classifyErrors, isFailure } from "../failures.ts";
import { fullTextTables } from "../schema/schema.ts";
import { emptyJournal } from "./forget.ts";

const SHOWN_DAYS = 30;

function fileBytes(file: string) {
  return fileSize(file) + fileSize(`${file}-wal`);
}

const tallyFrom = rowReader({ what: String, project: String, sort: String, amount: Number });

type TallyRow = ReturnType<typeof tallyFrom>;

function summedTallies(rows: readonly TallyRow[], key: "sort" | "project") {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(row[key], (sums.get(row[key]) ?? 0) + row.amount);
  return new Map([...sums].sort(([one], [other]) => (one < other ? -1 : 1)));
}

export function stats(db: Connection): StoreStats {
  const range = db.get("SELECT min(created_at) AS oldest, max(last_activity_at) AS newest FROM sdk_sessions");
  const all = db.all("SELECT * FROM tallies").map(tallyFrom);
  const of = (what: string) => all.filter((tally) => tally.what === what);
  const projects = projectsWith(db, summedTallies(of("event"), "project"));
  return {
    counts: { ...countRows(db), jobs: db.number("SELECT count(*) FROM queue") },
    bytes: fileBytes(db.file),
    freeBytes: db.pragma("freelist_count") * db.pragma("page_size"),
    projects,
    observationsByType: Object.fromEntries(summedTallies(of("observation"), "sort")),
    eventsByKind: Object.fromEntries(summedTallies(of("event"), "sort")),
    days: days(db),
    ...defined({ oldest: optionalText(range?.oldest), newest: optionalText(range?.newest) }),
  };
}

/** A session that changed its project has events in one where it is not counted. */
function projectsWith(db: Connection, events: ReadonlyMap<string, number>): StoreStats["projects"] {
  const rows = db.all("SELECT project, count(*) AS sessions FROM sdk_sessions GROUP BY project");
  const sessions = new Map(rows.map((row) => [String(row.project), Number(row.sessions)]));
  return [...new Set([...sessions.keys(), ...events.keys()])]
    .map((project) => ({
      project,
      sessions: sessions.get(project) ?? 0,
      events: events.get(project) ?? 0,
    }))
    .sort((one, other) => other.events - one.events || (one.project < other.project ? -1 : 1));
}

function days(db: Connection): StoreStats["days"] {
  return db
    .all(`SELECT date(day * 86400, 'unixepoch') AS day,
         sum(CASE what WHEN 'event' THEN amount ELSE 0 END) AS events,
         sum(CASE what WHEN 'observation' THEN amount ELSE 0 END) AS observations
       FROM daily_tallies WHERE what IN ('event', 'observation') GROUP BY daily_tallies.day ORDER BY daily_tallies.day DESC LIMIT ${SHOWN_DAYS}`)
    .map(rowReader({ day: String, events: Number, observations: Number }));
}

const REPORTED_PROBLEMS = 100;

/** Pages, indexes, references and the full-text indexes against their tables. */
export function integrityCheck(db: Connection): IntegrityReport {
  const problems = [
    ...integrityProblems(db),
    ...db
      .all("PRAGMA foreign_key_check")
      .map(({ table, parent }) => `a row of ${table} belongs to no ${parent}`),
    ...fullTextTables.flatMap((table) => indexProblem(db, table) ?? []),
  ];
  return { ok: problems.length === 0, problems: problems.slice(0, REPORTED_PROBLEMS) };
}

/**
 * Reads the file through without taking a lock that a writer would wait for. If its pages are sound, compares each full-text
 * index with its table: SQLite's own check does not, and a flipped bit in a text is nothing else to it. An index that differs is
 * made anew, one in each transaction.
 */
export async function checkFile(file: string): Promise<FileReport> {
  try {
    const problems = await withDatabaseFile(file, (db) => integrityProblems(db, 1));
    if (problems.length > 0) return { ok: false, problems, rebuilt: [] };
    return { ok: true, problems, rebuilt: await withConnection(connect(file), rebuildIndexes) };
  } catch (error) {
    if (!isFailure(error, "database-damaged")) throw error;
    return { ok: false, problems: [error.message], rebuilt: [] };
  }
}

function rebuildIndexes(db: Connection) {
  return fullTextTables.filter((table) => {
    if (indexProblem(db, table) === undefined) return false;
    db.exec(`INSERT INTO ${table}(${table}) VALUES ('rebuild')`);
    return true;
  });
}

function integrityProblems(db: Connection, most = REPORTED_PROBLEMS) {
  const lines = db.all(`PRAGMA integrity_check(${most})`);
  return lines.map((row) => String(Object.values(row)[0])).filter((line) => line !== "ok");
}

/** Throws on a full disk, a lock or a missing permission: those are no problem of the index. */
function indexProblem(db: Connection, table: string) {
  try {
    classifyErrors(db.file, () =>
      db.exec(`INSERT INTO ${table}(${table}, rank) VALUES ('integrity-check', 1)`),
    );
    return undefined;
  } catch (error) {
    if (!isFailure(error, "database-damaged")) throw error;
    return `${table} does not agree with its table`;
  }
}

/** The copy that a vacuum builds may be as large as the database, so it is not built in memory. */
export function vacuum(db: Connection) {
  const before = fileBytes(db.file);
  classifyErrors(db.file, () => {
    db.exec("PRAGMA temp_store = FILE");
    try {
      db.exec("VACUUM");
    } finally {
      db.exec("PRAGMA temp_store = MEMORY");
    }
    emptyJournal(db);
  });
  return { before, after: fileBytes(db.file) };
}
