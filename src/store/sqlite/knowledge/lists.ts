// Pages of rows: a cursor says where the last one ended, so that new rows never shift a page.
import { type ObservationType, ThroughlineError } from "../../../lib/index.ts";
import type { EventRequest } from "../../events.ts";
import type { Page, PageRequest, SessionStatus } from "../../model.ts";
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
  const rows = db.all(
    `SELECT ${columns} FROM ${table} WHERE ${where.sql} ORDER BY ${time} ${direction}, ${key} ${direction} LIMIT ?`,
    ...where.values,
    limit + 1,
  );
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

/** Rows of a list, page by page; `chosen` adds conditions of the request. */
const pages =
  <T, R extends PageRequest = PageRequest>(
    list: Listing<T>,
    chosen: (request: R) => Condition = () => everything,
  ) =>
  (db: Connection, request = {} as R): Page<T> =>
    page(db, list, request, chosen(request));

/** Rows of a list by their ids, in the order of the ids. */
const byId =
  <K extends string | number, T extends { readonly id: K }>(list: Listing<T>) =>
  (db: Connection, ids: readonly T["id"][]): T[] => {
    const rows = db.all(
      `SELECT * FROM ${list.table} WHERE id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(ids),
    );
    const found = new Map(rows.map(list.from).map((item) => [item.id, item]));
    return ids.flatMap((id) => found.get(id) ?? []);
  };

const chosenEvents = ({ kind, lanes }: EventRequest): Condition =>
  both(equals("kind", kind), oneOf("lane", lanes));

/** The methods of the store that return rows as they are. */
export const rowLists = {
  events: pages(lists.events, chosenEvents),
  eventOutlines: pages({ ...lists.events, columns: outlineColumns, from: outlineFrom }, chosenEvents),
  eventsById: byId(lists.events),
  sessions: pages(lists.sessions, ({ status }: PageRequest & { readonly status?: SessionStatus }) =>
    equals("status", status),
  ),
  prompts: pages(lists.prompts),
  promptsById: byId(lists.prompts),
  observations: pages(lists.observations, ({ type }: PageRequest & { readonly type?: ObservationType }) =>
    equals("type", type),
  ),
  observationsById: byId(lists.observations),
  summaries: pages(lists.summaries),
  summariesById: byId(lists.summaries),
  messages: pages(lists.messages, ({ role }: PageRequest & { readonly role?: string }) =>
    equals("role", role),
  ),
  messagesById: byId(lists.messages),
};

/** Project by project, each by its index: the table of events may be long. */
export function workFolders(db: Connection): { project: string; folder: string }[] {
  const projects = db.all("SELECT DISTINCT project FROM sdk_sessions ORDER BY project");
  return projects.flatMap((row) => {
    const project = String(row.project);
    const folder = newestFolder(db, project);
    return folder === undefined ? [] : { project, folder };
  });
}

export function newestFolder(db: Connection, project: string): string | undefined {
  const row = db.get(
    `SELECT cwd FROM events WHERE project = ? AND cwd IS NOT NULL
         ORDER BY created_at_epoch DESC, seq DESC LIMIT 1`,
    project,
  );
  return row === undefined ? undefined : String(row.cwd);
}
