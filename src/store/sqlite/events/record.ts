// Stores events with their sessions, prompts and jobs, all or nothing, and the state of imported sources.
import type { FinishedSource, RedactedEvent } from "../../events.ts";
import type { NewJob } from "../../jobQueue.ts";
import type { Added } from "../../model.ts";
import { type Instant, instantOf } from "../../time.ts";
import { type Connection, numberFrom } from "../connection.ts";
import { addJobs } from "../jobQueue.ts";
import { insertRow, rowColumns } from "../knowledge/knowledge.ts";
import { indexNewRows, newestRow } from "../search/entries.ts";
import { forgottenFilter } from "../upkeep/forget.ts";
import { type OpenSession, sessionBook, touch } from "./sessions.ts";

interface RecordContext {
  readonly now: number;
  readonly work: (event: RedactedEvent) => NewJob | undefined;
  readonly holdUntil?: number;
}

/** An event that was forgotten counts as known: it must not come back, and the caller must not send it again. */
export function recordEvents(
  db: Connection,
  events: readonly RedactedEvent[],
  recording: RecordContext,
): Added {
  const added: string[] = [];
  const known: string[] = [];
  if (events.length === 0) return { added, known };
  db.transaction(() => {
    const book = sessionBook(db);
    const before = newestRow(db, "prompt");
    const isForgotten = forgottenFilter(db);
    const jobs: NewJob[] = [];
    for (const event of events) {
      const at = instantOf(event.at, recording.now);
      if (isKnown(db, event.id) || isForgotten(event.session, event.project, at.epoch)) {
        known.push(event.id);
        continue;
      }
      addEvent(db, event, at, book.of(event.session, event.project, at));
      added.push(event.id);
      const job = recording.work(event);
      if (job !== undefined)
        jobs.push(recording.holdUntil === undefined ? job : heldJob(job, recording.holdUntil));
    }
    addJobs(db, jobs, recording.now);
    book.writeAll();
    indexNewRows(db, "prompt", before);
  });
  return { added, known };
}

function isKnown(db: Connection, id: string): boolean {
  return db.get("SELECT 1 FROM events WHERE id = ?", id) !== undefined;
}

function addEvent(db: Connection, event: RedactedEvent, at: Instant, session: OpenSession): void {
  if (event.kind === "prompt") addPrompt(db, event, at, session);
  insertEvent(db, event, at, session.promptCounter);
  touch(session, event.kind, at.epoch);
}

export function insertEvent(
  db: Connection,
  event: RedactedEvent,
  at: Instant,
  promptNumber: number,
): boolean {
  return insertRow(db, "events", {
    id: event.id,
    kind: event.kind,
    claude_session_id: event.session,
    project: event.project,
    prompt_number: promptNumber,
    agent: event.agent,
    cwd: event.cwd,
    transcript: event.transcript,
    lane: event.lane,
    writer: event.writer,
    payload: JSON.stringify(event.payload),
    created_at: at.iso,
    created_at_epoch: at.epoch,
  });
}

/** A prompt whose raw event was dropped by retention keeps its row and its number. */
function addPrompt(db: Connection, event: RedactedEvent, at: Instant, session: OpenSession): void {
  const { prompt } = event.payload;
  const isNew = insertRow(db, "user_prompts", {
    ...rowColumns({ ...event, promptNumber: session.promptCounter + 1 }, event.id, at, session),
    prompt_text: typeof prompt === "string" ? prompt : "",
  });
  session.promptCounter += Number(isNew);
}

/** Marks a held job by its payload, which is otherwise empty before the job is worked on. */
const HELD_PAYLOAD = { held: true };

const heldJob = (job: NewJob, until: number): NewJob => ({ ...job, payload: HELD_PAYLOAD, notBefore: until });

export function sourceState(db: Connection, key: string): string | undefined {
  const row = db.get("SELECT state FROM imported WHERE key = ?", key);
  return row === undefined ? undefined : String(row.state);
}

export function finishSource(db: Connection, { key, state, session }: FinishedSource): void {
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

export function messagesElsewhere(
  db: Connection,
  session: string,
  uuids: readonly string[],
): ReadonlySet<string> {
  const rows = db.all(
    `SELECT DISTINCT uuid FROM messages
       WHERE uuid IN (SELECT value FROM json_each(?)) AND role <> 'tool' AND claude_session_id <> ?`,
    JSON.stringify(uuids),
    session,
  );
  return new Set(rows.map(({ uuid }) => String(uuid)));
}

export function knownMessages(
  db: Connection,
  session: string,
  uuids: readonly string[],
): ReadonlySet<string> {
  const rows = db.all(
    `SELECT uuid FROM messages
       WHERE claude_session_id = ? AND uuid IN (SELECT value FROM json_each(?))`,
    session,
    JSON.stringify(uuids),
  );
  return new Set(rows.map(({ uuid }) => String(uuid)));
}

export function workDue(db: Connection, kinds: readonly string[], now: number): number {
  const row = db.get(
    `SELECT count(*) FROM queue WHERE kind IN (SELECT value FROM json_each(?))
       AND (state = 'leased' OR (state = 'ready' AND not_before <= ?))`,
    JSON.stringify(kinds),
    now,
  );
  return numberFrom(row);
}
