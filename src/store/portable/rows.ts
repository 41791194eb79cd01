// The rows of every engine: fields read from columns and written to them, and what a request for a page may say.
import { type defined, isObject, observationTypes, parseJson, ThroughlineError } from "../../lib/index.ts";
import { rowClasses } from "../../terms/index.ts";
import type { EventOutline, RedactedEvent } from "../events.ts";
import type { Job, JobCounts, JobState, QueueStats } from "../jobQueue.ts";
import type {
  Observation,
  ObservationText,
  Session,
  SessionStatus,
  StoredMessage,
  Summary,
  UserPrompt,
} from "../model.ts";
import type { IndexedRow } from "../searchableText.ts";
import type { EntryKind, IndexEntry } from "../searchIndex.ts";
import { instant } from "../time.ts";

export type Value = string | number | bigint | null | Uint8Array;
export type Row = Readonly<Record<string, unknown>>;

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
export type Columns = Readonly<Record<string, Value>>;

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

export const outlineFrom: (row: Row) => EventOutline = rowReader({
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
  client: optionalText,
  model: optionalText,
  machine: optionalText,
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

/** Sums over kinds, from the counts of each. A lease that ran out counts as ready: the next lease takes it. */
export function queueStatsFrom(rows: readonly Row[]): QueueStats {
  const byKind: Record<string, JobCounts> = {};
  const total = { ready: 0, delayed: 0, leased: 0, dead: 0 };
  for (const row of rows) {
    const [dead, leased, delayed] = [Number(row.dead), Number(row.leased), Number(row.delayed)];
    const ready = Number(row.all_of_kind) - dead - leased;
    byKind[String(row.kind)] = { ready, leased, dead };
    total.ready += ready - delayed;
    total.delayed += delayed;
    total.leased += leased;
    total.dead += dead;
  }
  return { ...total, byKind };
}

const indexedReaders = {
  observation: observationFrom,
  summary: summaryFrom,
  prompt: promptFrom,
  message: messageFrom,
} as const;

export const indexedRowFrom = <K extends EntryKind>(kind: K, row: Row) =>
  ({ kind, row: indexedReaders[kind](row) }) as Extract<IndexedRow, { readonly kind: K }>;

export const termList = (value: unknown) => (value === "" ? [] : String(value).split(" "));

export const rowClassFrom = (value: unknown) => rowClasses.find((one) => one === value) ?? "prose";

/** Written out, since a search reads some hundreds of them. */
export const entryFrom = (row: Row): IndexEntry => ({
  id: Number(row.id),
  kind: row.kind as EntryKind,
  ref: Number(row.ref),
  session: String(row.claude_session_id),
  project: String(row.project),
  speaker: String(row.speaker),
  title: termList(row.title),
  atEpoch: Number(row.created_at_epoch),
  isCode: row.is_code === 1,
  isStanding: row.is_standing === 1,
  isQuestion: row.is_question === 1,
  rowClass: rowClassFrom(row.row_class),
  exchange: Number(row.exchange),
});

const DEFAULT_PAGE = 50;
const LARGEST_PAGE = 500;

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
