// Imports lines of an export: checks each line and stores batches; known rows are left as they are.
import { isObject, type JsonObject, parseJson, ThroughlineError } from "../../../lib/index.ts";
import { type DataLine, dataLine, EXPORT_VERSION, headerLine, type LineOf } from "../../exportFormat.ts";
import type { Added } from "../../model.ts";
import { instantOf } from "../../time.ts";
import { countedTables, type ImportOptions, type ImportReport } from "../../upkeep.ts";
import type { Connection } from "../connection.ts";
import { insertEvent } from "../events/record.ts";
import { openSession } from "../events/sessions.ts";
import { addJobs } from "../jobQueue.ts";
import { addAll, addMessages, addObservations, addPrompts, addSummaries } from "../knowledge/knowledge.ts";
import { forgottenFilter } from "./forget.ts";

const IMPORT_BATCH = 500;
const REPORTED_REJECTIONS = 100;

type ImportedTable = (typeof countedTables)[number];
const zeros = () =>
  Object.fromEntries(countedTables.map((name) => [name, 0])) as Record<ImportedTable, number>;

const newTotals = () => ({
  added: zeros(),
  known: zeros(),
  rejected: [] as { line: number; reason: string }[],
  rejectedCount: 0,
  complete: false,
  /** The events that this import added: only their jobs are queued again. */
  newEvents: new Set<string>(),
});

type ImportTotals = ReturnType<typeof newTotals>;

export async function importLines(
  db: Connection,
  lines: AsyncIterable<string>,
  options: ImportOptions & { readonly now: number },
): Promise<ImportReport> {
  const totals = newTotals();
  let batch: DataLine[] = [];
  const flush = () => {
    if (batch.length > 0) keepBatch(db, batch, totals, options.now);
    batch = [];
  };
  let number = 0;
  let isFirst = true;
  for await (const line of lines) {
    number += 1;
    if (line.trim() === "") continue;
    const parsed = parseJson(line);
    if (isFirst) {
      requireHeader(parsed);
      isFirst = false;
      continue;
    }
    const data = await readLine(parsed, number, totals, options.redact);
    if (data !== undefined) batch.push(data);
    if (batch.length >= IMPORT_BATCH) flush();
  }
  if (isFirst) requireHeader(undefined);
  flush();
  const { newEvents: _events, ...report } = totals;
  return report;
}

function requireHeader(value: unknown) {
  const header = headerLine.safeParse(value);
  if (!header.success) {
    throw new ThroughlineError(
      "usage",
      "this is not an export: its first line does not say so",
      "give a file written by `throughline data export`; sessions of Claude Code come in by `throughline import`",
    );
  }
  if (header.data.version <= EXPORT_VERSION) return;
  throw new ThroughlineError(
    "usage",
    `this export is of version ${header.data.version}, newer than we know`,
    "install the version of Throughline that wrote it, or a newer one",
  );
}

async function readLine(
  value: unknown,
  line: number,
  totals: ImportTotals,
  redact: ImportOptions["redact"],
): Promise<DataLine | undefined> {
  const safe = redact !== undefined && isObject(value) ? await redactedLine(value, redact) : value;
  const data = dataLine.safeParse(safe);
  if (!data.success) {
    const issue = data.error.issues[0];
    totals.rejectedCount += 1;
    if (totals.rejected.length < REPORTED_REJECTIONS) {
      const at = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
      totals.rejected.push({ line, reason: `${at}${issue?.message ?? "not a line of an export"}` });
    }
    return undefined;
  }
  if (data.data.type !== "end") return data.data;
  totals.complete = true;
  return undefined;
}

/** Fields that identify a row are not redacted: a mark in their place would join rows. */
const identifyingFields = ["type", "id", "uid", "uuid", "key", "kind", "session", "project", "at"];

async function redactedLine(line: JsonObject, redact: NonNullable<ImportOptions["redact"]>) {
  const rest = Object.fromEntries(Object.entries(line).filter(([name]) => !identifyingFields.includes(name)));
  return { ...line, ...(await redact(rest)) };
}

function keepBatch(db: Connection, batch: readonly DataLine[], totals: ImportTotals, now: number) {
  const of = <T extends DataLine["type"]>(type: T) =>
    batch.filter((line): line is LineOf<T> => line.type === type);
  const count = (table: ImportedTable, { added, known }: Added) => {
    totals.added[table] += added.length;
    totals.known[table] += known.length;
  };
  db.transaction(() => {
    count("sessions", addSessions(db, of("session"), now));
    const events = addEvents(db, of("event"), now);
    for (const id of events.added) totals.newEvents.add(id);
    count("events", events);
    count("prompts", addPrompts(db, of("prompt"), now));
    const observations = of("observation").map(({ type: _type, observationType, ...rest }) => ({
      ...rest,
      type: observationType,
    }));
    count("observations", addObservations(db, observations, now));
    count("summaries", addSummaries(db, of("summary"), now));
    count("messages", addMessages(db, of("message"), now));
    const jobs = of("job");
    const due = jobs.filter(({ key }) => totals.newEvents.has(key));
    const added = addJobs(db, due, now);
    totals.added.jobs += added;
    totals.known.jobs += jobs.length - added;
  });
}

function addSessions(db: Connection, lines: readonly LineOf<"session">[], now: number): Added {
  const added: string[] = [];
  const known: string[] = [];
  const isForgotten = forgottenFilter(db);
  const exists = db.prepare("SELECT 1 FROM sdk_sessions WHERE claude_session_id = ?");
  for (const line of lines) {
    const last = instantOf(line.lastActivityAt, now);
    if (exists.get(line.session) !== undefined || isForgotten(line.session, line.project, last.epoch)) {
      known.push(line.session);
      continue;
    }
    const { id } = openSession(db, line.session, line.project, instantOf(line.at, now));
    const completed = line.completedAt === undefined ? undefined : instantOf(line.completedAt, now);
    db.run(
      `UPDATE OR IGNORE sdk_sessions SET prompt_counter = ?, status = ?, completed_at = ?, completed_at_epoch = ?,
         last_activity_at = ?, last_activity_epoch = ?, sdk_session_id = ? WHERE id = ?`,
      line.promptCounter,
      line.status,
      completed?.iso ?? null,
      completed?.epoch ?? null,
      last.iso,
      last.epoch,
      line.sdkSessionId ?? null,
      id,
    );
    added.push(line.session);
  }
  return { added, known };
}

/** Events keep the number of their prompt; the prompts themselves come as lines of their own. */
const addEvents = (db: Connection, lines: readonly LineOf<"event">[], now: number) =>
  addAll(db, lines, now, {
    nameOf: ({ id }) => id,
    insert: ({ type: _type, promptNumber, ...event }, _id, at) =>
      insertEvent(db, { v: 1, ...event }, at, promptNumber),
  });
