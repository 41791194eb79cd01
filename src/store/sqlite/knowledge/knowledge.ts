// Adds and revises observations, summaries, prompts and messages, each with its session and its index entries.
import { timeOrderedId } from "../../../lib/index.ts";
import type { Revisions } from "../../jobQueue.ts";
import type { Added, NewMessage, NewObservation, NewSummary } from "../../model.ts";
import { assignments } from "../../portable/corrections.ts";
import {
  columnsFor,
  eventFields,
  messageFields,
  observationColumns,
  observationFrom,
  summaryFields,
} from "../../portable/rows.ts";
import type { EntryKind } from "../../searchIndex.ts";
import { type Instant, instantOf } from "../../time.ts";
import type { Connection } from "../connection.ts";
import { type OpenSession, openSessions, touch } from "../events/sessions.ts";
import { indexedTables } from "../schema/schema.ts";
import { indexNewRows, newestRow } from "../search/entries.ts";
import { forgottenFilter } from "../upkeep/forget.ts";
import { isDeleted, isEdited } from "./corrections.ts";
import { insertRow } from "./lists.ts";

interface NewItem {
  readonly session: string;
  readonly project: string;
  readonly at: string;
  /** The kind of an event: some kinds open or complete the session. */
  readonly kind?: string;
}

/**
 * Adds each item with its session and its index entry, in one transaction. An item that was forgotten counts as known: it must
 * not come back, and the caller must not send it again.
 */
export function addAll<T extends NewItem>(
  db: Connection,
  items: readonly T[],
  now: number,
  adding: {
    /** The rows to index. */
    readonly indexed?: EntryKind;
    readonly nameOf: (item: T) => string;
    readonly isKnown?: (item: T) => boolean;
    /** Gives whether the row was new. */
    readonly insert: (item: T, name: string, at: Instant, session: OpenSession) => boolean;
  },
): Added {
  const added: string[] = [];
  const known: string[] = [];
  if (items.length === 0) return { added, known };
  const { indexed, nameOf, isKnown, insert } = adding;
  db.transaction(() => {
    const sessions = openSessions(db);
    const before = indexed && newestRow(db, indexed);
    const isForgotten = forgottenFilter(db);
    for (const item of items) {
      const at = instantOf(item.at, now);
      const name = nameOf(item);
      if (isKnown?.(item) || isForgotten(item.session, item.project, at.epoch)) {
        known.push(name);
        continue;
      }
      const session = sessions.open(item.session, item.project, at);
      const isNew = insert(item, name, at, session);
      if (isNew) touch(session, item.kind, at.epoch);
      (isNew ? added : known).push(name);
    }
    sessions.writeAll();
    if (indexed !== undefined) indexNewRows(db, indexed, before ?? 0);
  });
  return { added, known };
}

export const rowColumns = (
  item: NewItem & { readonly promptNumber: number },
  uid: string,
  at: Instant,
  session: OpenSession,
) => ({
  uid,
  sdk_session_id: session.sdkSessionId,
  claude_session_id: item.session,
  project: item.project,
  prompt_number: item.promptNumber,
  created_at: at.iso,
  created_at_epoch: at.epoch,
});

export function addObservations(db: Connection, items: readonly NewObservation[], now: number) {
  return addAll(db, items, now, {
    indexed: "observation",
    nameOf: ({ uid }) => uid ?? timeOrderedId("ob", now),
    isKnown: ({ uid }) => isDeleted(db, uid),
    insert: (item, uid, at, session) =>
      insertRow(db, "observations", {
        ...rowColumns(item, uid, at, session),
        session_id: session.id,
        ...observationColumns(item),
      }),
  });
}

export function addSummaries(db: Connection, items: readonly NewSummary[], now: number) {
  return addAll(db, items, now, {
    indexed: "summary",
    nameOf: ({ uid }) => uid ?? timeOrderedId("su", now),
    isKnown: ({ uid }) => isDeleted(db, uid),
    insert: (item, uid, at, session) =>
      insertRow(db, "session_summaries", {
        ...rowColumns(item, uid, at, session),
        ...columnsFor(summaryFields, item),
      }),
  });
}

interface NewPrompt extends NewItem {
  readonly uid: string;
  readonly promptNumber: number;
  readonly promptText: string;
}

/** For prompts that come without their event; the session counts at least as far as their numbers. */
export function addPrompts(db: Connection, items: readonly NewPrompt[], now: number) {
  return addAll(db, items, now, {
    indexed: "prompt",
    nameOf: ({ uid }) => uid,
    insert: (item, uid, at, session) => {
      const columns = { ...rowColumns(item, uid, at, session), prompt_text: item.promptText };
      const isNew = insertRow(db, "user_prompts", columns);
      if (isNew) session.promptCounter = Math.max(session.promptCounter, item.promptNumber);
      return isNew;
    },
  });
}

export function addMessages(db: Connection, items: readonly NewMessage[], now: number) {
  return addAll(db, items, now, {
    indexed: "message",
    nameOf: ({ uuid }) => uuid,
    insert: (item, _uuid, { iso, epoch }) =>
      insertRow(db, "messages", columnsFor(messageFields, { ...item, at: iso, atEpoch: epoch })),
  });
}

/** Called in the transaction that completes the job which gave the new texts. */
export function revise(db: Connection, { observations = [], summaries = [], by }: Revisions) {
  const worded = by ? { sdk_session_id: by.modelSession } : {};
  const reviseRow = (kind: EntryKind, uid: string, texts: ReturnType<typeof columnsFor>) => {
    if (isEdited(db, uid)) return;
    const columns = { ...texts, ...worded };
    const row = db.get(
      `UPDATE ${indexedTables[kind]} SET ${assignments(columns)} WHERE uid = ? RETURNING id`,
      ...Object.values(columns),
      uid,
    );
    if (row) indexNewRows(db, kind, Number(row.id) - 1);
    // A text that was changed here is sent from here.
    db.run("DELETE FROM received WHERE kind = ? AND uid = ? AND person IS NULL", kind, uid);
  };
  for (const item of observations) reviseRow("observation", item.uid, observationColumns(item));
  for (const item of summaries) reviseRow("summary", item.uid, columnsFor(summaryFields, item));
}

/** Takes rows away with their index entries. An event keeps each with the reason, at the time of the row. */
export function dropObservations(db: Connection, dropped: NonNullable<Revisions["dropped"]>, now: number) {
  for (const { uid, reason } of dropped) {
    if (isEdited(db, uid)) continue;
    const row = db.get("DELETE FROM observations WHERE uid = ? RETURNING *", uid);
    if (!row) continue;
    db.run("INSERT OR IGNORE INTO withdrawn (kind, uid) VALUES ('observation', ?)", uid);
    const observation = observationFrom(row);
    const { claudeSessionId: session, project, promptNumber, createdAt } = observation;
    const { iso, epoch } = instantOf(createdAt, now);
    const event = { id: `ev_dropped_${uid}`, kind: "observation-dropped", lane: "worker", writer: "refine" };
    const place = { session, project, promptNumber, at: iso, payload: { reason, observation } };
    const columns = columnsFor(eventFields, { ...event, ...place });
    insertRow(db, "events", { ...columns, created_at_epoch: epoch });
  }
}
