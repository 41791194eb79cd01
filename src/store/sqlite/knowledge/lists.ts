// Rows as SQLite lists them: by id, in the order of commits, and page by page with a cursor, so that new rows never shift a page.
import type { ObservationType } from "../../../lib/index.ts";
import type { EventRequest, FeedItem } from "../../events.ts";
import type { Page, PageRequest, SessionRequest } from "../../model.ts";
import {
  type Columns,
  checkedLimit,
  cursorParts,
  eventFrom,
  messageFrom,
  observationFrom,
  outlineFrom,
  promptFrom,
  type Row,
  sessionFrom,
  summaryFrom,
} from "../../portable/rows.ts";
import type { Connection } from "../connection.ts";
import { both, type Condition, equals, everything, oneOf, within } from "../upkeep/scope.ts";
import { ofClient, sessionWithOrigin } from "./origins.ts";

/** The columns are fixed per table, so that each table has one statement. */
export function insertionInto(table: string, columns: Columns) {
  const names = Object.keys(columns);
  return `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")}) ON CONFLICT DO NOTHING`;
}

/** Gives whether the row is new. */
export const insertRow = (db: Connection, table: string, columns: Columns) =>
  db.run(insertionInto(table, columns), ...Object.values(columns)) > 0;

/** Columns before the payload, and the time from the index, so that SQLite reads no page of the payload. */
const outlineColumns = `seq, id, kind, claude_session_id, project, prompt_number, agent, cwd, lane,
  octet_length(payload) AS bytes, created_at_epoch, created_at_epoch AS created_at`;

type Listing<T> = ReturnType<typeof listing<T>>;

const listing = <T>(
  table: string,
  from: (row: Row) => T,
  key = "id",
  time = "created_at_epoch",
  columns = "*",
) => ({ table, key, time, from, columns });

const listings = {
  events: listing("events", eventFrom, "seq"),
  sessions: listing("sdk_sessions", sessionFrom, "id", "last_activity_epoch", sessionWithOrigin),
  prompts: listing("user_prompts", promptFrom),
  observations: listing("observations", observationFrom),
  summaries: listing("session_summaries", summaryFrom),
  messages: listing("messages", messageFrom),
};

function page<T>(db: Connection, list: Listing<T>, request: PageRequest, extra: Condition): Page<T> {
  const { table, columns, key, time, from } = list;
  const limit = checkedLimit(request.limit);
  const oldestFirst = request.order === "oldest";
  const direction = oldestFirst ? "ASC" : "DESC";
  const after =
    request.cursor === undefined
      ? everything
      : {
          sql: `(${time}, ${key}) ${oldestFirst ? ">" : "<"} (?, ?)`,
          values: cursorParts(request.cursor, /^(-?\d{1,16})_(\d{1,16})$/),
        };
  const where = both(within(request, time), extra, after);
  const rows = db.all(
    `SELECT ${columns} FROM ${table} WHERE ${where.sql} ORDER BY ${time} ${direction}, ${key} ${direction} LIMIT ?`,
    ...where.values,
    limit + 1,
  );
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const items = rows.slice(0, limit).map(from);
  return last ? { items, next: `${last[time]}_${last[key]}` } : { items };
}

/** Rows of a list, page by page; `chosen` adds conditions of the request. */
const pages =
  <T, R extends PageRequest = PageRequest>(
    list: Listing<T>,
    chosen: (request: R) => Condition = () => everything,
  ) =>
  (db: Connection, request = {} as R) =>
    page(db, list, request, chosen(request));

/** Rows of a list by their ids, in the order of the ids. */
const byId =
  <K extends string | number, T extends { readonly id: K }>(list: Listing<T>) =>
  (db: Connection, ids: readonly T["id"][]) => {
    const rows = db.all(
      `SELECT * FROM ${list.table} WHERE id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(ids),
    );
    const found = new Map(rows.map(list.from).map((item) => [item.id, item]));
    return ids.flatMap((id) => found.get(id) ?? []);
  };

const chosenEvents = ({ kind, lanes }: EventRequest) => both(equals("kind", kind), oneOf("lane", lanes));

/** The methods of the store that return rows as they are. */
export const rowLists = {
  events: pages(listings.events, chosenEvents),
  eventOutlines: pages({ ...listings.events, columns: outlineColumns, from: outlineFrom }, chosenEvents),
  eventsById: byId(listings.events),
  sessions: pages(listings.sessions, ({ status, client }: SessionRequest) =>
    both(equals("status", status), ofClient("claude_session_id", client)),
  ),
  prompts: pages(listings.prompts),
  promptsById: byId(listings.prompts),
  observations: pages(listings.observations, ({ type }: PageRequest & { readonly type?: ObservationType }) =>
    equals("type", type),
  ),
  observationsById: byId(listings.observations),
  summaries: pages(listings.summaries),
  summariesById: byId(listings.summaries),
  messages: pages(listings.messages, ({ role }: PageRequest & { readonly role?: string }) =>
    equals("role", role),
  ),
  messagesById: byId(listings.messages),
};

const LARGEST_FEED = 1_000;

const feedLists: Readonly<Record<string, Listing<FeedItem["row"]>>> = {
  event: listings.events,
  prompt: listings.prompts,
  observation: listings.observations,
  summary: listings.summaries,
};

/** Every new event, prompt, observation and summary after `cursor`, in the order of its commit. */
export function feedSince(db: Connection, cursor: number, limit: number) {
  const most = Math.min(limit, LARGEST_FEED);
  return db.all("SELECT * FROM feed WHERE id > ? ORDER BY id LIMIT ?", cursor, most).flatMap((change) => {
    const { id, kind, ref } = change;
    const list = feedLists[String(kind)];
    const row = list && db.get(`SELECT * FROM ${list.table} WHERE ${list.key} = ?`, Number(ref));
    if (!row) return [];
    const { project, claude_session_id: session } = row;
    return { cursor: Number(id), project, session, kind, row: list?.from(row) } as FeedItem;
  });
}

/** Reads the counter of the table, because its last row may have been forgotten. */
export const feedHead = (db: Connection) => db.number("SELECT seq FROM sqlite_sequence WHERE name = 'feed'");

/** Project by project, each by its index: the table of events may be long. */
export function workFolders(db: Connection) {
  const projects = db.all("SELECT DISTINCT project FROM sdk_sessions ORDER BY project");
  return projects.flatMap((row) => {
    const project = String(row.project);
    const folder = newestFolder(db, project);
    return folder === undefined ? [] : { project, folder };
  });
}

/** Where a machine has worked itself, that folder: one that another machine sent may not be here. */
export function newestFolder(db: Connection, project: string) {
  const newest = (more: string) =>
    db.get(
      `SELECT cwd FROM events WHERE project = ? AND cwd IS NOT NULL ${more}
         ORDER BY created_at_epoch DESC, seq DESC LIMIT 1`,
      project,
    );
  const own = "AND NOT EXISTS (SELECT 1 FROM received WHERE kind = 'event' AND uid = events.id)";
  const row = newest(own) ?? newest("");
  return row && String(row.cwd);
}
