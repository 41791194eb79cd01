// Overviews in PostgreSQL: pages of the chronicle, its days, and digests of projects and sessions.
import { DAY, defined, isoTime, MINUTE } from "../../lib/index.ts";
import type { Page, PageRequest } from "../model.ts";
import {
  type ChronicleDay,
  type ChronicleFilter,
  type ChronicleKind,
  type ChronicleRow,
  chronicleKinds,
  type ProjectDigest,
  type SessionDigest,
  type TouchedFile,
} from "../overview.ts";
import { type ChroniclePlace, chroniclePage, chroniclePlaceAt } from "../portable/chronicle.ts";
import { checkedLimit, indexedRowFrom, list, optionalText, type Row, rowReader } from "../portable/rows.ts";
import type { Transaction } from "./connection.ts";
import { workFolders } from "./lists.ts";
import { both, type Condition, equals, everything, within } from "./scope.ts";

const chronicleTables = {
  prompt: "user_prompts",
  observation: "observations",
  summary: "session_summaries",
} as const satisfies Readonly<Record<ChronicleKind, string>>;

function conditionOf(on: Transaction, kind: ChronicleKind, filter: ChronicleFilter): Condition {
  const mentions = [mentionOf("file", filter.file), mentionOf("concept", filter.concept)];
  return both(
    equals("team_id", on.space.team),
    within(filter),
    equals("type", kind === "observation" ? filter.type : undefined),
    ...mentions.map((mention) => mention?.isOf("observations") ?? everything),
  );
}

/** Conditions on observations leave out everything else. */
function kindsOf({ type, file, concept, kinds = chronicleKinds }: ChronicleFilter) {
  const isAboutObservations = [type, file, concept].some((given) => given !== undefined);
  return chronicleKinds.filter(
    (kind) => kinds.includes(kind) && (kind === "observation" || !isAboutObservations),
  );
}

function behind(kind: ChronicleKind, [at, rank, id]: ChroniclePlace, oldestFirst: boolean): Condition {
  const own = chronicleKinds.indexOf(kind);
  const beyond = oldestFirst ? ">" : "<";
  if (own === rank) return { sql: `(created_at_epoch, id) ${beyond} (?, ?)`, values: [at, id] };
  // Among rows of one instant the kinds have an order too.
  const isAfter = oldestFirst ? own > rank : own < rank;
  return { sql: `created_at_epoch ${beyond}${isAfter ? "=" : ""} ?`, values: [at] };
}

/** Reads a full page of every kind in its own order, and merges them to one page. */
export async function chronicle(
  on: Transaction,
  request: PageRequest & ChronicleFilter = {},
): Promise<Page<ChronicleRow>> {
  const limit = checkedLimit(request.limit);
  const oldestFirst = request.order === "oldest";
  const direction = oldestFirst ? "ASC" : "DESC";
  const place = chroniclePlaceAt(request.cursor);
  const found: ChronicleRow[] = [];
  for (const kind of kindsOf(request)) {
    const after = place === undefined ? everything : behind(kind, place, oldestFirst);
    const where = both(conditionOf(on, kind, request), after);
    const rows = await on.all(
      `SELECT * FROM ${chronicleTables[kind]} WHERE ${where.sql}
         ORDER BY created_at_epoch ${direction}, id ${direction} LIMIT ?`,
      ...where.values,
      limit + 1,
    );
    found.push(...rows.map((row) => indexedRowFrom(kind, row)));
  }
  return chroniclePage(found, limit, oldestFirst);
}

export async function chronicleDays(
  on: Transaction,
  filter: ChronicleFilter = {},
  eastMinutes = 0,
): Promise<ChronicleDay[]> {
  const days = new Map<number, number>();
  for (const kind of kindsOf(filter)) {
    const where = conditionOf(on, kind, filter);
    const rows = await on.all(
      `SELECT floor((created_at_epoch + ?::bigint) / ${DAY}::numeric) AS day, count(*) AS amount
         FROM ${chronicleTables[kind]} WHERE ${where.sql} GROUP BY 1`,
      eastMinutes * MINUTE,
      ...where.values,
    );
    for (const { day, amount } of rows) days.set(Number(day), (days.get(Number(day)) ?? 0) + Number(amount));
  }
  return [...days]
    .sort(([one], [other]) => other - one)
    .map(([day, rows]) => ({ day: isoTime(day * DAY).slice(0, 10), rows }));
}

export async function projectDigests(on: Transaction): Promise<ProjectDigest[]> {
  const folders = new Map((await workFolders(on)).map(({ project, folder }) => [project, folder]));
  const rows = await on.all(
    `SELECT s.project, count(*) AS sessions, max(last_activity_epoch) AS last,
         (SELECT count(*) FROM observations o WHERE o.team_id = ? AND o.project = s.project) AS observations
       FROM sdk_sessions s GROUP BY s.project ORDER BY last DESC, s.project`,
    on.space.team,
  );
  return rows.map((row) => ({
    project: String(row.project),
    sessions: Number(row.sessions),
    observations: Number(row.observations),
    lastActivityAt: isoTime(Number(row.last)),
    ...defined({ folder: folders.get(String(row.project)) }),
  }));
}

const SHOWN_PROMPT = 500;

const digestFrom: (row: Row) => SessionDigest = rowReader({
  session: String,
  observations: Number,
  summaries: Number,
  firstPrompt: optionalText,
});

export async function sessionDigests(on: Transaction, sessions: readonly string[]) {
  const rows = await on.all(
    `SELECT s.claude_session_id,
       (SELECT left(prompt_text, ${SHOWN_PROMPT}) FROM user_prompts p WHERE p.claude_session_id = s.claude_session_id
          AND p.team_id = s.team_id ORDER BY created_at_epoch, id LIMIT 1) AS first_prompt,
       (SELECT count(*) FROM observations o
          WHERE o.team_id = s.team_id AND o.claude_session_id = s.claude_session_id) AS observations,
       (SELECT count(*) FROM session_summaries u
          WHERE u.team_id = s.team_id AND u.claude_session_id = s.claude_session_id) AS summaries
     FROM sdk_sessions s JOIN unnest(?::text[]) WITH ORDINALITY AS given(session, place)
       ON s.claude_session_id = given.session ORDER BY given.place`,
    sessions,
  );
  return rows.map(digestFrom);
}

export async function touchedFiles(on: Transaction, session: string): Promise<TouchedFile[]> {
  const rows = await on.all(
    "SELECT files_read, files_modified FROM observations WHERE team_id = ? AND claude_session_id = ?",
    on.space.team,
    session,
  );
  const files = new Map<string, { reads: number; changes: number }>();
  const count = (paths: readonly string[] | undefined, what: "reads" | "changes") => {
    for (const path of paths ?? []) {
      const file = files.get(path) ?? { reads: 0, changes: 0 };
      file[what] += 1;
      files.set(path, file);
    }
  };
  for (const row of rows) {
    count(list(row.files_read), "reads");
    count(list(row.files_modified), "changes");
  }
  return [...files]
    .map(([path, counts]) => ({ path, ...counts }))
    .sort((a, b) => b.changes - a.changes || b.reads - a.reads || (a.path < b.path ? -1 : 1));
}

export async function lanesOf(on: Transaction, session: string) {
  const rows = await on.all(
    "SELECT DISTINCT lane FROM events WHERE claude_session_id = ? ORDER BY lane",
    session,
  );
  return rows.map(({ lane }) => String(lane));
}

export const escaped = (text: string) => text.replace(/[\\%_]/g, "\\$&");

function matching(kind: "file" | "concept", text: string): Condition {
  if (kind === "concept") return { sql: "one.kind = 'concept' AND one.tail = lower(?)", values: [text] };
  const path = text.replace(/^\.?\//, "");
  const tail = path.slice(path.lastIndexOf("/") + 1);
  return {
    sql: "one.kind = 'file' AND one.tail = lower(?) AND (one.name IN (?, ?) OR one.name LIKE ?)",
    values: [tail, text, path, `%/${escaped(path)}`],
  };
}

export function mentionOf(kind: "file" | "concept", text: string | undefined) {
  if (text === undefined) return undefined;
  const { sql, values } = matching(kind, text);
  return {
    /** True for observations in a table of that name that have such a mention. */
    isOf: (table: string, key = "id"): Condition => ({
      sql: `EXISTS (SELECT 1 FROM mentions one WHERE one.team_id = ${table}.team_id
        AND one.observation = ${table}.${key} AND ${sql})`,
      values,
    }),
  };
}
