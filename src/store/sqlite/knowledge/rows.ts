// From columns to the rows of the contract, and the small conversions both directions share.
import { defined, isObject, type JsonObject, observationTypes, parseJson } from "../../../lib/index.ts";
import type { EventOutline, StoredEvent } from "../../events.ts";
import type { Message, Observation, Session, SessionStatus, Summary, UserPrompt } from "../../model.ts";
import type { Job, JobState } from "../../queue.ts";
import type { IndexedRow } from "../../searchableText.ts";
import type { EntryKind } from "../../searchIndex.ts";
import { instant } from "../../time.ts";
import type { Row } from "../driver.ts";

const text = (value: unknown): string => String(value);
const number = (value: unknown): number => Number(value);
const optionalText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const optionalNumber = (value: unknown): number | undefined =>
  value === null || value === undefined ? undefined : Number(value);

export function list(value: unknown): string[] | undefined {
  const parsed = typeof value === "string" ? parseJson(value) : undefined;
  return Array.isArray(parsed) ? parsed.map(String) : undefined;
}

function object(value: unknown): JsonObject {
  const parsed = parseJson(text(value));
  return isObject(parsed) ? parsed : {};
}

const oneOf =
  <T extends string>(known: readonly T[], otherwise: T) =>
  (value: unknown): T =>
    known.find((one) => one === value) ?? otherwise;

/** `promptNumber` is in the column `prompt_number`. */
const columnOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

type Fields = Readonly<Record<string, (value: unknown) => unknown>>;
type Read<F extends Fields> = { readonly [K in keyof F]: ReturnType<F[K]> };

/** Reads fields from their columns; `elsewhere` has the columns of fields that are not called like them. */
function reader<F extends Fields>(fields: F, elsewhere: Partial<Record<keyof F, string>> = {}) {
  const columns = Object.entries(fields).map(
    ([name, read]) => [name, read, elsewhere[name] ?? columnOf(name)] as const,
  );
  return (row: Row) =>
    defined(Object.fromEntries(columns.map(([name, read, column]) => [name, read(row[column])])) as Read<F>);
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
export const outlineColumns =
  "seq, id, kind, claude_session_id, project, prompt_number, agent, cwd, lane, octet_length(payload) AS bytes, created_at_epoch";

export const outlineFrom: (row: Row) => EventOutline = reader(
  { ...eventFields, at: (epoch) => instant(number(epoch)).iso, bytes: number },
  { session: "claude_session_id", at: "created_at_epoch" },
);

export const sessionFrom: (row: Row) => Session = reader({
  id: number,
  claudeSessionId: text,
  sdkSessionId: optionalText,
  project: text,
  promptCounter: number,
  status: oneOf<SessionStatus>(["active", "completed"], "active"),
  createdAt: text,
  createdAtEpoch: number,
  lastActivityAt: text,
  lastActivityEpoch: number,
  completedAt: optionalText,
  completedAtEpoch: optionalNumber,
});

const common = {
  id: number,
  uid: text,
  claudeSessionId: text,
  sdkSessionId: optionalText,
  project: text,
  promptNumber: number,
  createdAt: text,
  createdAtEpoch: number,
};

export const promptFrom: (row: Row) => UserPrompt = reader({ ...common, promptText: text });

export const observationFrom: (row: Row) => Observation = reader({
  ...common,
  type: oneOf(observationTypes, "change"),
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
  ...common,
  request: optionalText,
  investigated: optionalText,
  learned: optionalText,
  completed: optionalText,
  nextSteps: optionalText,
  notes: optionalText,
});

export const messageFrom: (row: Row) => Message = reader(
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
    state: oneOf<JobState>(["ready", "leased", "dead"], "ready"),
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
