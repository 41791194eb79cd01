// The job queue in PostgreSQL: workers take different jobs at once, by rows that the others skip while they are locked.
import { defined } from "../../lib/index.ts";
import type { Completion, JobFailure, JobState, LeaseRequest, Postponement } from "../jobQueue.ts";
import { jobFrom, optionalNumber, queueStatsFrom } from "../portable/rows.ts";
import type { PgValue, Transaction, Writer } from "./connection.ts";
import { addJobs } from "./newJobs.ts";
import { addObservations, addSummaries } from "./record.ts";
import { dropObservations, revise } from "./revise.ts";
import { recordModelSession } from "./sessions.ts";

const due = "((state = 'ready' AND not_before <= ?) OR (state = 'leased' AND lease_until <= ?))";
const dueTime = "CASE state WHEN 'ready' THEN not_before ELSE lease_until END";

export async function leaseJobs(on: Transaction, request: LeaseRequest) {
  const { kinds, keys, worker, now, leaseMs, limit, maxAttempts } = request;
  await markSpentDead(on, maxAttempts, "lease_until <= ? AND kind = ANY(?)", now, kinds);
  const [chosen, values]: [string, PgValue[]] =
    keys === undefined
      ? [due, [now, now]]
      : ["key = ANY(?) AND (state = 'ready' OR (state = 'leased' AND lease_until <= ?))", [keys, now]];
  // Chosen once: as a part of the update the server could choose again while it updates.
  const rows = await on.all(
    `WITH chosen AS MATERIALIZED (SELECT id FROM queue WHERE kind = ANY(?) AND ${chosen}
         ORDER BY ${keys === undefined ? `${dueTime}, id` : "id"} LIMIT ? FOR UPDATE SKIP LOCKED)
       UPDATE queue SET state = 'leased', attempts = attempts + 1, leased_by = ?, lease_until = ?
         FROM chosen WHERE queue.id = chosen.id RETURNING queue.*`,
    kinds,
    ...values,
    limit,
    worker,
    now + leaseMs,
  );
  return rows.map(jobFrom).sort((a, b) => a.id - b.id);
}

/** A job that crashes its worker never reports a failure: what that worker held in its last attempt is dead. */
const markSpentDead = (on: Transaction, maxAttempts: number, where: string, ...values: PgValue[]) =>
  on.run(
    `UPDATE queue SET state = 'dead', leased_by = NULL, lease_until = NULL,
       last_error = coalesce(last_error, 'its worker ended before the work was done')
     WHERE id IN (SELECT id FROM queue WHERE state = 'leased' AND attempts >= ? AND ${where} FOR UPDATE SKIP LOCKED)`,
    maxAttempts,
    ...values,
  );

const held = "id = ? AND state = 'leased' AND leased_by = ?";

/** Removes completed jobs and stores their results. Jobs that another worker holds by now are skipped, with their results. */
export async function completeJobs(on: Writer, { ids, worker, ...results }: Completion, now: number) {
  const rows = await on.all(
    "DELETE FROM queue WHERE id = ANY(?) AND state = 'leased' AND leased_by = ? RETURNING id",
    ids,
    worker,
  );
  const deleted = new Set(rows.map(({ id }) => Number(id)));
  const done = ids.filter((id) => deleted.has(id));
  if (done.length === 0 && ids.length > 0) return done;
  if (results.revisions?.by) await recordModelSession(on, results.revisions.by);
  await addObservations(on, results.observations ?? [], now);
  await addSummaries(on, results.summaries ?? [], now);
  await revise(on, results.revisions ?? {});
  await dropObservations(on, results.revisions?.dropped ?? [], now);
  await addJobs(on, results.jobs ?? [], now);
  return done;
}

export async function releaseOtherLeases(on: Transaction, worker: string, maxAttempts: number) {
  const others = "leased_by <> ?";
  await markSpentDead(on, maxAttempts, others, worker);
  return on.run(
    `UPDATE queue SET state = 'ready', leased_by = NULL, lease_until = NULL WHERE state = 'leased' AND ${others}`,
    worker,
  );
}

export async function failJob(on: Transaction, failure: JobFailure): Promise<JobState | undefined> {
  const { id, worker, now, error, backoff } = failure;
  const row = await on.get(`SELECT attempts FROM queue WHERE ${held} FOR UPDATE`, id, worker);
  if (row === undefined) return undefined;
  const attempts = Number(row.attempts);
  const state: JobState = attempts >= backoff.maxAttempts ? "dead" : "ready";
  const pause = Math.min(backoff.baseMs * 2 ** (attempts - 1), backoff.maxMs);
  await on.run(
    "UPDATE queue SET state = ?, not_before = ?, last_error = ?, leased_by = NULL, lease_until = NULL WHERE id = ?",
    state,
    Math.round(now + pause),
    error,
    id,
  );
  return state;
}

export async function postponeJob(
  on: Transaction,
  { id, worker, until, error }: Postponement,
): Promise<JobState | undefined> {
  const isHeld = await on.run(
    `UPDATE queue SET state = 'ready', attempts = attempts - 1, not_before = ?, last_error = ?,
       leased_by = NULL, lease_until = NULL WHERE ${held}`,
    Math.round(until),
    error,
    id,
    worker,
  );
  return isHeld > 0 ? "ready" : undefined;
}

export const deadJobs = async (on: Transaction, limit = 100) =>
  (await on.all("SELECT * FROM queue WHERE state = 'dead' ORDER BY id LIMIT ?", limit)).map(jobFrom);

export const retryDeadJobs = (on: Transaction) =>
  on.run("UPDATE queue SET state = 'ready', attempts = 0, not_before = 0 WHERE state = 'dead'");

export async function queueStats(on: Transaction, now: number) {
  const rows = await on.all(
    `SELECT kind, count(*) AS all_of_kind,
         count(*) FILTER (WHERE state = 'dead') AS dead,
         count(*) FILTER (WHERE state = 'leased' AND lease_until > ?) AS leased,
         count(*) FILTER (WHERE state = 'ready' AND not_before > ?) AS delayed
       FROM queue GROUP BY kind ORDER BY kind`,
    now,
    now,
  );
  const oldest = (await on.get(`SELECT min(created_at_epoch) AS at FROM queue WHERE ${due}`, now, now))?.at;
  return { ...queueStatsFrom(rows), ...defined({ oldestReadyEpoch: optionalNumber(oldest) }) };
}

export const workDue = (on: Transaction, kinds: readonly string[], now: number) =>
  on.number(
    "SELECT count(*) FROM queue WHERE kind = ANY(?) AND (state = 'leased' OR (state = 'ready' AND not_before <= ?))",
    kinds,
    now,
  );
