// Sessions while a batch is written: read once, widened by their events, written back once.
import type { Revisions } from "../jobQueue.ts";
import { type Columns, sessionFrom } from "../portable/rows.ts";
import { forgottenBy } from "../portable/scope.ts";
import { type Instant, instant } from "../time.ts";
import type { Transaction, Writer } from "./connection.ts";
import { sessionWithOrigin } from "./origins.ts";

const openingKinds = ["session-start", "prompt"];
export const CLOSING_KIND = "session-end";

export interface OpenSession {
  readonly id: number;
  readonly session: string;
  readonly project: string;
  readonly sdkSessionId: string | null;
  readonly isNew: boolean;
  promptCounter: number;
  createdAt: number;
  lastActivity: number;
  /** Whether an event arrived that may open or complete the session. */
  isStatusDue: boolean;
}

export async function sessionRow(on: Transaction, session: string) {
  const row = await on.get(
    `SELECT ${sessionWithOrigin} FROM sdk_sessions WHERE claude_session_id = ?`,
    session,
  );
  return row && sessionFrom(row);
}

/** The sessions that a batch touches; one that is not there is made when it is opened. */
export async function openSessions(on: Writer, names: readonly string[]) {
  const rows = await on.all("SELECT * FROM sdk_sessions WHERE claude_session_id = ANY(?)", [
    ...new Set(names),
  ]);
  const known = new Map<string, OpenSession>();
  for (const row of rows.map(sessionFrom)) {
    known.set(row.claudeSessionId, {
      id: row.id,
      session: row.claudeSessionId,
      project: row.project,
      sdkSessionId: row.sdkSessionId ?? null,
      isNew: false,
      promptCounter: row.promptCounter,
      createdAt: row.createdAtEpoch,
      lastActivity: row.lastActivityEpoch,
      isStatusDue: false,
    });
  }
  const opened = new Set<OpenSession>();
  return {
    open(session: string, project: string, { epoch }: Instant) {
      const one = known.get(session) ?? {
        ...{ id: on.next("sessions"), session, project, sdkSessionId: null, isNew: true, promptCounter: 0 },
        ...{ createdAt: epoch, lastActivity: epoch, isStatusDue: false },
      };
      known.set(session, one);
      opened.add(one);
      return one;
    },
    writeAll: () => writeSessions(on, [...opened]),
  };
}

/** Widens the times of the session to this event; the order in which events arrive does not matter. */
export function touch(session: OpenSession, kind: string | undefined, epoch: number) {
  session.createdAt = Math.min(session.createdAt, epoch);
  session.lastActivity = Math.max(session.lastActivity, epoch);
  session.isStatusDue ||= kind === CLOSING_KIND || openingKinds.includes(kind ?? "");
}

const timesOf = ({ createdAt, lastActivity }: OpenSession) => {
  const [created, last] = [instant(createdAt), instant(lastActivity)];
  return [created.iso, created.epoch, last.iso, last.epoch] as const;
};

const sessionColumns = (one: OpenSession): Columns => {
  const [created_at, created_at_epoch, last_activity_at, last_activity_epoch] = timesOf(one);
  return {
    ...{ id: one.id, claude_session_id: one.session, project: one.project, sdk_session_id: one.sdkSessionId },
    ...{ prompt_counter: one.promptCounter, status: "active" },
    ...{ created_at, created_at_epoch, last_activity_at, last_activity_epoch },
  };
};

async function writeSessions(on: Writer, sessions: readonly OpenSession[]) {
  await on.insert("sdk_sessions", sessions.filter(({ isNew }) => isNew).map(sessionColumns));
  for (const one of sessions.filter(({ isNew }) => !isNew))
    await on.run(
      `UPDATE sdk_sessions SET prompt_counter = ?, created_at = ?, created_at_epoch = ?,
         last_activity_at = ?, last_activity_epoch = ? WHERE id = ?`,
      one.promptCounter,
      ...timesOf(one),
      one.id,
    );
  await writeStatus(
    on,
    sessions.filter(({ isStatusDue }) => isStatusDue).map(({ session }) => session),
  );
}

/**
 * Completed when nothing opened the session after its last end. Asked of the events themselves, so that a resume and an end may
 * come in any order, late or twice.
 */
export async function writeStatus(on: Transaction, sessions: readonly string[]) {
  if (sessions.length === 0) return;
  const rows = await on.all(
    `SELECT claude_session_id AS session, kind = ? AS is_end, max(created_at_epoch) AS at FROM events
       WHERE claude_session_id = ANY(?) AND kind = ANY(?) GROUP BY 1, 2`,
    CLOSING_KIND,
    sessions,
    [...openingKinds, CLOSING_KIND],
  );
  for (const session of sessions) {
    const latest = (isEnd: boolean) =>
      rows.find((row) => row.session === session && row.is_end === isEnd)?.at;
    const [ended, opened] = [latest(true), latest(false)];
    const isCompleted = ended !== undefined && Number(ended) >= Number(opened ?? Number.NEGATIVE_INFINITY);
    const completed = isCompleted ? instant(Number(ended)) : undefined;
    await on.run(
      "UPDATE sdk_sessions SET status = ?, completed_at = ?, completed_at_epoch = ? WHERE claude_session_id = ?",
      completed === undefined ? "active" : "completed",
      completed?.iso ?? null,
      completed?.epoch ?? null,
      session,
    );
  }
}

/** An id that another session has is left with it: the column is unique, and the words are worth more than the record. */
export const recordModelSession = (on: Transaction, by: NonNullable<Revisions["by"]>) =>
  on.run(
    `UPDATE sdk_sessions SET sdk_session_id = ? WHERE claude_session_id = ?
       AND NOT EXISTS (SELECT 1 FROM sdk_sessions WHERE sdk_session_id = ?)`,
    by.modelSession,
    by.session,
    by.modelSession,
  );

export const forgottenFilter = async (on: Transaction) =>
  forgottenBy(await on.all("SELECT * FROM forgotten"));
