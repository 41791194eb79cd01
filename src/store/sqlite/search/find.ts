// Queries of the search index: matching passages, term frequencies, neighbours of an entry, and the timeline.

import { entryFrom, type Row, rowClassFrom, termList, type Value } from "../../portable/rows.ts";
import type {
  EntryFilter,
  EntryKind,
  EntryNeighbours,
  EntryTimelineRequest,
  FoundPassage,
  IndexEntry,
  PassageRequest,
  TermStatistics,
} from "../../searchIndex.ts";
import type { Connection } from "../connection.ts";
import { both, everything, oneOf } from "../upkeep/scope.ts";
import { entryCondition, phraseQuery, placeCondition, rowCondition, termQuery } from "./entryFilter.ts";

/** Entries with their places, for the columns of `entryFrom`. */
export const entryTable = "entries JOIN entry_places ON entry_places.entry = entries.id";
export const entryColumns = `entries.id, entries.kind, entries.ref, entries.claude_session_id, entries.project, entries.speaker,
  entries.title, entries.created_at_epoch, entries.is_code, entries.is_standing, entries.is_question,
  entry_places.row_class, entry_places.exchange`;

function matching({ terms, mode }: PassageRequest) {
  if (mode === "phrase") return `sequence : ${phraseQuery(terms)}`;
  return `{sequence extra} : (${terms.map(termQuery).join(mode === "any" ? " OR " : " AND ")})`;
}

/** A passage with its entry as one text: making seventeen values of JavaScript of each row takes longer than finding them. */
const packedPassage = `json_array(passages.id, passages.start, passages.ending, passages.sequence, passages.extra,
  ${entryColumns}) AS packed`;

type PackedPassage = readonly [
  ...[id: number, start: number, end: number, sequence: string, extra: string],
  ...[entry: number, kind: EntryKind, ref: number, session: string, project: string, speaker: string],
  ...[title: string, atEpoch: number, isCode: number, isStanding: number, isQuestion: number],
  ...[rowClass: unknown, exchange: number | null],
];

function passageFrom({ packed }: Row): FoundPassage {
  const row = JSON.parse(String(packed)) as PackedPassage;
  const entry: IndexEntry = {
    id: row[5],
    kind: row[6],
    ref: row[7],
    session: row[8],
    project: row[9],
    speaker: row[10],
    title: termList(row[11]),
    atEpoch: row[12],
    isCode: row[13] === 1,
    isStanding: row[14] === 1,
    isQuestion: row[15] === 1,
    rowClass: rowClassFrom(row[16]),
    exchange: Number(row[17]),
  };
  return { id: row[0], start: row[1], end: row[2], sequence: row[3], extra: row[4], entry };
}

const joined =
  "JOIN passages ON passages.id = found.rowid JOIN entries ON entries.id = passages.entry JOIN entry_places ON entry_places.entry = entries.id";

export function findPassages(db: Connection, request: PassageRequest): FoundPassage[] {
  if (request.terms.length === 0) return [];
  const match = matching(request) + placeCondition(db, request);
  const where = rowCondition(db, request);
  // Joins rows only for the passages that are returned, unless the filter needs the rows.
  const sql =
    where === everything
      ? `SELECT ${packedPassage} FROM (SELECT rowid, rank AS score FROM passages_fts WHERE passages_fts MATCH ?
           ORDER BY rank LIMIT ?) AS found ${joined} ORDER BY found.score`
      : `SELECT ${packedPassage} FROM passages_fts AS found ${joined}
           WHERE passages_fts MATCH ? AND ${where.sql} ORDER BY found.rank LIMIT ?`;
  return db.all(sql, match, ...where.values, request.limit).map(passageFrom);
}

export const passagesById = (db: Connection, ids: readonly number[]): FoundPassage[] =>
  db
    .all(
      `SELECT ${packedPassage} FROM (SELECT key, value AS rowid FROM json_each(?)) AS found ${joined} ORDER BY found.key`,
      JSON.stringify(ids),
    )
    .map(passageFrom);

const termMatch = (term: string) => `{sequence extra} : ${termQuery(term)}`;

/** A term is counted up to here; beyond, the count is extrapolated from how far the index was read. */
const COUNTED = 5_000;

/** Ids as one text: making a row of JavaScript of each takes longer than finding it. */
const idsOf = (row: Row | undefined) => JSON.parse(String(row?.ids ?? "[]")) as number[];

export function termStatistics(
  db: Connection,
  terms: readonly string[],
  filter: EntryFilter,
): TermStatistics {
  const place = placeCondition(db, filter);
  const inPlace = both(oneOf("kind", filter.kinds), oneOf("project", filter.projects));
  const sizes = db.get(
    `SELECT sum(parts) AS parts, sum(length) AS length FROM index_sizes WHERE ${inPlace.sql}`,
    ...inPlace.values,
  );
  const passages = Number(sizes?.parts ?? 0);
  const where = rowCondition(db, filter);
  const listed = `SELECT json_group_array(rowid) AS ids FROM
    (SELECT rowid FROM passages_fts WHERE passages_fts MATCH ? LIMIT ${COUNTED})`;
  const filtered = `SELECT json_group_array(found.rowid) AS ids FROM passages_fts AS found ${joined}
    WHERE passages_fts MATCH ? AND ${where.sql}`;
  const frequency = new Map<string, number>();
  const holders = new Map<string, readonly number[]>();
  for (const term of terms) {
    const match = termMatch(term) + place;
    const ids = idsOf(db.get(listed, match));
    if (ids.length === 0) continue;
    if (ids.length < COUNTED) {
      frequency.set(term, ids.length);
      holders.set(term, where === everything ? ids : idsOf(db.get(filtered, match, ...where.values)));
    } else {
      const newest = db.number("SELECT coalesce(max(id), 0) FROM passages");
      frequency.set(term, Math.min(passages, Math.round((COUNTED * newest) / (ids.at(-1) ?? newest))));
    }
  }
  const meanLength = passages === 0 ? 0 : Number(sizes?.length) / passages;
  return { passages, meanLength, frequency, holders };
}

export function rarity(
  db: Connection,
  terms: readonly string[],
  most: number,
): Pick<TermStatistics, "passages" | "frequency"> {
  const count = "SELECT count(*) FROM (SELECT 1 FROM passages_fts WHERE passages_fts MATCH ? LIMIT ?)";
  const counted = terms.map((term) => [term, db.number(count, termMatch(term), most)] as const);
  const frequency = new Map(counted.filter(([, found]) => found > 0));
  // Ids of forgotten passages are not reused, so this counts slightly too many.
  const passages = db.number("SELECT coalesce(max(id), 0) FROM passages");
  return { passages, frequency };
}

export function vocabulary(db: Connection, beginning: string, limit: number): ReadonlyMap<string, number> {
  db.exec(
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.passage_terms USING fts5vocab('main', 'passages_fts', 'row')",
  );
  const rows = db.all(
    "SELECT term, doc FROM temp.passage_terms WHERE term >= ? AND term < ? LIMIT ?",
    beginning,
    `${beginning}\u{10ffff}`,
    limit,
  );
  return new Map(rows.map(({ term, doc }) => [String(term), Number(doc)]));
}

export function surroundings(
  db: Connection,
  entries: readonly IndexEntry[],
  reach: number,
): ReadonlyMap<number, EntryNeighbours> {
  const side = (comparison: string, direction: string) =>
    db.prepare(
      `SELECT ${entryColumns} FROM ${entryTable} WHERE claude_session_id = ? AND kind = ?
         AND (created_at_epoch, id) ${comparison} (?, ?)
         ORDER BY created_at_epoch ${direction}, id ${direction} LIMIT ?`,
    );
  const [earlier, later] = [side("<", "DESC"), side(">", "ASC")];
  const of = ({ session, kind, atEpoch, id }: IndexEntry): EntryNeighbours => {
    const values: Value[] = [session, kind, atEpoch, id, reach];
    return { before: earlier.all(...values).map(entryFrom), after: later.all(...values).map(entryFrom) };
  };
  return new Map(entries.map((entry) => [entry.id, of(entry)]));
}

export function listEntries(
  db: Connection,
  filter: EntryFilter & { readonly standing?: true },
  limit: number,
) {
  const { sql, values } = entryCondition(db, filter);
  const standing = filter.standing === true ? "AND entries.is_standing = 1" : "";
  return db
    .all(
      `SELECT ${entryColumns} FROM ${entryTable} WHERE ${sql} ${standing} ORDER BY created_at_epoch DESC, id DESC LIMIT ?`,
      ...values,
      limit,
    )
    .map(entryFrom);
}

export function entriesOf(
  db: Connection,
  rows: readonly { readonly kind: EntryKind; readonly ref: number }[],
) {
  const sql = `SELECT ${entryColumns} FROM ${entryTable} WHERE kind = ? AND ref = ?`;
  return rows.flatMap(({ kind, ref }) => db.all(sql, kind, ref)).map(entryFrom);
}

export function timeline(db: Connection, request: EntryTimelineRequest) {
  const { around } = request;
  const middle =
    typeof around === "number"
      ? db.all(`SELECT ${entryColumns} FROM ${entryTable} WHERE id = ?`, around).map(entryFrom)
      : [];
  const [entry] = middle;
  const at = typeof around === "number" ? entry?.atEpoch : Date.parse(around.at);
  if (at === undefined || Number.isNaN(at)) return [];
  const where = entryCondition(db, request);
  const side = (comparison: string, direction: string, limit: number) =>
    db
      .all(
        `SELECT ${entryColumns} FROM ${entryTable} WHERE ${where.sql} AND (created_at_epoch, id) ${comparison} (?, ?)
           ORDER BY created_at_epoch ${direction}, id ${direction} LIMIT ?`,
        ...where.values,
        at,
        entry?.id ?? 0,
        limit,
      )
      .map(entryFrom);
  return [...side("<", "DESC", request.before).reverse(), ...middle, ...side(">", "ASC", request.after)];
}
