// The row of a session: created, widened by its events, opened and completed.
import { ThroughlineError } from "../../../lib/index.ts";
import type { Revisions } from "../../jobQueue.ts";
import { optionalNumber, sessionFrom } from "../../portable/rows.ts";
import { type Instant, instant } from "../../time.ts";
import type { Connection } from "../connection.ts";
import { sessionWithOrigin } from "../knowledge/origins.ts";
import { lifecycleEvent } from "../schema/schema.ts";

/** Events after which a session is open. */
const openingKinds = ["session-start", "prompt"];
export const CLOSING_KIND = "session-end";

/** A session while a batch is written: read once, written back once. */
export interface OpenSession {
  readonly id: number;
  readonly session: string;
  readonly sdkSessionId: string | null;
  promptCounter: number;
  createdAt: number;
  lastActivity: number;
  /** Whether an event arrived that may open or complete the session. */
  isStatusDue: boolean;
}

const selectSession = "SELECT * FROM sdk_sessions WHERE claude_session_id = ?";

export function sessionRow(db: Connection, session: string) {
  const row = db.get(`SELECT ${sessionWithOrigin} FROM sdk_sessions WHERE claude_session_id = ?`, session);
  return row && sessionFrom(row);
}

/** The session of that id, made if it is new. */
export function openSession(db: Connection, session: string, project: string, at: Instant): OpenSession {
  const row = db.get(selectSession, session) ?? insertSession(db, session, project, at);
  return {
    id: Number(row.id),
    session,
    sdkSessionId: typeof row.sdk_session_id === "string" ? row.sdk_session_id : null,
    promptCounter: Number(row.prompt_counter),
    createdAt: Number(row.created_at_epoch),
    lastActivity: Number(row.last_activity_epoch),
    isStatusDue: false,
  };
}

function insertSession(db: Connection, session: string, project: string, at: Instant) {
  const row = db.get(
    `INSERT INTO sdk_sessions
         (claude_session_id, project, created_at, created_at_epoch, last_activity_at, last_activity_epoch)
       VALUES (?, ?, ?, ?, ?, ?) RETURNING *`,
    session,
    project,
    at.iso,
    at.epoch,
    at.iso,
    at.epoch,
  );
  if (!row) throw new ThroughlineError("internal", `session ${session} was not kept`);
  return row;
}

/** An id that another session has is left with it: the column is unique, and the words are worth more than the record. */
export function recordModelSession(db: Connection, by: NonNullable<Revisions["by"]>) {
  db.run(
    "UPDATE OR IGNORE sdk_sessions SET sdk_session_id = ? WHERE claude_session_id = ?",
    by.modelSession,
    by.session,
  );
}

/** Widens the times of the session to this event; the order in which events arrive does not matter. */
export function touch(session: OpenSession, kind: string | undefined, epoch: number) {
  session.createdAt = Math.min(session.createdAt, epoch);
  session.lastActivity = Math.max(session.lastActivity, epoch);
  session.isStatusDue ||= kind === CLOSING_KIND || openingKinds.includes(kind ?? "");
}

function writeSession(db: Connection, session: OpenSession) {
  const created = instant(session.createdAt);
  const last = instant(session.lastActivity);
  db.run(
    `UPDATE sdk_sessions SET prompt_counter = ?, created_at = ?, created_at_epoch = ?,
       last_activity_at = ?, last_activity_epoch = ? WHERE id = ?`,
    session.promptCounter,
    created.iso,
    created.epoch,
    last.iso,
    last.epoch,
    session.id,
  );
  if (session.isStatusDue) writeStatus(db, session.session);
}

/**
 * Completed when nothing opened the session after its last end. Asked of the events themselves, so that a resume
 * and an end may come in any order, late or twice.
 */
export function writeStatus(db: Connection, session: string) {
  const latest = (kind: string) =>
    optionalNumber(
      db.get(
        `SELECT max(created_at_epoch) AS at FROM events WHERE claude_session_id = ? AND kind = ? AND ${lifecycleEvent}`,
        session,
        kind,
      )?.at,
    );
  const ended = latest(CLOSING_KIND);
  const opened = Math.max(...openingKinds.map((kind) => latest(kind) ?? Number.NEGATIVE_INFINITY));
  const completed = ended !== undefined && ended >= opened ? instant(ended) : undefined;
  db.run(
    "UPDATE sdk_sessions SET status = ?, completed_at = ?, completed_at_epoch = ? WHERE claude_session_id = ?",
    completed ? "completed" : "active",
    completed?.iso ?? null,
    completed?.epoch ?? null,
    session,
  );
}

/** The sessions that a batch touches. */
export function openSessions(db: Connection) {
  const opened = new Map<string, OpenSession>();
  return {
    open: (session: string, project: string, at: Instant) => {
      const known = opened.get(session) ?? openSession(db, session, project, at);
      opened.set(session, known);
      return known;
    },
    writeAll: () => {
      for (const session of opened.values()) writeSession(db, session);
    },
  };
}
