// The state of the database: numbers, integrity, free space given back.
import { statSync } from "node:fs";
import type { Counts, IntegrityReport, StoreStats } from "../model.ts";
import { type Connection, explained, numberFrom } from "./connection.ts";
import type { Row } from "./driver.ts";
import { emptyJournal } from "./forget.ts";
import { fullTextTables } from "./indexSchema.ts";

const SHOWN_DAYS = 30;

export function fileBytes(file: string): number {
  const size = (name: string): number => statSync(name, { throwIfNoEntry: false })?.size ?? 0;
  return size(file) + size(`${file}-wal`);
}

function counts(db: Connection): Counts {
  const of = (table: string): number => numberFrom(db.prepare(`SELECT count(*) FROM ${table}`).get());
  return {
    sessions: of("sdk_sessions"),
    events: of("events"),
    prompts: of("user_prompts"),
    observations: of("observations"),
    summaries: of("session_summaries"),
    messages: of("messages"),
    jobs: of("queue"),
  };
}

function tally(rows: readonly Row[]): Record<string, number> {
  return Object.fromEntries(rows.map(({ name, amount }) => [String(name), Number(amount)]));
}

export function stats(db: Connection): StoreStats {
  const pragma = (name: string): number => numberFrom(db.prepare(`PRAGMA ${name}`).get());
  const range = db
    .prepare("SELECT min(created_at) AS oldest, max(last_activity_at) AS newest FROM sdk_sessions")
    .get();
  return {
    counts: counts(db),
    bytes: fileBytes(db.file),
    freeBytes: pragma("freelist_count") * pragma("page_size"),
    projects: projects(db),
    observationsByType: tally(
      db.prepare("SELECT type AS name, count(*) AS amount FROM observations GROUP BY 1 ORDER BY 1").all(),
    ),
    eventsByKind: tally(
      db.prepare("SELECT kind AS name, count(*) AS amount FROM events GROUP BY 1 ORDER BY 1").all(),
    ),
    days: days(db),
    ...(typeof range?.oldest === "string" ? { oldest: range.oldest } : {}),
    ...(typeof range?.newest === "string" ? { newest: range.newest } : {}),
  };
}

function projects(db: Connection): StoreStats["projects"] {
  return db
    .prepare(
      `SELECT project, sum(sessions) AS sessions, sum(events) AS events FROM (
         SELECT project, count(*) AS sessions, 0 AS events FROM sdk_sessions GROUP BY project
         UNION ALL SELECT project, 0, count(*) FROM events GROUP BY project)
       GROUP BY project ORDER BY events DESC, project`,
    )
    .all()
    .map((row) => ({
      project: String(row.project),
      sessions: Number(row.sessions),
      events: Number(row.events),
    }));
}

function days(db: Connection): StoreStats["days"] {
  return db
    .prepare(
      `SELECT day, sum(events) AS events, sum(observations) AS observations FROM (
         SELECT date(created_at_epoch / 1000, 'unixepoch') AS day, count(*) AS events, 0 AS observations
         FROM events GROUP BY 1
         UNION ALL SELECT date(created_at_epoch / 1000, 'unixepoch'), 0, count(*) FROM observations GROUP BY 1)
       GROUP BY day ORDER BY day DESC LIMIT ${SHOWN_DAYS}`,
    )
    .all()
    .map((row) => ({
      day: String(row.day),
      events: Number(row.events),
      observations: Number(row.observations),
    }));
}

const MOST_PROBLEMS = 100;

/** Pages, indexes, references and the full-text indexes against their tables. */
export function integrityCheck(db: Connection): IntegrityReport {
  const pages = db.prepare(`PRAGMA integrity_check(${MOST_PROBLEMS})`).all();
  const problems = pages.map((row) => String(Object.values(row)[0])).filter((line) => line !== "ok");
  for (const row of db.prepare("PRAGMA foreign_key_check").all()) {
    problems.push(`a row of ${row.table} belongs to no ${row.parent}`);
  }
  for (const table of fullTextTables) {
    const problem = indexProblem(db, table);
    if (problem !== undefined) problems.push(problem);
  }
  return { ok: problems.length === 0, problems: problems.slice(0, MOST_PROBLEMS) };
}

function indexProblem(db: Connection, table: string): string | undefined {
  try {
    db.exec(`INSERT INTO ${table}(${table}, rank) VALUES ('integrity-check', 1)`);
    return undefined;
  } catch {
    return `${table} does not agree with its table`;
  }
}

/** The copy that a vacuum builds may be as large as the database, so it is not built in memory. */
export function vacuum(db: Connection): { before: number; after: number } {
  const before = fileBytes(db.file);
  explained(db.file, () => {
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
