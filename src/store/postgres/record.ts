// Adds rows with their sessions, feed and index, in one transaction: events and prompts, observations, summaries, messages.
import { optionalString, timeOrderedId } from "../../lib/index.ts";
import type { FinishedSource, RedactedEvent } from "../events.ts";
import type { NewJob } from "../jobQueue.ts";
import type { Added, NewMessage, NewObservation, NewSummary } from "../model.ts";
import { deletionId, editIds } from "../portable/corrections.ts";
import {
  type Columns,
  columnsFor,
  eventFields,
  indexedRowFrom,
  messageFields,
  observationColumns,
  summaryFields,
} from "../portable/rows.ts";
import { type Instant, instantOf } from "../time.ts";
import type { Transaction, Writer } from "./connection.ts";
import { addJobs } from "./newJobs.ts";
import type { CounterName, TableName } from "./schema.ts";
import { indexRows } from "./search/entries.ts";
import { forgottenFilter, type OpenSession, openSessions, touch } from "./sessions.ts";

interface NewItem {
  readonly session: string;
  readonly project: string;
  readonly at: string;
  readonly kind?: string;
}

/** The tables of rows that an event or a job makes. */
export const kinds = {
  event: { table: "events", counter: "events", key: "seq" },
  prompt: { table: "user_prompts", counter: "prompts", key: "id" },
  observation: { table: "observations", counter: "observations", key: "id" },
  summary: { table: "session_summaries", counter: "summaries", key: "id" },
  message: { table: "messages", counter: "messages", key: "id" },
} as const satisfies Readonly<Record<string, { table: TableName; counter: CounterName; key: string }>>;

export type RowKind = keyof typeof kinds;

type Rows = ReturnType<typeof rowsOn>;

/** Rows that wait to be written, in their order. */
function rowsOn(on: Writer) {
  const rows: { readonly kind: RowKind; readonly columns: Columns }[] = [];
  return {
    add(kind: RowKind, columns: Columns) {
      const { counter, key } = kinds[kind];
      rows.push({ kind, columns: { [key]: on.next(counter), ...columns } });
    },
    async write() {
      for (const kind of Object.keys(kinds) as RowKind[]) {
        const own = rows.filter((row) => row.kind === kind).map(({ columns }) => columns);
        await on.insert(kinds[kind].table, own);
        if (kind !== "event")
          await indexRows(
            on,
            own.map((columns) => indexedRowFrom(kind, columns)),
          );
      }
      const changes = rows.filter(({ kind }) => kind !== "message");
      await on.insert(
        "feed",
        changes.map(({ kind, columns }) => ({
          ...{
            id: on.next("feed"),
            kind,
            ref: columns[kinds[kind].key] ?? 0,
            project: columns.project ?? "",
          },
        })),
      );
    },
  };
}

export async function addRow(on: Writer, kind: RowKind, columns: Columns) {
  const rows = rowsOn(on);
  rows.add(kind, columns);
  await rows.write();
}

interface Adding<T> {
  readonly nameOf: (item: T) => string;
  /** What identifies it among rows of its owner; its name unless given. */
  readonly keyOf?: (item: T) => string;
  /** Those of the keys that are there. */
  readonly known: (items: readonly T[]) => Promise<ReadonlySet<string>>;
  readonly add: (item: T, name: string, at: Instant, session: OpenSession, rows: Rows) => void;
}

/** An item that was forgotten counts as known: it must not come back, and the caller must not send it again. */
async function addAll<T extends NewItem>(
  on: Writer,
  items: readonly T[],
  now: number,
  { nameOf, keyOf = nameOf, known, add }: Adding<T>,
): Promise<Added> {
  const answer = { added: [] as string[], known: [] as string[] };
  if (items.length === 0) return answer;
  const there = new Set(await known(items));
  const isForgotten = await forgottenFilter(on);
  const sessions = await openSessions(
    on,
    items.map(({ session }) => session),
  );
  const rows = rowsOn(on);
  for (const item of items) {
    const at = instantOf(item.at, now);
    const name = nameOf(item);
    const key = keyOf === nameOf ? name : keyOf(item);
    if (there.has(key) || isForgotten(item.session, item.project, at.epoch)) {
      answer.known.push(name);
      continue;
    }
    const session = sessions.open(item.session, item.project, at);
    add(item, name, at, session, rows);
    touch(session, item.kind, at.epoch);
    there.add(key);
    answer.added.push(name);
  }
  await rows.write();
  await sessions.writeAll();
  return answer;
}

const keysIn = async (on: Transaction, table: TableName, column: string, keys: readonly string[]) =>
  new Set(
    (
      await on.all(
        `SELECT ${column} AS key FROM ${table} WHERE person_id = ? AND ${column} = ANY(?)`,
        on.space.person,
        keys,
      )
    ).map(({ key }) => String(key)),
  );

const rowColumns = (
  item: NewItem & { readonly promptNumber: number },
  uid: string,
  at: Instant,
  session: OpenSession,
): Columns => ({
  uid,
  sdk_session_id: session.sdkSessionId,
  claude_session_id: item.session,
  project: item.project,
  prompt_number: item.promptNumber,
  created_at: at.iso,
  created_at_epoch: at.epoch,
});

export const eventColumns = (event: RedactedEvent, at: Instant, promptNumber: number): Columns => ({
  ...columnsFor(eventFields, { ...event, at: at.iso, promptNumber }),
  created_at_epoch: at.epoch,
});

interface RecordContext {
  readonly now: number;
  readonly work: (event: RedactedEvent) => NewJob | undefined;
  readonly holdUntil?: number;
}

/** Marks a held job by its payload, which is otherwise empty before the job is worked on. */
const HELD_PAYLOAD = { held: true };

export async function recordEvents(
  on: Writer,
  events: readonly RedactedEvent[],
  { now, work, holdUntil }: RecordContext,
): Promise<Added> {
  const jobs: NewJob[] = [];
  const ids = events.map(({ id }) => id);
  // A prompt whose raw event was dropped by retention keeps its row and its number.
  const prompts = await keysIn(on, "user_prompts", "uid", ids);
  const recorded = await addAll(on, events, now, {
    nameOf: ({ id }) => id,
    known: () => keysIn(on, "events", "id", ids),
    add: (event, id, at, session, rows) => {
      if (event.kind === "prompt" && !prompts.has(id)) {
        session.promptCounter += 1;
        const columns = rowColumns({ ...event, promptNumber: session.promptCounter }, id, at, session);
        rows.add("prompt", { ...columns, prompt_text: optionalString(event.payload.prompt) ?? "" });
      }
      const job = work(event);
      if (job !== undefined)
        jobs.push(holdUntil === undefined ? job : { ...job, payload: HELD_PAYLOAD, notBefore: holdUntil });
      rows.add("event", eventColumns(event, at, session.promptCounter));
    },
  });
  await addJobs(on, jobs, now);
  return recorded;
}

/** Events of an export keep the number of their prompt; the prompts themselves come as lines of their own. */
export const addEvents = (
  on: Writer,
  events: readonly (RedactedEvent & { readonly promptNumber: number })[],
  now: number,
) =>
  addAll(on, events, now, {
    nameOf: ({ id }) => id,
    known: (items) =>
      keysIn(
        on,
        "events",
        "id",
        items.map(({ id }) => id),
      ),
    add: (event, _id, at, _session, rows) => rows.add("event", eventColumns(event, at, event.promptNumber)),
  });

/** Those of the rows that are there, or that a user deleted. */
const uidsIn = (on: Transaction, table: TableName) => async (items: readonly { readonly uid?: string }[]) => {
  const uids = items.flatMap(({ uid }) => uid ?? []);
  const deleted = await keysIn(on, "events", "id", uids.map(deletionId));
  const there = await keysIn(on, table, "uid", uids);
  return new Set([...there, ...uids.filter((uid) => deleted.has(deletionId(uid)))]);
};

/** The events that hold a row as it was before each edit of a user, oldest first. */
export async function editsIn(on: Transaction, session: string, uid: string) {
  const { first, end } = editIds(uid);
  return on.all(
    `SELECT * FROM events WHERE person_id = ? AND claude_session_id = ? AND id COLLATE "C" >= ? AND id COLLATE "C" < ?
       ORDER BY id COLLATE "C"`,
    on.space.person,
    session,
    first,
    end,
  );
}

export const addObservations = (on: Writer, items: readonly NewObservation[], now: number) =>
  addAll(on, items, now, {
    nameOf: ({ uid }) => uid ?? timeOrderedId("ob", now),
    known: uidsIn(on, "observations"),
    add: (item, uid, at, session, rows) =>
      rows.add("observation", {
        ...rowColumns(item, uid, at, session),
        session_id: session.id,
        ...observationColumns(item),
      }),
  });

export const addSummaries = (on: Writer, items: readonly NewSummary[], now: number) =>
  addAll(on, items, now, {
    nameOf: ({ uid }) => uid ?? timeOrderedId("su", now),
    known: uidsIn(on, "session_summaries"),
    add: (item, uid, at, session, rows) =>
      rows.add("summary", { ...rowColumns(item, uid, at, session), ...columnsFor(summaryFields, item) }),
  });

interface NewPrompt extends NewItem {
  readonly uid: string;
  readonly promptNumber: number;
  readonly promptText: string;
}

/** For prompts that come without their event; the session counts at least as far as their numbers. */
export const addPrompts = (on: Writer, items: readonly NewPrompt[], now: number) =>
  addAll(on, items, now, {
    nameOf: ({ uid }) => uid,
    known: uidsIn(on, "user_prompts"),
    add: (item, uid, at, session, rows) => {
      rows.add("prompt", { ...rowColumns(item, uid, at, session), prompt_text: item.promptText });
      session.promptCounter = Math.max(session.promptCounter, item.promptNumber);
    },
  });

const messageKey = (session: unknown, uuid: unknown) => `${session}\n${uuid}`;

export const addMessages = (on: Writer, items: readonly NewMessage[], now: number) =>
  addAll(on, items, now, {
    nameOf: ({ uuid }) => uuid,
    keyOf: ({ session, uuid }) => messageKey(session, uuid),
    known: async () => {
      const rows = await on.all(
        "SELECT claude_session_id AS session, uuid FROM messages WHERE claude_session_id = ANY(?) AND uuid = ANY(?)",
        [...new Set(items.map(({ session }) => session))],
        items.map(({ uuid }) => uuid),
      );
      return new Set(rows.map(({ session, uuid }) => messageKey(session, uuid)));
    },
    add: (item, _uuid, { iso, epoch }, _session, rows) =>
      rows.add("message", columnsFor(messageFields, { ...item, at: iso, atEpoch: epoch })),
  });

export async function sourceState(on: Transaction, key: string) {
  const row = await on.get("SELECT state FROM imported WHERE key = ?", key);
  return row && String(row.state);
}

export async function finishSource(on: Writer, { key, state, session }: FinishedSource) {
  await on.run("DELETE FROM imported WHERE key = ?", key);
  if (state !== undefined) await on.insert("imported", [{ key, state }]);
  if (session === undefined) return;
  await on.run(
    "UPDATE queue SET payload = '{}', not_before = 0 WHERE claude_session_id = ? AND payload = ?",
    session,
    JSON.stringify(HELD_PAYLOAD),
  );
}

const uuidsOf = (
  rows: readonly Columns[] | readonly Readonly<Record<string, unknown>>[],
): ReadonlySet<string> => new Set(rows.map(({ uuid }) => String(uuid)));

export const messagesElsewhere = async (on: Transaction, session: string, uuids: readonly string[]) =>
  uuidsOf(
    await on.all(
      "SELECT DISTINCT uuid FROM messages WHERE uuid = ANY(?) AND role <> 'tool' AND claude_session_id <> ?",
      uuids,
      session,
    ),
  );

export const knownMessages = async (on: Transaction, session: string, uuids: readonly string[]) =>
  uuidsOf(
    await on.all("SELECT uuid FROM messages WHERE claude_session_id = ? AND uuid = ANY(?)", session, uuids),
  );
