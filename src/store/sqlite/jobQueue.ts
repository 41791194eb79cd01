// The job queue in SQLite: leases, retries with exponential backoff, and dead jobs, which stay until they are retried.
import { defined } from "../../lib/index.ts";
import type {
  Completion,
  JobFailure,
  JobState,
  LeaseRequest,
  NewJob,
  Postponement,
  QueueStats,
} from "../jobQueue.ts";
import { columnsFor, jobFrom, newJobFields, optionalNumber, queueStatsFrom } from "../portable/rows.ts";
import { type Connection, numberFrom } from "./connection.ts";
import { recordModelSession } from "./events/sessions.ts";
import { addObservations, addSummaries, dropObservations, revise } from "./knowledge/knowledge.ts";
import { insertRow } from "./knowledge/lists.ts";

export function addJobs(db: Connection, jobs: readonly NewJob[], now: number) {
  const columns = (job: NewJob) =>
    columnsFor(newJobFields, { payload: {}, notBefore: 0, ...job, createdAtEpoch: now });
  return db.transaction(() => jobs.filter((job) => insertRow(db, "queue", columns(job))).length);
}

const due = "(state = 'ready' AND not_before <= ?) OR (state = 'leased' AND lease_until <= ?)";

export function leaseJobs(db: Connection, request: LeaseRequest) {
  const { kinds, keys, worker, now, leaseMs, limit, maxAttempts } = request;
  // A lease that is lost with the power leaves a job that can be leased.
  return db.lightTransaction(() => {
    const expired = "lease_until <= ? AND kind IN (SELECT value FROM json_each(?))";
    markSpentDead(db, maxAttempts, expired, now, JSON.stringify(kinds));
    const ids = keys ? idsNamed(db, kinds, keys, now) : idsDue(db, kinds, now, limit);
    return db
      .all(
        `UPDATE queue SET state = 'leased', attempts = attempts + 1, leased_by = ?, lease_until = ?
         WHERE id IN (SELECT value FROM json_each(?)) RETURNING *`,
        worker,
        now + leaseMs,
        JSON.stringify(ids.slice(0, limit)),
      )
      .map(jobFrom)
      .sort((a, b) => a.id - b.id);
  });
}

/** One query per kind, so that each reads its index in order and stops at the limit. */
export const dueOfKind = `SELECT id, not_before AS due FROM queue
  WHERE kind = ? AND state = 'ready' AND not_before <= ? ORDER BY not_before, id LIMIT ?`;
const expiredOfKind = `SELECT id, lease_until AS due FROM queue
  WHERE kind = ? AND state = 'leased' AND lease_until <= ? ORDER BY lease_until, id LIMIT ?`;

/** What has been due longest comes first. */
function idsDue(db: Connection, kinds: readonly string[], now: number, limit: number) {
  return kinds
    .flatMap((kind) => [dueOfKind, expiredOfKind].flatMap((sql) => db.all(sql, kind, now, limit)))
    .map(({ id, due }) => ({ id: Number(id), due: Number(due) }))
    .sort((a, b) => a.due - b.due || a.id - b.id)
    .map(({ id }) => id);
}

/** The jobs of these keys, due or not, except those that another worker holds. */
function idsNamed(db: Connection, kinds: readonly string[], keys: readonly string[], now: number) {
  return db
    .all(
      `SELECT id FROM queue WHERE key IN (SELECT value FROM json_each(?))
         AND kind IN (SELECT value FROM json_each(?))
         AND (state = 'ready' OR (state = 'leased' AND lease_until <= ?)) ORDER BY id`,
      JSON.stringify(keys),
      JSON.stringify(kinds),
      now,
    )
    .map(({ id }) => Number(id));
}

/** A job that crashes its worker never reports a failure: what that worker held in its last attempt is dead. */
function markSpentDead(db: Connection, maxAttempts: number, where: string, ...values: (string | number)[]) {
  db.run(
    `UPDATE queue SET state = 'dead', leased_by = NULL, lease_until = NULL,
       last_error = coalesce(last_error, 'its worker ended before the work was done')
     WHERE state = 'leased' AND attempts >= ? AND ${where}`,
    maxAttempts,
    ...values,
  );
}

const held = "id = ? AND state = 'leased' AND leased_by = ?";

/** Removes completed jobs and stores their results. Jobs that another worker holds by now are skipped, with their results. */
export function completeJobs(db: Connection, { ids, worker, ...results }: Completion, now: number) {
  return db.transaction(() => {
    const done = ids.filter((id) => db.run(`DELETE FROM queue WHERE ${held}`, id, worker) > 0);
    if (done.length === 0 && ids.length > 0) return done;
    if (results.revisions?.by) recordModelSession(db, results.revisions.by);
    addObservations(db, results.observations ?? [], now);
    addSummaries(db, results.summaries ?? [], now);
    revise(db, results.revisions ?? {});
    dropObservations(db, results.revisions?.dropped ?? [], now);
    addJobs(db, results.jobs ?? [], now);
    return done;
  });
}

export function releaseOtherLeases(db: Connection, worker: string, maxAttempts: number) {
  const others = "leased_by <> ?";
  return db.transaction(() => {
    markSpentDead(db, maxAttempts, others, worker);
    return db.run(
      `UPDATE queue SET state = 'ready', leased_by = NULL, lease_until = NULL
         WHERE state = 'leased' AND ${others}`,
      worker,
    );
  });
}

export function failJob(db: Connection, failure: JobFailure): JobState | undefined {
  const { id, worker, now, error, backoff } = failure;
  return db.transaction(() => {
    const row = db.get(`SELECT attempts FROM queue WHERE ${held}`, id, worker);
    if (!row) return undefined;
    const attempts = numberFrom(row);
    const state: JobState = attempts >= backoff.maxAttempts ? "dead" : "ready";
    const pause = Math.min(backoff.baseMs * 2 ** (attempts - 1), backoff.maxMs);
    db.run(
      `UPDATE queue SET state = ?, not_before = ?, last_error = ?, leased_by = NULL, lease_until = NULL
       WHERE id = ?`,
      state,
      Math.round(now + pause),
      error,
      id,
    );
    return state;
  });
}

export function postponeJob(
  db: Connection,
  { id, worker, until, error }: Postponement,
): JobState | undefined {
  const isHeld = db.run(
    `UPDATE queue SET state = 'ready', attempts = attempts - 1, not_before = ?, last_error = ?,
       leased_by = NULL, lease_until = NULL
     WHERE ${held}`,
    Math.round(until),
    error,
    id,
    worker,
  );
  return isHeld ? "ready" : undefined;
}

export function deadJobs(db: Connection, limit = 100) {
  return db.all("SELECT * FROM queue WHERE state = 'dead' ORDER BY id LIMIT ?", limit).map(jobFrom);
}

export function retryDeadJobs(db: Connection) {
  return db.run("UPDATE queue SET state = 'ready', attempts = 0, not_before = 0 WHERE state = 'dead'");
}

/** A lease that ran out counts as ready: the next `lease` takes it. */
export function queueStats(db: Connection, now: number): QueueStats {
  const rows = db.all(
    `SELECT kind, count(*) AS all_of_kind,
         count(*) FILTER (WHERE state = 'dead') AS dead,
         count(*) FILTER (WHERE state = 'leased' AND lease_until > ?1) AS leased,
         count(*) FILTER (WHERE state = 'ready' AND not_before > ?1) AS delayed
       FROM queue GROUP BY kind ORDER BY kind`,
    now,
  );
  const oldest = db.get(`SELECT min(created_at_epoch) AS at FROM queue WHERE ${due}`, now, now)?.at;
  return { ...queueStatsFrom(rows), ...defined({ oldestReadyEpoch: optionalNumber(oldest) }) };
}

export const workDue = (db: Connection, kinds: readonly string[], now: number) =>
  db.number(
    `SELECT count(*) FROM queue WHERE kind IN (SELECT value FROM json_each(?))
       AND (state = 'leased' OR (state = 'ready' AND not_before <= ?))`,
    JSON.stringify(kinds),
    now,
  );
