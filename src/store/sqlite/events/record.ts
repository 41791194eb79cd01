// Stores events with their sessions, prompts and jobs, all or nothing, and the state of imported sources.
import { optionalString } from "../../../lib/index.ts";
import type { FinishedSource, RedactedEvent } from "../../events.ts";
import type { NewJob } from "../../jobQueue.ts";
import type { Added } from "../../model.ts";
import type { Row } from "../../portable/rows.ts";
import { columnsFor, eventFields } from "../../portable/rows.ts";
import type { Instant } from "../../time.ts";
import type { Connection } from "../connection.ts";
import { addJobs } from "../jobQueue.ts";
import { addAll, rowColumns } from "../knowledge/knowledge.ts";
import { insertRow } from "../knowledge/lists.ts";
import type { OpenSession } from "./sessions.ts";

interface RecordContext {
  readonly now: number;
  readonly work: (event: RedactedEvent) => NewJob | undefined;
  readonly holdUntil?: number;
}

export function recordEvents(
  db: Connection,
  events: readonly RedactedEvent[],
  { now, work, holdUntil }: RecordContext,
): Added {
  if (events.length === 0) return { added: [], known: [] };
  return db.transaction(() => {
    const jobs: NewJob[] = [];
    const recorded = addAll(db, events, now, {
      indexed: "prompt",
      nameOf: ({ id }) => id,
      isKnown: ({ id }) => db.get("SELECT 1 FROM events WHERE id = ?", id) !== undefined,
      insert: (event, _id, at, session) => {
        if (event.kind === "prompt") addPrompt(db, event, at, session);
        const job = work(event);
        if (job) jobs.push(holdUntil === undefined ? job : heldJob(job, holdUntil));
        return insertEvent(db, event, at, session.promptCounter);
      },
    });
    addJobs(db, jobs, now);
    return recorded;
  });
}

export const insertEvent = (db: Connection, event: RedactedEvent, at: Instant, promptNumber: number) =>
  insertRow(db, "events", {
    ...columnsFor(eventFields, { ...event, at: at.iso, promptNumber }),
    created_at_epoch: at.epoch,
  });

/** A prompt whose raw event was dropped by retention keeps its row and its number. */
function addPrompt(db: Connection, event: RedactedEvent, at: Instant, session: OpenSession) {
  const { prompt } = event.payload;
  const isNew = insertRow(db, "user_prompts", {
    ...rowColumns({ ...event, promptNumber: session.promptCounter + 1 }, event.id, at, session),
    prompt_text: optionalString(prompt) ?? "",
  });
  session.promptCounter += Number(isNew);
}

/** Marks a held job by its payload, which is otherwise empty before the job is worked on. */
const HELD_PAYLOAD = { held: true };

const heldJob = (job: NewJob, until: number): NewJob => ({ ...job, payload: HELD_PAYLOAD, notBefore: until });

export function sourceState(db: Connection, key: string) {
  const row = db.get("SELECT state FROM imported WHERE key = ?", key);
  return row && String(row.state);
}

export function finishSource(db: Connection, { key, state, session }: FinishedSource) {
  db.transaction(() => {
    if (state === undefined) db.run("DELETE FROM imported WHERE key = ?", key);
    else db.run("INSERT OR REPLACE INTO imported (key, state) VALUES (?, ?)", key, state);
    if (session === undefined) return;
    db.run(
      "UPDATE queue SET payload = '{}', not_before = 0 WHERE claude_session_id = ? AND payload = ?",
      session,
      JSON.stringify(HELD_PAYLOAD),
    );
  });
}

const uuidsOf = (rows: readonly Row[]): ReadonlySet<string> => new Set(rows.map(({ uuid }) => String(uuid)));

export const messagesElsewhere = (db: Connection, session: string, uuids: readonly string[]) =>
  uuidsOf(
    db.all(
      `SELECT DISTINCT uuid FROM messages
         WHERE uuid IN (SELECT value FROM json_each(?)) AND role <> 'tool' AND claude_session_id <> ?`,
      JSON.stringify(uuids),
      session,
    ),
  );

export const knownMessages = (db: Connection, session: string, uuids: readonly string[]) =>
  uuidsOf(
    db.all(
      "SELECT uuid FROM messages WHERE claude_session_id = ? AND uuid IN (SELECT value FROM json_each(?))",
      session,
      JSON.stringify(uuids),
    ),
  );
