// What PostgreSQL holds of a person, checks of the index against the rows, and space given back.
import { DAY, defined, isoTime } from "../../../lib/index.ts";
import { optionalText, type Row } from "../../portable/rows.ts";
import type { StoreStats } from "../../upkeep.ts";
import type { Database, Transaction } from "../connection.ts";
import { type TableName, tables } from "../schema.ts";

const SHOWN_DAYS = 30;

const ownRows = "team_id = ? AND person_id = ?";

export async function stats(on: Transaction): Promise<StoreStats> {
  const space = [on.space.team, on.space.person] as const;
  const all = (sql: string) => on.all(sql, ...space);
  const count = (table: TableName) => on.number(`SELECT count(*) FROM ${table} WHERE ${ownRows}`, ...space);
  const [range] = await all(
    `SELECT min(created_at) AS oldest, max(last_activity_at) AS newest FROM sdk_sessions WHERE ${ownRows}`,
  );
  const counted = (rows: readonly Row[]): Record<string, number> =>
    Object.fromEntries(rows.map((row) => [String(row.name), Number(row.amount)]));
  const by = async (table: TableName, column: string) =>
    counted(
      await all(
        `SELECT ${column} AS name, count(*) AS amount FROM ${table} WHERE ${ownRows} GROUP BY 1 ORDER BY ${column} COLLATE "C"`,
      ),
    );
  return {
    counts: {
      sessions: await count("sdk_sessions"),
      events: await count("events"),
      prompts: await count("user_prompts"),
      observations: await count("observations"),
      summaries: await count("session_summaries"),
      messages: await count("messages"),
      jobs: await count("queue"),
    },
    bytes: await tableBytes(on),
    freeBytes: 0,
    projects: projectsOf(await by("sdk_sessions", "project"), await by("events", "project")),
    observationsByType: await by("observations", "type"),
    eventsByKind: await by("events", "kind"),
    days: await days(on),
    ...defined({ oldest: optionalText(range?.oldest), newest: optionalText(range?.newest) }),
  };
}

/** A session that changed its project has events in one where it is not counted. */
const projectsOf = (sessions: Readonly<Record<string, number>>, events: Readonly<Record<string, number>>) =>
  [...new Set([...Object.keys(sessions), ...Object.keys(events)])]
    .map((project) => ({ project, sessions: sessions[project] ?? 0, events: events[project] ?? 0 }))
    .sort((one, other) => other.events - one.events || (one.project < other.project ? -1 : 1));

async function days(on: Transaction): Promise<StoreStats["days"]> {
  const of = async (table: TableName) => {
    const rows = await on.all(
      `SELECT created_at_epoch / ${DAY} AS day, count(*) AS amount FROM ${table} WHERE ${ownRows}
         GROUP BY 1 ORDER BY 1 DESC LIMIT ${SHOWN_DAYS}`,
      on.space.team,
      on.space.person,
    );
    return new Map(rows.map(({ day, amount }) => [Number(day), Number(amount)]));
  };
  const [events, observations] = [await of("events"), await of("observations")];
  return [...new Set([...events.keys(), ...observations.keys()])]
    .sort((a, b) => b - a)
    .slice(0, SHOWN_DAYS)
    .map((day) => ({
      day: isoTime(day * DAY).slice(0, 10),
      events: events.get(day) ?? 0,
      observations: observations.get(day) ?? 0,
    }));
}

/** Of all teams: the server keeps their rows in the same tables. */
const tableBytes = (on: Transaction) =>
  on.number(
    "SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'",
  );

/** Each row that can be found has one entry, and each entry its row and its passages. */
const agreements: readonly { readonly problem: string; readonly sql: string }[] = [
  ...Object.entries({
    observation: "observations",
    summary: "session_summaries",
    prompt: "user_prompts",
    message: "messages",
  }).flatMap(([kind, table]) => [
    {
      problem: `rows of ${table} have no entry in the index`,
      sql: `SELECT count(*) FROM ${table} r WHERE NOT EXISTS
        (SELECT 1 FROM entries e WHERE e.team_id = r.team_id AND e.kind = '${kind}' AND e.ref = r.id)`,
    },
    {
      problem: `entries of the index have no row in ${table}`,
      sql: `SELECT count(*) FROM entries e WHERE e.kind = '${kind}' AND NOT EXISTS
        (SELECT 1 FROM ${table} r WHERE r.team_id = e.team_id AND r.id = e.ref)`,
    },
    {
      problem: `rows of ${table} belong to no session`,
      sql: `SELECT count(*) FROM ${table} r WHERE r.person_id = current_setting('throughline.person') AND NOT EXISTS
        (SELECT 1 FROM sdk_sessions s WHERE s.claude_session_id = r.claude_session_id)`,
    },
  ]),
  {
    problem: "entries of the index have not all their passages",
    sql: `SELECT count(*) FROM entries e WHERE e.parts <>
      (SELECT count(*) FROM passages p WHERE p.team_id = e.team_id AND p.entry = e.id)`,
  },
  {
    problem: "accounts belong to no session",
    sql: `SELECT count(*) FROM accounts a WHERE NOT EXISTS
      (SELECT 1 FROM sdk_sessions s WHERE s.claude_session_id = a.claude_session_id)`,
  },
];

export async function integrityCheck(on: Transaction) {
  const problems: string[] = [];
  for (const { problem, sql } of agreements) {
    const found = await on.number(sql);
    if (found > 0) problems.push(`${found} ${problem}`);
  }
  return { ok: problems.length === 0, problems };
}

export async function vacuum(db: Database) {
  const size = () => db.transaction(tableBytes);
  const before = await size();
  await db.outside(...Object.keys(tables).map((table) => `VACUUM (FULL, ANALYZE) ${table}`));
  return { before, after: await size() };
}
