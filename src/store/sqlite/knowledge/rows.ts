// From columns to the rows of the contract, and the small conversions both directions share.
import {
  isObject,
  type JsonObject,
  type ObservationType,
  observationTypes,
  parseJson,
} from "../../../lib/index.ts";
import type { EventOutline, StoredEvent } from "../../events.ts";
import type { Message, Observation, Session, Summary, UserPrompt } from "../../model.ts";
import type { Job } from "../../queue.ts";
import { instant } from "../../time.ts";
import type { Row } from "../driver.ts";

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Leaves out what is not there, so that an absent column is an absent key. */
function given<T extends object>(fields: T): Given<T> {
  const kept: Given<T> = { ...fields } as Given<T>;
  for (const key of Object.keys(kept) as (keyof T)[]) if (kept[key] === undefined) delete kept[key];
  return kept;
}

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

const isType = (value: string): value is ObservationType =>
  (observationTypes as readonly string[]).includes(value);

export function eventFrom(row: Row): StoredEvent {
  return {
    v: 1,
    id: text(row.id),
    kind: text(row.kind),
    at: text(row.created_at),
    session: text(row.claude_session_id),
    lane: text(row.lane),
    writer: text(row.writer),
    payload: object(row.payload),
    project: text(row.project),
    promptNumber: number(row.prompt_number),
    ...given({
      agent: optionalText(row.agent),
      cwd: optionalText(row.cwd),
      transcript: optionalText(row.transcript),
    }),
  };
}

/** The columns that lie before the payload, and the time as the index has it: nothing of the payload is read. */
export const outlineColumns =
  "seq, id, kind, claude_session_id, project, prompt_number, agent, cwd, lane, octet_length(payload) AS bytes, created_at_epoch";

export function outlineFrom(row: Row): EventOutline {
  return {
    id: text(row.id),
    kind: text(row.kind),
    at: instant(number(row.created_at_epoch)).iso,
    session: text(row.claude_session_id),
    project: text(row.project),
    promptNumber: number(row.prompt_number),
    lane: text(row.lane),
    bytes: number(row.bytes),
    ...given({ agent: optionalText(row.agent), cwd: optionalText(row.cwd) }),
  };
}

export function sessionFrom(row: Row): Session {
  return {
    id: number(row.id),
    claudeSessionId: text(row.claude_session_id),
    project: text(row.project),
    promptCounter: number(row.prompt_counter),
    status: row.status === "completed" ? "completed" : "active",
    createdAt: text(row.created_at),
    createdAtEpoch: number(row.created_at_epoch),
    lastActivityAt: text(row.last_activity_at),
    lastActivityEpoch: number(row.last_activity_epoch),
    ...given({
      sdkSessionId: optionalText(row.sdk_session_id),
      completedAt: optionalText(row.completed_at),
      completedAtEpoch: optionalNumber(row.completed_at_epoch),
    }),
  };
}

function commonFrom(row: Row) {
  return {
    id: number(row.id),
    uid: text(row.uid),
    claudeSessionId: text(row.claude_session_id),
    project: text(row.project),
    promptNumber: number(row.prompt_number),
    createdAt: text(row.created_at),
    createdAtEpoch: number(row.created_at_epoch),
    ...given({ sdkSessionId: optionalText(row.sdk_session_id) }),
  };
}

export function promptFrom(row: Row): UserPrompt {
  return { ...commonFrom(row), promptText: text(row.prompt_text) };
}

export function observationFrom(row: Row): Observation {
  const type = text(row.type);
  return {
    ...commonFrom(row),
    type: isType(type) ? type : "change",
    title: text(row.title),
    ...given({
      subtitle: optionalText(row.subtitle),
      narrative: optionalText(row.narrative),
      text: optionalText(row.text),
      facts: list(row.facts),
      concepts: list(row.concepts),
      filesRead: list(row.files_read),
      filesModified: list(row.files_modified),
      toolName: optionalText(row.tool_name),
      correlationId: optionalText(row.correlation_id),
    }),
  };
}

export function summaryFrom(row: Row): Summary {
  return {
    ...commonFrom(row),
    ...given({
      request: optionalText(row.request),
      investigated: optionalText(row.investigated),
      learned: optionalText(row.learned),
      completed: optionalText(row.completed),
      nextSteps: optionalText(row.next_steps),
      notes: optionalText(row.notes),
    }),
  };
}

export function messageFrom(row: Row): Message {
  return {
    id: number(row.id),
    session: text(row.claude_session_id),
    uuid: text(row.uuid),
    role: text(row.role),
    text: text(row.text),
    at: text(row.created_at),
    atEpoch: number(row.created_at_epoch),
    project: text(row.project),
    ...given({ agent: optionalText(row.agent) }),
  };
}

export function jobFrom(row: Row): Job {
  return {
    id: number(row.id),
    kind: text(row.kind),
    key: text(row.key),
    state: row.state === "leased" || row.state === "dead" ? row.state : "ready",
    payload: object(row.payload),
    attempts: number(row.attempts),
    notBefore: number(row.not_before),
    createdAtEpoch: number(row.created_at_epoch),
    ...given({
      session: optionalText(row.claude_session_id),
      project: optionalText(row.project),
      leasedBy: optionalText(row.leased_by),
      leaseUntil: optionalNumber(row.lease_until),
      lastError: optionalText(row.last_error),
    }),
  };
}
