// Indexes rows for search: their searchable text, speaker, title, and passages with their terms.
import { sha256, sumOf } from "../../../lib/index.ts";
import {
  definedName,
  isCode,
  isQuestion,
  isStandingRequest,
  passagesWithTerms,
  termsOf,
} from "../../../terms/index.ts";
import { indexedRowFrom } from "../../rows.ts";
import { type IndexedRow, searchableText } from "../../searchableText.ts";
import type { EntryKind } from "../../searchIndex.ts";
import type { Connection } from "../connection.ts";
import { indexedTables } from "../schema/schema.ts";
import { addPlace, placeEntries, speakerOf } from "./exchanges.ts";

/** Twelve digits are enough to distinguish projects; letters and digits only, so that it is one token. */
const token = (name: string) => sha256(name).slice(0, 12);

export const projectToken = (project: string) => `p${token(project)}`;
export const kindToken = (kind: EntryKind) => `k${kind}`;

function entryTitle({ kind, row }: IndexedRow, text: string) {
  if (kind === "observation") return row.title;
  return kind === "message" && isCode(text) ? (definedName(text) ?? "") : "";
}

/** Indexes the rows of a kind that have no entry yet, from `ref` on. Called in the transaction that added them. */
export function indexNewRows(db: Connection, kind: EntryKind, after: number) {
  const rows = db.all(
    `SELECT * FROM ${indexedTables[kind]} WHERE id > ? AND NOT EXISTS
         (SELECT 1 FROM entries WHERE kind = '${kind}' AND ref = ${indexedTables[kind]}.id) ORDER BY id`,
    after,
  );
  for (const row of rows) addEntry(db, indexedRowFrom(kind, row));
  placeEntries(db);
  return rows.length;
}

/** Indexes these rows, which have no entry. */
export function indexRows(db: Connection, kind: EntryKind, ids: readonly number[]) {
  const row = db.prepare(`SELECT * FROM ${indexedTables[kind]} WHERE id = ?`);
  for (const id of ids) {
    const found = row.get(id);
    if (found !== undefined) addEntry(db, indexedRowFrom(kind, found));
  }
  placeEntries(db);
}

export function newestRow(db: Connection, kind: EntryKind) {
  return db.number(`SELECT coalesce(max(id), 0) FROM ${indexedTables[kind]}`);
}

function addEntry(db: Connection, indexed: IndexedRow) {
  const text = searchableText(indexed);
  const passages = passagesWithTerms(text);
  const speaker = speakerOf(indexed);
  const length = sumOf(passages, ({ sequence, extra }) => sequence.length + extra.length);
  const entry = db.get(
    `INSERT INTO entries (kind, ref, claude_session_id, project, speaker, title, is_code, is_standing, is_question,
         parts, length, created_at_epoch) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    indexed.kind,
    indexed.row.id,
    indexed.kind === "message" ? indexed.row.session : indexed.row.claudeSessionId,
    indexed.row.project,
    speaker,
    termsOf(entryTitle(indexed, text)).sequence.join(" "),
    Number(isCode(text)),
    Number(speaker === "user" && isStandingRequest(text)),
    Number(indexed.kind === "message" && isQuestion(text)),
    passages.length,
    length,
    indexed.kind === "message" ? indexed.row.atEpoch : indexed.row.createdAtEpoch,
  );
  addPlace(db, Number(entry?.id), indexed, text);
  const place = `${projectToken(indexed.row.project)} ${kindToken(indexed.kind)}`;
  const insert = db.prepare(
    "INSERT INTO passages (entry, start, ending, sequence, extra, place) VALUES (?, ?, ?, ?, ?, ?)",
  );
  for (const { start, end, sequence, extra } of passages)
    insert.run(Number(entry?.id), start, end, sequence.join(" "), extra.join(" "), place);
}
