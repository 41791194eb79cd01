// Queries of the search index: matching passages, term frequencies, neighbours of an entry, and the timeline.

import { rowClasses } from "../../../terms/index.ts";
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
import type { Row, Value } from "../driver.ts";
import { rowReader } from "../knowledge/rows.ts";
import { both, everything, oneOf } from "../upkeep/scope.ts";
import { entryCondition, phraseQuery, placeCondition, rowCondition, termQuery } from "./entryFilter.ts";

const termList = (value: unknown) => (value === "" ? [] : String(value).split(" "));

export const entryFrom: (row: Row) => IndexEntry = rowReader({
  id: Number,
  kind: (kind) => kind as EntryKind,
  ref: Number,
  session: String,
  project: String,
  speaker: String,
  title: termList,
  atEpoch: Number,
  isCode: Boolean,
  isStanding: Boolean,
  isQuestion: Boolean,
  rowClass: (name) => rowClasses.find((one) => one === name) ?? "prose",
  exchange: Number,
});

/** Entries with their places, for the columns of `entryFrom`. */
export const entryTable = "entries JOIN entry_places ON entry_places.entry = entries.id";
export const entryColumns = "entries.*, entry_places.row_class, entry_places.exchange";

export function passageFrom(row: Row): FoundPassage {
  return {
    entry: entryFrom(row),
    start: Number(row.start),
    end: Number(row.ending),
    sequence: termList(row.sequence),
    extra: termList(row.extra),
  };
}

function matching({ terms, mode }: PassageRequest) {
  if (mode === "phrase") return `sequence : ${phraseQuery(terms)}`;
  return `{sequence extra} : (${terms.map(termQuery).join(mode === "any" ? " OR " : " AND ")})`;
}

export const passageColumns = `${entryColumns}, passages.start, passages.ending, passages.sequence, passages.extra`;

export function findPassages(db: Connection, request: PassageRequest): FoundPassage[] {
  if (request.terms.length === 0) return [];
  const match = matching(request) + placeCondition(db, request);
  const where = rowCondition(db, request);
  const joined =
    "JOIN passages ON passages.id = found.rowid JOIN entries ON entries.id = passages.entry JOIN entry_places ON entry_places.entry = entries.id";
  // Joins rows only for the passages that are returned, unless the filter needs the rows.
  const sql =
    where === everything
      ? `SELECT ${passageColumns} FROM (SELECT rowid, rank AS score FROM passages_fts WHERE passages_fts MATCH ?
           ORDER BY rank LIMIT ?) AS found ${joined} ORDER BY found.score`
      : `SELECT ${passageColumns} FROM passages_fts AS found ${joined}
           WHERE passages_fts MATCH ? AND ${where.sql} ORDER BY found.rank LIMIT ?`;
  return db.all(sql, match, ...where.values, request.limit).map(passageFrom);
}

/** How many passages have each term, as `count` says; terms that are nowhere are absent. */
const frequencies = (terms: readonly string[], count: (query: string) => number) =>
  new Map(
    terms
      .map((term) => [term, count(`{sequence extra} : ${termQuery(term)}`)] as const)
      .filter(([, found]) => found > 0),
  );

/** A term is counted up to here; beyond, the count is extrapolated from how far the index was read. */
const COUNTED = 5_000;

export function termStatistics(
  db: Connection,
  terms: readonly string[],
  filter: Pick<EntryFilter, "projects" | "kinds">,
): TermStatistics {
  const place = placeCondition(db, filter);
  const where = both(oneOf("kind", filter.kinds), oneOf("project", filter.projects));
  const sizes = db.get(
    `SELECT sum(parts) AS parts, sum(length) AS length FROM index_sizes WHERE ${where.sql}`,
    ...where.values,
  );
  const passages = Number(sizes?.parts ?? 0);
  const newest = db.number("SELECT coalesce(max(id), 0) FROM passages");
  const count = `SELECT count(*) AS found, max(rowid) AS last FROM
    (SELECT rowid FROM passages_fts WHERE passages_fts MATCH ? LIMIT ${COUNTED})`;
  const frequency = frequencies(terms, (query) => {
    const row = db.get(count, query + place);
    const found = Number(row?.found ?? 0);
    return found < COUNTED ? found : Math.min(passages, Math.round((found * newest) / Number(row?.last)));
  });
  return { passages, meanLength: passages === 0 ? 0 : Number(sizes?.length) / passages, frequency };
}

export function rarity(
  db: Connection,
  terms: readonly string[],
  most: number,
): Omit<TermStatistics, "meanLength"> {
  const count = "SELECT count(*) FROM (SELECT 1 FROM passages_fts WHERE passages_fts MATCH ? LIMIT ?)";
  const frequency = frequencies(terms, (query) => db.number(count, query, most));
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
