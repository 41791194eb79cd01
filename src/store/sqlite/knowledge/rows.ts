// Reads rows from their columns: by id, and page by page with a cursor, so that new rows never shift a page.
import {
  defined,
  isObject,
  type JsonObject,
  type ObservationType,
  observationTypes,
  parseJson,
  ThroughlineError,
} from "../../../lib/index.ts";
import type { EventOutline, EventRequest, StoredEvent } from "../../events.ts";
import type { Job, JobState } from "../../jobQueue.ts";
import type {
  Observation,
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

const text = (value: unknown) => String(value);
const number = (value: unknown) => Number(value);
const optionalText = (value: unknown) => (typeof value === "string" ? value : undefined);
const optionalNumber = (value: unknown) =>
  value === null || value === undefined ? undefined : Number(value);

export function list(value: unknown): string[] | undefined {
  const parsed = typeof value === "string" ? parseJson(value) : undefined;
  return Array.isArray(parsed) ? parsed.map(String) : undefined;
}

function object(value: unknown): JsonObject {
  const parsed = parseJson(text(value));
  return isObject(parsed) ? parsed : {};
}

const choice =
  <T extends string>(known: readonly T[], otherwise: T) =>
  (value: unknown) =>
    known.find((one) => one === value) ?? otherwise;

/** `promptNumber` is in the column `prompt_number`. */
const columnOf = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

type FieldReaders = Readonly<Record<string, (value: unknown) => unknown>>;
type ReadFields<F extends FieldReaders> = { readonly [K in keyof F]: ReturnType<F[K]> };

/** Reads fields from their columns; `elsewhere` has the columns of fields that are not called like them. */
function reader<F extends FieldReaders>(fields: F, elsewhere: Partial<Record<keyof F, string>> = {}) {
  const columns = Object.entries(fields).map(
    ([name, read]) => [name, read, elsewhere[name] ?? columnOf(name)] as const,
  );
  return (row: Row) =>
    defined(
      Object.fromEntries(columns.map(([name, read, column]) => [name, read(row[column])])) as ReadFields<F>,
    );
}

const eventFields = {
  id: text,
  kind: text,
  session: text,
  project: text,
  promptNumber: number,
  agent: optionalText,
  cwd: optionalText,
  lane: text,
};

export const eventFrom: (row: Row) => StoredEvent = reader(
  { ...eventFields, v: () => 1 as const, at: text, transcript: optionalText, writer: text, payload: object },
  { session: "claude_session_id", at: "created_at" },
);

/** The columns that lie before the payload, and the time as the index has it: nothing of the payload is read. */
const outlineColumns =
  "seq, id, kind, claude_session_id, project, prompt_number, agent, cwd, lane, octet_length(payload) AS bytes, created_at_epoch";

const outlineFrom: (row: Row) => EventOutline = reader(
  { ...eventFields, at: (epoch) => instant(number(epoch)).iso, bytes: number },
  { session: "claude_session_id", at: "created_at_epoch" },
);

export const sessionFrom: (row: Row) => Session = reader({
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

export const promptFrom: (row: Row) => UserPrompt = reader({ ...rowFields, promptText: text });

export const observationFrom: (row: Row) => Observation = reader({
  ...rowFields,
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
});

export const summaryFrom: (row: Row) => Summary = reader({
  ...rowFields,
  request: optionalText,
  investigated: optionalText,
  learned: optionalText,
  completed: optionalText,
  nextSteps: optionalText,
  notes: optionalText,
});

export const messageFrom: (row: Row) => StoredMessage = reader(
  {
    id: number,
    session: text,
    uuid: text,
    role: text,
    text,
    at: text,
    atEpoch: number,
    project: text,
    agent: optionalText,
  },
  { session: "claude_session_id", at: "created_at", atEpoch: "created_at_epoch" },
);

export const jobFrom: (row: Row) => Job = reader(
  {
    id: number,
    kind: text,
    key: text,
    session: optionalText,
    project: optionalText,
    state: choice<JobState>(["ready", "leased", "dead"], "ready"),
    payload: object,
    attempts: number,
    notBefore: number,
    leasedBy: optionalText,
    leaseUntil: optionalNumber,
    lastError: optionalText,
    createdAtEpoch: number,
  },
  { session: "claude_session_id" },
);

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

export function checkedLimit(limit = DEFAULT_PAGE): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= LARGEST_PAGE) return limit;
  throw new ThroughlineError("usage", `a page holds 1 to ${LARGEST_PAGE} rows, not ${limit}`);
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
  (db: Connection, request = {} as R) =>
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
