// Reads rows from their columns and writes them: by id, in the order of commits, and page by page with a cursor, so that new rows never shift a page.
import {
  type defined,
  isObject,
  type ObservationType,
  observationTypes,
  parseJson,
  ThroughlineError,
} from "../../../lib/index.ts";
import type { EventOutline, EventRequest, FeedItem, RedactedEvent } from "../../events.ts";
import type { Job, JobState } from "../../jobQueue.ts";
import type {
  Observation,
  ObservationText,
  Page,
  PageRequest,
  Session,
  SessionStatus,
  StoredMessage,
  Summary,
  UserPrompt,
} from "../../model.ts";
import type { IndexedRow } from "../../searchableText.ts";
import type { EntryKind } from "../../searchIndex.ts";
import { instant } from "../../time.ts";
import type { Connection } from "../connection.ts";
import type { Row, Value } from "../driver.ts";
import { both, type Condition, equals, everything, oneOf, within } from "../upkeep/scope.ts";

const text = String;
const number = Number;
export const optionalText = (value: unknown) => (typeof value === "string" ? value : undefined);
export const optionalNumber = (value: unknown) =>
  value === null || value === undefined ? undefined : Number(value);

export function list(value: unknown) {
  const parsed = typeof value === "string" ? parseJson(value) : undefined;
  return Array.isArray(parsed) ? parsed.map(String) : undefined;
}

function object(value: unknown) {
  const parsed = parseJson(text(value));
  return isObject(parsed) ? parsed : {};
}

const choice =
  <T extends string>(known: readonly T[], otherwise: T) =>
  (value: unknown) =>
    known.find((one) => one === value) ?? otherwise;

const columnNames: Readonly<Record<string, string>> = {
  session: "claude_session_id",
  at: "created_at",
  evidence: "correlation_id",
  atEpoch: "created_at_epoch",
};

/** `promptNumber` is in the column `prompt_number`. */
const columnOf = (name: string) =>
  columnNames[name] ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

type FieldReaders = Readonly<Record<string, (value: unknown) => unknown>>;
type ReadFields<F extends FieldReaders> = { readonly [K in keyof F]: ReturnType<F[K]> };
type Columns = Readonly<Record<string, Value>>;

/** Reads fields from their columns; a field that is undefined is left out. */
export function rowReader<F extends FieldReaders>(fields: F) {
  const columns = Object.entries(fields).map(([name, read]) => [name, read, columnOf(name)] as const);
  return (row: Row) => {
    const item: Record<string, unknown> = {};
    for (const [name, read, column] of columns) {
      const value = read(row[column]);
      if (value !== undefined) item[name] = value;
    }
    return item as ReturnType<typeof defined<ReadFields<F>>>;
  };
}

const columnValue = (value: unknown) =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : ((value ?? null) as Value);

/** The columns of these fields. Lists and objects are kept as JSON, an absent field as NULL. */
export function columnsFor(fields: FieldReaders, item: object): Columns {
  const given = new Map<string, unknown>(Object.entries(item));
  return Object.fromEntries(
    Object.keys(fields).map((name) => [columnOf(name), columnValue(given.get(name))]),
  );
}

/** The columns are fixed per table, so that each table has one statement. */
export function insertionInto(table: string, columns: Columns) {
  const names = Object.keys(columns);
  return `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")}) ON CONFLICT DO NOTHING`;
}

/** Gives whether the row is new. */
export const insertRow = (db: Connection, table: string, columns: Columns) =>
  db.run(insertionInto(table, columns), ...Object.values(columns)) > 0;

const outlineFields = {
  id: text,
  kind: text,
  session: text,
  project: text,
  promptNumber: number,
  agent: optionalText,
  cwd: optionalText,
  lane: text,
};

export const eventFields = {
  ...outlineFields,
  at: text,
  transcript: optionalText,
  writer: text,
  payload: object,
};

export const eventFrom: (row: Row) => RedactedEvent = rowReader({ ...eventFields, v: () => 1 as const });

/** Columns before the payload, and the time from the index, so that SQLite reads no page of the payload. */
const outlineColumns = `seq, id, kind, claude_session_id, project, prompt_number, agent, cwd, lane,
  octet_length(payload) AS bytes, created_at_epoch, created_at_epoch AS created_at`;

const outlineFrom: (row: Row) => EventOutline = rowReader({
  ...outlineFields,
  at: (epoch) => instant(number(epoch)).iso,
  bytes: number,
});

export const sessionFrom: (row: Row) => Session = rowReader({
  id: number,
  claudeSessionId: text,
  sdkSessionId: optionalText,
  project: text,
  promptCounter: number,
  status: choice<SessionStatus>(["active", "completed"], "active"),
  createdAt: text,
  createdAtEpoch: number,
  lastActivityAt: text,
  lastActivityEpoch: number,
  completedAt: optionalText,
  completedAtEpoch: optionalNumber,
});

const rowFields = {
  id: number,
  uid: text,
  claudeSessionId: text,
  sdkSessionId: optionalText,
  project: text,
  promptNumber: number,
  createdAt: text,
  createdAtEpoch: number,
};

export const promptFrom: (row: Row) => UserPrompt = rowReader({ ...rowFields, promptText: text });

const observationFields = {
  type: choice(observationTypes, "change"),
  title: text,
  subtitle: optionalText,
  narrative: optionalText,
  text: optionalText,
  facts: list,
  concepts: list,
  filesRead: list,
  filesModified: list,
  toolName: optionalText,
  correlationId: optionalText,
};

const columnWords = (value: unknown) => optionalText(value)?.split(" ") ?? [];

/** One column holds what an observation came from and the events it rests on. */
const readObservation = rowReader({
  ...rowFields,
  ...observationFields,
  correlationId: (value) => columnWords(value)[0],
  evidence: (value) => (columnWords(value).length > 1 ? columnWords(value).slice(1) : undefined),
});

export const observationFrom: (row: Row) => Observation = readObservation;

export const observationColumns = (item: ObservationText) =>
  columnsFor(observationFields, {
    ...item,
    correlationId: [item.correlationId, ...(item.evidence ?? [])].filter(Boolean).join(" ") || undefined,
  });

export const summaryFields = {
  request: optionalText,
  investigated: optionalText,
  learned: optionalText,
  completed: optionalText,
  nextSteps: optionalText,
  notes: optionalText,
};

export const summaryFrom: (row: Row) => Summary = rowReader({ ...rowFields, ...summaryFields });

export const messageFields = {
  session: text,
  uuid: text,
  role: text,
  text,
  at: text,
  atEpoch: number,
  project: text,
  agent: optionalText,
};

export const messageFrom: (row: Row) => StoredMessage = rowReader({ id: number, ...messageFields });

export const newJobFields = {
  kind: text,
  key: text,
  session: optionalText,
  project: optionalText,
  payload: object,
  notBefore: number,
  createdAtEpoch: number,
};

export const jobFrom: (row: Row) => Job = rowReader({
  ...newJobFields,
  id: number,
  state: choice<JobState>(["ready", "leased", "dead"], "ready"),
  attempts: number,
  leasedBy: optionalText,
  leaseUntil: optionalNumber,
  lastError: optionalText,
});

const indexedReaders = {
  observation: observationFrom,
  summary: summaryFrom,
  prompt: promptFrom,
  message: messageFrom,
} as const;

export const indexedRowFrom = <K extends EntryKind>(kind: K, row: Row) =>
  ({ kind, row: indexedReaders[kind](row) }) as Extract<IndexedRow, { readonly kind: K }>;

const DEFAULT_PAGE = 50;
const LARGEST_PAGE = 500;

type Listing<T> = ReturnType<typeof listing<T>>;

const listing = <T>(table: string, from: (row: Row) => T, key = "id", time = "created_at_epoch") => ({
  ...{ table, key, time, from },
  columns: "*",
});

const listings = {
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
  return last === undefined ? { items } : { items, next: `${last[time]}_${last[key]}` };
}

export function checkedLimit(limit = DEFAULT_PAGE) {
  if (Number.isInteger(limit) && limit >= 1 && limit <= LARGEST_PAGE) return limit;
  throw new ThroughlineError("usage", `a page holds 1 to ${LARGEST_PAGE} rows, not ${limit}`);
}

/** The numbers of a cursor; `shape` captures each. */
export function cursorParts(cursor: string, shape: RegExp) {
  const parts = shape.exec(cursor);
  if (parts !== null) return parts.slice(1).map(Number);
  throw new ThroughlineError(
    "usage",
    `${JSON.stringify(cursor)} is not a cursor of an earlier page`,
    "take `next` of the page before, or start without a cursor",
  );
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
  sessions: pages(listings.sessions, ({ status }: PageRequest & { readonly status?: SessionStatus }) =>
    equals("status", status),
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
    if (row === undefined) return [];
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

export function newestFolder(db: Connection, project: string) {
  const row = db.get(
    `SELECT cwd FROM events WHERE project = ? AND cwd IS NOT NULL
         ORDER BY created_at_epoch DESC, seq DESC LIMIT 1`,
    project,
  );
  return row && String(row.cwd);
}
