// Overviews: pages of the chronicle, its days, and digests of projects and sessions.
import { DAY, defined, isoTime, MINUTE } from "../../../lib/index.ts";
import type { Page, PageRequest } from "../../model.ts";
import {
  type ChronicleDay,
  type ChronicleFilter,
  type ChronicleKind,
  type ChronicleRow,
  chronicleKinds,
  type ProjectDigest,
  type SessionDigest,
  type TouchedFile,
} from "../../overview.ts";
import { type ChroniclePlace, chroniclePage, chroniclePlaceAt } from "../../portable/chronicle.ts";
import type { Row } from "../../portable/rows.ts";
import { checkedLimit, indexedRowFrom, optionalText, rowReader } from "../../portable/rows.ts";
import type { Connection } from "../connection.ts";
import { indexedTables } from "../schema/schema.ts";
import { both, type Condition, equals, everything, within } from "../upkeep/scope.ts";
import { newestFolder } from "./lists.ts";

/** One kind of rows, and where they are read from in the order of time. */
interface ChronicleSource {
  readonly kind: ChronicleKind;
  readonly from: string;
  readonly where: Condition;
  readonly time: string;
  readonly key: string;
}

/** Observations by a mention; `others` is the condition of a second one. */
function mentionSource(
  filter: ChronicleFilter,
  mention: NonNullable<ReturnType<typeof mentionOf>>,
  others: Condition,
): ChronicleSource {
  const { project, from, to, session, type } = filter;
  const time = "m.created_at_epoch";
  return {
    kind: "observation",
    from: "mentions m CROSS JOIN observations ON observations.id = m.observation",
    where: both(
      mention.condition("m"),
      equals("m.project", project),
      within(defined({ from, to }), time),
      equals("observations.claude_session_id", session),
      equals("observations.type", type),
      others,
    ),
    time,
    key: "m.observation",
  };
}

/** Reads the table of mentions for a file or a concept; with both, the second is checked for each row. */
function observationSource(filter: ChronicleFilter): ChronicleSource {
  const table = indexedTables.observation;
  const [first, second] = [mentionOf("file", filter.file), mentionOf("concept", filter.concept)].filter(
    (mention) => mention !== undefined,
  );
  if (first) return mentionSource(filter, first, second?.isOf(table) ?? everything);
  const where = both(within(filter), equals("type", filter.type));
  return { kind: "observation", from: table, where, time: "created_at_epoch", key: "id" };
}

function sourcesOf(filter: ChronicleFilter): ChronicleSource[] {
  const { type, file, concept, kinds = chronicleKinds } = filter;
  const isAboutObservations = [type, file, concept].some((given) => given !== undefined);
  return chronicleKinds
    .filter((kind) => kinds.includes(kind) && (kind === "observation" || !isAboutObservations))
    .map((kind) =>
      kind === "observation"
        ? observationSource(filter)
        : { kind, from: indexedTables[kind], where: within(filter), time: "created_at_epoch", key: "id" },
    );
}

function behind(
  { kind, time, key }: ChronicleSource,
  [at, rank, id]: ChroniclePlace,
  oldestFirst: boolean,
): Condition {
  const own = chronicleKinds.indexOf(kind);
  const beyond = oldestFirst ? ">" : "<";
  if (own === rank) return { sql: `(${time}, ${key}) ${beyond} (?, ?)`, values: [at, id] };
  // Among rows of one instant the kinds have an order too.
  const isAfter = oldestFirst ? own > rank : own < rank;
  return { sql: `${time} ${beyond}${isAfter ? "=" : ""} ?`, values: [at] };
}

function rowsFrom(
  db: Connection,
  source: ChronicleSource,
  after: Condition,
  oldestFirst: boolean,
  limit: number,
) {
  const { from, time, key } = source;
  const direction = oldestFirst ? "ASC" : "DESC";
  const where = both(source.where, after);
  const table = indexedTables[source.kind];
  // A row that mentions two files of one name comes twice: `DISTINCT` on the order it is read in costs no sorting.
  const rows = db.all(
    `SELECT ${from === table ? "" : "DISTINCT"} ${table}.* FROM ${from} WHERE ${where.sql}
         ORDER BY ${time} ${direction}, ${key} ${direction} LIMIT ?`,
    ...where.values,
    limit,
  );
  return rows.map((row) => indexedRowFrom(source.kind, row));
}

/** Reads a full page of every kind in its own order, and merges them to one page. */
export function chronicle(db: Connection, request: PageRequest & ChronicleFilter = {}): Page<ChronicleRow> {
  const limit = checkedLimit(request.limit);
  const oldestFirst = request.order === "oldest";
  const place = chroniclePlaceAt(request.cursor);
  const found = sourcesOf(request).flatMap((source) => {
    const after = place ? behind(source, place, oldestFirst) : everything;
    return rowsFrom(db, source, after, oldestFirst, limit + 1);
  });
  return chroniclePage(found, limit, oldestFirst);
}

/** Some drivers hand every number over as a fraction; a day is a whole number. */
const EAST = "CAST(?1 AS INTEGER)";

/**
 * From the newest day to the next older one that has a row, each counted by its range of the index: grouping all rows
 * by a day that has to be computed would sort them all.
 */
function daysOf({ from, where, time, key }: ChronicleSource) {
  const dayBefore = (limit: string) => `SELECT (${time} + ${EAST}) / ${DAY} FROM ${from}
    WHERE (${where.sql}) ${limit} ORDER BY ${time} DESC LIMIT 1`;
  const amount = from.includes("mentions") ? `count(DISTINCT ${key})` : "count(*)";
  return `WITH RECURSIVE days(day) AS (
      SELECT * FROM (${dayBefore("")})
      UNION ALL
      SELECT (${dayBefore(`AND ${time} < days.day * ${DAY} - ${EAST}`)}) FROM days WHERE days.day IS NOT NULL)
    SELECT day, (SELECT ${amount} FROM ${from} WHERE (${where.sql})
      AND ${time} >= day * ${DAY} - ${EAST} AND ${time} < (day + 1) * ${DAY} - ${EAST}) AS amount
    FROM days WHERE day IS NOT NULL`;
}

export function chronicleDays(db: Connection, filter: ChronicleFilter = {}, eastMinutes = 0): ChronicleDay[] {
  const days = new Map<number, number>();
  for (const source of sourcesOf(filter)) {
    // The condition occurs three times in the statement.
    const { values } = source.where;
    const all = [...values, ...values, ...values];
    for (const { day, amount } of db.all(daysOf(source), eastMinutes * MINUTE, ...all))
      days.set(Number(day), (days.get(Number(day)) ?? 0) + Number(amount));
  }
  return [...days]
    .sort(([one], [other]) => other - one)
    .map(([day, rows]) => ({ day: new Date(day * DAY).toISOString().slice(0, 10), rows }));
}

export function projectDigests(db: Connection): ProjectDigest[] {
  return db
    .all(`SELECT project, count(*) AS sessions, max(last_activity_epoch) AS last,
         (SELECT coalesce(sum(amount), 0) FROM tallies
            WHERE what = 'observation' AND tallies.project = sdk_sessions.project) AS observations
       FROM sdk_sessions GROUP BY project ORDER BY last DESC, project`)
    .map((row) => ({
      project: String(row.project),
      sessions: Number(row.sessions),
      observations: Number(row.observations),
      lastActivityAt: isoTime(Number(row.last)),
      ...defined({ folder: newestFolder(db, String(row.project)) }),
    }));
}

const SHOWN_PROMPT = 500;

const digestFrom: (row: Row) => SessionDigest = rowReader({
  session: String,
  observations: Number,
  summaries: Number,
  firstPrompt: optionalText,
});

export function sessionDigests(db: Connection, sessions: readonly string[]) {
  const of = db.prepare(
    `SELECT claude_session_id,
       (SELECT substr(prompt_text, 1, ${SHOWN_PROMPT}) FROM user_prompts WHERE claude_session_id = ?1
          ORDER BY created_at_epoch, id LIMIT 1) AS first_prompt,
       (SELECT count(*) FROM observations WHERE claude_session_id = ?1) AS observations,
       (SELECT count(*) FROM session_summaries WHERE claude_session_id = ?1) AS summaries
     FROM sdk_sessions WHERE claude_session_id = ?1`,
  );
  return sessions.flatMap((session) => {
    const row = of.get(session);
    return row ? digestFrom(row) : [];
  });
}

export function touchedFiles(db: Connection, session: string): TouchedFile[] {
  return db
    .all(
      `SELECT path, sum(was_read) AS reads, sum(was_changed) AS changes FROM (
         SELECT value AS path, 1 AS was_read, 0 AS was_changed
           FROM observations, json_each(files_read) WHERE claude_session_id = ?1
         UNION ALL SELECT value, 0, 1 FROM observations, json_each(files_modified) WHERE claude_session_id = ?1)
       GROUP BY path ORDER BY changes DESC, reads DESC, path`,
      session,
    )
    .map(rowReader({ path: String, reads: Number, changes: Number }));
}

export function lanesOf(db: Connection, session: string) {
  return db
    .all("SELECT DISTINCT lane FROM events WHERE claude_session_id = ? ORDER BY lane", session)
    .map(({ lane }) => String(lane));
}

export const escaped = (text: string) => text.replace(/[\\%_]/g, "\\$&");

function matching(kind: "file" | "concept", text: string): (table: string) => Condition {
  if (kind === "concept")
    return (table) => ({ sql: `${table}.kind = 'concept' AND ${table}.tail = lower(?)`, values: [text] });
  const path = text.replace(/^\.?\//, "");
  const tail = path.slice(path.lastIndexOf("/") + 1);
  return (table) => ({
    sql: `${table}.kind = 'file' AND ${table}.tail = lower(?)
      AND (${table}.name IN (?, ?) OR ${table}.name LIKE ? ESCAPE '\\')`,
    values: [tail, text, path, `%/${escaped(path)}`],
  });
}

export function mentionOf(kind: "file" | "concept", text: string | undefined) {
  if (text === undefined) return undefined;
  const condition = matching(kind, text);
  return {
    /** True for the mentions themselves, in a table of that name. */
    condition,
    /** True for observations in a table of that name that have such a mention. */
    isOf(table: string, key = "id") {
      const { sql, values } = condition("one");
      return {
        sql: `EXISTS (SELECT 1 FROM mentions one WHERE one.created_at_epoch = ${table}.created_at_epoch
          AND one.observation = ${table}.${key} AND ${sql})`,
        values,
      };
    },
  };
}
