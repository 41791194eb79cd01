// Rows as PostgreSQL lists them: by id, in the order of commits, and page by page with a cursor, so that new rows never shift a page.
import type { ObservationType } from "../../lib/index.ts";
import type { EventRequest, FeedItem } from "../events.ts";
import type { Page, PageRequest, SessionRequest } from "../model.ts";
import {
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
} from "../portable/rows.ts";
import type { Transaction } from "./connection.ts";
import { ofClient, sessionWithOrigin } from "./origins.ts";
import { both, type Condition, equals, everything, oneOf, within } from "./scope.ts";

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

async function page<T>(
  on: Transaction,
  list: Listing<T>,
  request: PageRequest,
  extra: Condition,
): Promise<Page<T>> {
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
  const where = both(equals("team_id", on.space.team), within(request, time), extra, after);
  const rows = await on.all(
    `SELECT ${columns} FROM ${table} WHERE ${where.sql} ORDER BY ${time} ${direction}, ${key} ${direction} LIMIT ?`,
    ...where.values,
    limit + 1,
  );
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  const items = rows.slice(0, limit).map(from);
  return last === undefined ? { items } : { items, next: `${last[time]}_${last[key]}` };
}

/** Rows of a list, page by page; `chosen` adds conditions of the request. */
const pages =
  <T, R extends PageRequest = PageRequest>(
    list: Listing<T>,
    chosen: (request: R) => Condition = () => everything,
  ) =>
  (on: Transaction, request = {} as R) =>
    page(on, list, request, chosen(request));

/** Rows of a list by their ids, in the order of the ids. */
const byId =
  <T extends { readonly id: string | number }>(list: Listing<T>) =>
  async (on: Transaction, ids: readonly T["id"][]) => {
    const rows = await on.all(
      `SELECT * FROM ${list.table} WHERE team_id = ? AND id = ANY(?)`,
      on.space.team,
      ids as readonly string[],
    );
    const found = new Map<T["id"], T>(rows.map(list.from).map((item) => [item.id, item]));
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
export async function feedSince(on: Transaction, cursor: number, limit: number): Promise<FeedItem[]> {
  const changes = await on.all(
    "SELECT id, kind, ref FROM feed WHERE team_id = ? AND id > ? ORDER BY id LIMIT ?",
    on.space.team,
    cursor,
    Math.min(limit, LARGEST_FEED),
  );
  const rows = new Map<string, Row>();
  for (const [kind, list] of Object.entries(feedLists)) {
    const refs = changes.filter((change) => change.kind === kind).map(({ ref }) => Number(ref));
    if (refs.length === 0) continue;
    const sql = `SELECT * FROM ${list.table} WHERE team_id = ? AND ${list.key} = ANY(?)`;
    for (const row of await on.all(sql, on.space.team, refs)) rows.set(`${kind} ${row[list.key]}`, row);
  }
  return changes.flatMap(({ id, kind, ref }) => {
    const row = rows.get(`${kind} ${ref}`);
    if (row === undefined) return [];
    const { project, claude_session_id: session } = row;
    return {
      cursor: Number(id),
      project,
      session,
      kind,
      row: feedLists[String(kind)]?.from(row),
    } as FeedItem;
  });
}

/** The counter itself, because its last row may have been forgotten. */
export const feedHead = (on: Transaction) =>
  on.number("SELECT feed FROM counters WHERE team_id = ?", on.space.team);

export async function workFolders(on: Transaction) {
  const rows = await on.all(
    `SELECT project, (SELECT cwd FROM events e WHERE e.project = p.project AND cwd IS NOT NULL
         ORDER BY created_at_epoch DESC, seq DESC LIMIT 1) AS folder
       FROM (SELECT DISTINCT project FROM sdk_sessions) p ORDER BY project`,
  );
  return rows.flatMap(({ project, folder }) =>
    folder === null ? [] : { project: String(project), folder: String(folder) },
  );
}
