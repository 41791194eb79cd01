// Queries of the search index: matching passages, term frequencies, neighbours of an entry, and the timeline.
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
import { everything } from "../upkeep/scope.ts";
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
});

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

export const passageColumns = "entries.*, passages.start, passages.ending, passages.sequence, passages.extra";

export function findPassages(db: Connection, request: PassageRequest): FoundPassage[] {
  if (request.terms.length === 0) return [];
  const match = matching(request) + placeCondition(db, request);
  const where = rowCondition(db, request);
  const joined = "JOIN passages ON passages.id = found.rowid JOIN entries ON entries.id = passages.entry";
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

export function termStatistics(
  db: Connection,
  terms: readonly string[],
  filter: Pick<EntryFilter, "projects" | "kinds">,
): TermStatistics {
  const place = placeCondition(db, filter);
  const where = entryCondition(db, filter);
  const sizes = db.get(
    `SELECT sum(parts) AS parts, sum(length) AS length FROM entries WHERE ${where.sql}`,
    ...where.values,
  );
  const passages = Number(sizes?.parts ?? 0);
  const count = "SELECT count(*) FROM passages_fts WHERE passages_fts MATCH ?";
  const frequency = frequencies(terms, (query) => db.number(count, query + place));
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
      `SELECT * FROM entries WHERE claude_session_id = ? AND kind = ?
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
      `SELECT * FROM entries WHERE ${sql} ${standing} ORDER BY created_at_epoch DESC, id DESC LIMIT ?`,
      ...values,
      limit,
    )
    .map(entryFrom);
}

export function entriesOf(
  db: Connection,
  rows: readonly { readonly kind: EntryKind; readonly ref: number }[],
) {
  const sql = "SELECT * FROM entries WHERE kind = ? AND ref = ?";
  return rows.flatMap(({ kind, ref }) => db.all(sql, kind, ref)).map(entryFrom);
}

export function timeline(db: Connection, request: EntryTimelineRequest) {
  const { around } = request;
  const middle =
    typeof around === "number" ? db.all("SELECT * FROM entries WHERE id = ?", around).map(entryFrom) : [];
  const [entry] = middle;
  const at = typeof around === "number" ? entry?.atEpoch : Date.parse(around.at);
  if (at === undefined || Number.isNaN(at)) return [];
  const where = entryCondition(db, request);
  const side = (comparison: string, direction: string, limit: number) =>
    db
      .all(
        `SELECT * FROM entries WHERE ${where.sql} AND (created_at_epoch, id) ${comparison} (?, ?)
           ORDER BY created_at_epoch ${direction}, id ${direction} LIMIT ?`,
        ...where.values,
        at,
        entry?.id ?? 0,
        limit,
      )
      .map(entryFrom);
  return [...side("<", "DESC", request.before).reverse(), ...middle, ...side(">", "ASC", request.after)];
}
