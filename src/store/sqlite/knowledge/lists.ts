// Pages of rows: a cursor says where the last one ended, so that new rows never shift a page.
import { ThroughlineError } from "../../../lib/index.ts";
import type { EventOutline, StoredEvent } from "../../eventModel.ts";
import type {
  EventRequest,
  Message,
  Observation,
  Page,
  PageRequest,
  Session,
  Summary,
  UserPrompt,
} from "../../model.ts";
import type { Connection } from "../connection.ts";
import type { Row, Value } from "../driver.ts";
import { both, type Condition, equals, everything, oneOf, within } from "../upkeep/scope.ts";
import {
  eventFrom,
  messageFrom,
  observationFrom,
  outlineColumns,
  outlineFrom,
  promptFrom,
  sessionFrom,
  summaryFrom,
} from "./rows.ts";

const DEFAULT_LIMIT = 50;
const LARGEST_LIMIT = 500;

interface Listing<T> {
  readonly table: string;
  readonly key: string;
  readonly time: string;
  readonly from: (row: Row) => T;
  readonly columns: string;
}

const listing = <T>(
  table: string,
  from: (row: Row) => T,
  key = "id",
  time = "created_at_epoch",
): Listing<T> => ({ table, key, time, from, columns: "*" });

const lists = {
  events: listing("events", eventFrom, "seq"),
  sessions: listing("sdk_sessions", sessionFrom, "id", "last_activity_epoch"),
  prompts: listing("user_prompts", promptFrom),
  observations: listing("observations", observationFrom),
  summaries: listing("session_summaries", summaryFrom),
  messages: listing("messages", messageFrom),
};

type Request<T = object> = PageRequest & T;

const chosenEvents = ({ kind, lanes }: EventRequest): Condition =>
  both(equals("kind", kind), oneOf("lane", lanes));

export const eventPage = (db: Connection, request: EventRequest): Page<StoredEvent> =>
  page(db, lists.events, request, chosenEvents(request));

export const outlinePage = (db: Connection, request: EventRequest): Page<EventOutline> =>
  page(db, { ...lists.events, columns: outlineColumns, from: outlineFrom }, request, chosenEvents(request));

export const sessionPage = (db: Connection, request: Request<{ status?: string }>): Page<Session> =>
  page(db, lists.sessions, request, equals("status", request.status));

export const promptPage = (db: Connection, request: Request): Page<UserPrompt> =>
  page(db, lists.prompts, request, everything);

export const observationPage = (db: Connection, request: Request<{ type?: string }>): Page<Observation> =>
  page(db, lists.observations, request, equals("type", request.type));

export const summaryPage = (db: Connection, request: Request): Page<Summary> =>
  page(db, lists.summaries, request, everything);

export const messagePage = (db: Connection, request: Request<{ role?: string }>): Page<Message> =>
  page(db, lists.messages, request, equals("role", request.role));

function page<T>(db: Connection, list: Listing<T>, request: PageRequest, extra: Condition): Page<T> {
  const { table, columns, key, time, from } = list;
  const limit = checkedLimit(request.limit);
  const oldestFirst = request.order === "oldest";
  const direction = oldestFirst ? "ASC" : "DESC";
  const after =
    request.cursor === undefined
      ? everything
      : { sql: `(${time}, ${key}) ${oldestFirst ? ">" : "<"} (?, ?)`, values: cursorValues(request.cursor) };
  const where = both(within(request, time), extra, after);
  const rows = db
    .prepare(
      `SELECT ${columns} FROM ${table} WHERE ${where.sql} ORDER BY ${time} ${direction}, ${key} ${direction} LIMIT ?`,
    )
    .all(...where.values, limit + 1);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const items = rows.slice(0, limit).map(from);
  return last === undefined ? { items } : { items, next: `${last[time]}_${last[key]}` };
}

export function checkedLimit(limit = DEFAULT_LIMIT): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= LARGEST_LIMIT) return limit;
  throw new ThroughlineError("usage", `a page holds 1 to ${LARGEST_LIMIT} rows, not ${limit}`);
}

function cursorValues(cursor: string): Value[] {
  const parts = /^(-?\d{1,16})_(\d{1,16})$/.exec(cursor);
  if (parts !== null) return [Number(parts[1]), Number(parts[2])];
  throw new ThroughlineError("usage", `${JSON.stringify(cursor)} is not a cursor of an earlier page`, {
    fix: "take `next` of the page before, or start without a cursor",
  });
}

/** In the order of the ids. */
function byIds<T, K extends string | number>(
  db: Connection,
  list: Listing<T>,
  column: string,
  ids: readonly K[],
  idOf: (item: T) => K,
): T[] {
  const found = new Map<K, T>();
  const rows = db
    .prepare(`SELECT * FROM ${list.table} WHERE ${column} IN (SELECT value FROM json_each(?))`)
    .all(JSON.stringify(ids));
  for (const item of rows.map(list.from)) found.set(idOf(item), item);
  return ids.flatMap((id) => found.get(id) ?? []);
}

export const eventsById = (db: Connection, ids: readonly string[]): StoredEvent[] =>
  byIds(db, lists.events, "id", ids, ({ id }) => id);

export const observationsById = (db: Connection, ids: readonly number[]): Observation[] =>
  byIds(db, lists.observations, "id", ids, ({ id }) => id);

export const summariesById = (db: Connection, ids: readonly number[]): Summary[] =>
  byIds(db, lists.summaries, "id", ids, ({ id }) => id);

export const promptsById = (db: Connection, ids: readonly number[]): UserPrompt[] =>
  byIds(db, lists.prompts, "id", ids, ({ id }) => id);

export const messagesById = (db: Connection, ids: readonly number[]): Message[] =>
  byIds(db, lists.messages, "id", ids, ({ id }) => id);

/** Project by project, each by its index: the table of events may be long. */
export function workFolders(db: Connection): { project: string; folder: string }[] {
  const projects = db.prepare("SELECT DISTINCT project FROM sdk_sessions ORDER BY project").all();
  return projects.flatMap((row) => {
    const project = String(row.project);
    const folder = newestFolder(db, project);
    return folder === undefined ? [] : { project, folder };
  });
}

export function newestFolder(db: Connection, project: string): string | undefined {
  const row = db
    .prepare(
      `SELECT cwd FROM events WHERE project = ? AND cwd IS NOT NULL
         ORDER BY created_at_epoch DESC, seq DESC LIMIT 1`,
    )
    .get(project);
  return row === undefined ? undefined : String(row.cwd);
}
