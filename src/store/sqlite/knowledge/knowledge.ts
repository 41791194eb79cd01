// Adds and revises observations, summaries, prompts and messages, each with its session and its index entries.
import { timeOrderedId } from "../../../lib/index.ts";
import type { Revisions } from "../../jobQueue.ts";
import type {
  Added,
  NewMessage,
  NewObservation,
  NewSummary,
  ObservationText,
  SummaryText,
} from "../../model.ts";
import type { EntryKind } from "../../searchIndex.ts";
import { type Instant, instantOf } from "../../time.ts";
import type { Connection } from "../connection.ts";
import type { Value } from "../driver.ts";
import { type OpenSession, sessionBook, touch } from "../events/sessions.ts";
import { indexedTables } from "../schema/schema.ts";
import { indexNewRows, newestRow } from "../search/entries.ts";
import { forgottenFilter } from "../upkeep/forget.ts";

interface NewItem {
  readonly session: string;
  readonly project: string;
  readonly at: string;
}

/** Adds each with its session and its place in the index, in one transaction; `insert` says whether the row was new. */
function addAll<T extends NewItem>(
  db: Connection,
  items: readonly T[],
  now: number,
  adding: {
    readonly kind: EntryKind;
    readonly nameOf: (item: T) => string;
    readonly insert: (item: T, name: string, at: Instant, session: OpenSession) => boolean;
  },
): Added {
  const added: string[] = [];
  const known: string[] = [];
  if (items.length === 0) return { added, known };
  db.transaction(() => {
    const book = sessionBook(db);
    const before = newestRow(db, adding.kind);
    const isForgotten = forgottenFilter(db);
    for (const item of items) {
      const at = instantOf(item.at, now);
      const name = adding.nameOf(item);
      if (isForgotten(item.session, item.project, at.epoch)) {
        known.push(name);
        continue;
      }
      const session = book.of(item.session, item.project, at);
      const isNew = adding.insert(item, name, at, session);
      if (isNew) touch(session, "", at.epoch);
      (isNew ? added : known).push(name);
    }
    book.writeAll();
    indexNewRows(db, adding.kind, before);
  });
  return { added, known };
}

const json = (list: readonly string[] | undefined) => (list === undefined ? null : JSON.stringify(list));

type Columns = Readonly<Record<string, Value | undefined>>;

const observationColumns = (item: ObservationText): Columns => ({
  tool_name: item.toolName,
  correlation_id: item.correlationId,
  title: item.title,
  subtitle: item.subtitle,
  narrative: item.narrative,
  text: item.text,
  facts: json(item.facts),
  concepts: json(item.concepts),
  type: item.type,
  files_read: json(item.filesRead),
  files_modified: json(item.filesModified),
});

const summaryColumns = (item: SummaryText): Columns => ({
  request: item.request,
  investigated: item.investigated,
  learned: item.learned,
  completed: item.completed,
  next_steps: item.nextSteps,
  notes: item.notes,
});

/** The columns are ours and fixed per table, so that each table has one statement. */
export function insertRow(db: Connection, table: string, columns: Columns): boolean {
  const names = Object.keys(columns);
  return (
    db.run(
      `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")}) ON CONFLICT DO NOTHING`,
      ...Object.values(columns).map((value) => value ?? null),
    ) > 0
  );
}

export const rowColumns = (
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

export function addObservations(db: Connection, items: readonly NewObservation[], now: number): Added {
  return addAll(db, items, now, {
    kind: "observation",
    nameOf: ({ uid }) => uid ?? timeOrderedId("ob", now),
    insert: (item, uid, at, session) =>
      insertRow(db, "observations", {
        ...rowColumns(item, uid, at, session),
        session_id: session.id,
        ...observationColumns(item),
      }),
  });
}

export function addSummaries(db: Connection, items: readonly NewSummary[], now: number): Added {
  return addAll(db, items, now, {
    kind: "summary",
    nameOf: ({ uid }) => uid ?? timeOrderedId("su", now),
    insert: (item, uid, at, session) =>
      insertRow(db, "session_summaries", {
        ...rowColumns(item, uid, at, session),
        ...summaryColumns(item),
      }),
  });
}

interface NewPrompt extends NewItem {
  readonly uid: string;
  readonly promptNumber: number;
  readonly promptText: string;
}

/** For prompts that come without their event; the session counts at least as far as their numbers. */
export function addPrompts(db: Connection, items: readonly NewPrompt[], now: number): Added {
  return addAll(db, items, now, {
    kind: "prompt",
    nameOf: ({ uid }) => uid,
    insert: (item, uid, at, session) => {
      const columns = { ...rowColumns(item, uid, at, session), prompt_text: item.promptText };
      const isNew = insertRow(db, "user_prompts", columns);
      if (isNew) session.promptCounter = Math.max(session.promptCounter, item.promptNumber);
      return isNew;
    },
  });
}

export function addMessages(db: Connection, items: readonly NewMessage[], now: number): Added {
  return addAll(db, items, now, {
    kind: "message",
    nameOf: ({ uuid }) => uuid,
    insert: (item, uuid, at) =>
      insertRow(db, "messages", {
        uuid,
        claude_session_id: item.session,
        project: item.project,
        role: item.role,
        agent: item.agent,
        text: item.text,
        created_at: at.iso,
        created_at_epoch: at.epoch,
      }),
  });
}

/** Inside the transaction of the work that gave the words. */
export function revise(db: Connection, { observations = [], summaries = [] }: Revisions): void {
  for (const { uid, ...text } of observations) reviseRow(db, "observation", uid, observationColumns(text));
  for (const { uid, ...text } of summaries) reviseRow(db, "summary", uid, summaryColumns(text));
}

function reviseRow(db: Connection, kind: EntryKind, uid: string, columns: Columns): void {
  const table = indexedTables[kind];
  const assignments = Object.keys(columns).map((name) => `${name} = ?`);
  const row = db.get(
    `UPDATE ${table} SET ${assignments.join(", ")} WHERE uid = ? RETURNING id`,
    ...Object.values(columns).map((value) => value ?? null),
    uid,
  );
  if (row !== undefined) indexNewRows(db, kind, Number(row.id) - 1);
}
