// Events into rows: the event itself, its session, its prompt and the work it asks for, all or nothing.
import type { RedactedEvent } from "../../events.ts";
import type { Added } from "../../model.ts";
import type { NewJob } from "../../queue.ts";
import { type Instant, instantOf } from "../../time.ts";
import type { Connection } from "../connection.ts";
import { insertRow, rowColumns } from "../knowledge/knowledge.ts";
import { indexNewRows, newestRow } from "../search/entries.ts";
import { forgottenFilter } from "../upkeep/forget.ts";
import { heldJob } from "./imported.ts";
import { addJobs } from "./queue.ts";
import { type OpenSession, sessionBook, touch } from "./sessions.ts";

interface Recording {
  readonly now: number;
  readonly work: (event: RedactedEvent) => NewJob | undefined;
  readonly holdUntil?: number;
}

/** An event that was forgotten counts as known: it must not come back, and nobody needs to keep it. */
export function recordEvents(db: Connection, events: readonly RedactedEvent[], recording: Recording): Added {
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
