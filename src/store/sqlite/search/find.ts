// Asking the index: passages that match, how often terms occur, what stands around an entry, entries in time.
import type {
  Entry,
  EntryFilter,
  EntryKind,
  EntryNeighbours,
  EntryTimelineRequest,
  FoundPassage,
  PassageRequest,
  TermStatistics,
} from "../../searchIndex.ts";
import { type Connection, numberFrom } from "../connection.ts";
import type { Row, Value } from "../driver.ts";
import { both, everything } from "../upkeep/scope.ts";
import { entryCondition, phraseQuery, placeCondition, rowCondition, termQuery } from "./entryFilter.ts";

const termList = (value: unknown) => (value === "" ? [] : String(value).split(" "));

export function entryFrom(row: Row): Entry {
  return {
    id: Number(row.id),
    kind: String(row.kind) as EntryKind,
    ref: Number(row.ref),
    session: String(row.claude_session_id),
    project: String(row.project),
    speaker: String(row.speaker),
    title: termList(row.title),
    atEpoch: Number(row.created_at_epoch),
    isCode: row.is_code === 1,
    isStanding: row.is_standing === 1,
    isQuestion: row.is_question === 1,
  };
}

export function passageFrom(row: Row): FoundPassage {
  return {
    entry: entryFrom(row),
    start: Number(row.start),
    end: Number(row.ending),
    sequence: termList(row.sequence),
    extra: termList(row.extra),
  };
}

function matching({ terms, mode }: PassageRequest): string {
  if (mode === "phrase") return `sequence : ${phraseQuery(terms)}`;
  return `{sequence extra} : (${terms.map(termQuery).join(mode === "any" ? " OR " : " AND ")})`;
}

export const passageColumns = "entries.*, passages.start, passages.ending, passages.sequence, passages.extra";

export function findPassages(db: Connection, request: PassageRequest): FoundPassage[] {
  if (request.terms.length === 0) return [];
  const match = matching(request) + placeCondition(db, request);
  const where = rowCondition(db, request);
  const joined = "JOIN passages ON passages.id = found.rowid JOIN entries ON entries.id = passages.entry";
  // Rows are joined only for the few that are wanted, unless they decide which those are.
  const sql =
    where === everything
      ? `SELECT ${passageColumns} FROM (SELECT rowid, rank AS score FROM passages_fts WHERE passages_fts MATCH ?
           ORDER BY rank LIMIT ?) AS found ${joined} ORDER BY found.score`
      : `SELECT ${passageColumns} FROM passages_fts AS found ${joined}
           WHERE passages_fts MATCH ? AND ${where.sql} ORDER BY found.rank LIMIT ?`;
  const rows = db.all(sql, match, ...where.values, request.limit);
  return rows.map(passageFrom);
}

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
  const count = db.prepare("SELECT count(*) FROM passages_fts WHERE passages_fts MATCH ?");
  const frequency = new Map<string, number>();
  for (const term of terms) {
    const found = numberFrom(count.get(`{sequence extra} : ${termQuery(term)}${place}`));
    if (found > 0) frequency.set(term, found);
  }
  return { passages, meanLength: passages === 0 ? 0 : Number(sizes?.length) / passages, frequency };
}

export function rarity(
  db: Connection,
  terms: readonly string[],
  most: number,
): Omit<TermStatistics, "meanLength"> {
  const count = db.prepare(
    "SELECT count(*) FROM (SELECT 1 FROM passages_fts WHERE passages_fts MATCH ? LIMIT ?)",
  );
  const frequency = new Map<string, number>();
  for (const term of terms) {
    const found = numberFrom(count.get(`{sequence extra} : ${termQuery(term)}`, most));
    if (found > 0) frequency.set(term, found);
  }
  // Of what was forgotten the numbers are not used again: that is near enough.
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
  entries: readonly Entry[],
  reach: number,
): ReadonlyMap<number, EntryNeighbours> {
  const side = (comparison: string, direction: string) =>
    db.prepare(
      `SELECT * FROM entries WHERE claude_session_id = ? AND kind = ?
         AND (created_at_epoch, id) ${comparison} (?, ?)
         ORDER BY created_at_epoch ${direction}, id ${direction} LIMIT ?`,
    );
  const [earlier, later] = [side("<", "DESC"), side(">", "ASC")];
  const of = ({ session, kind, atEpoch, id }: Entry): EntryNeighbours => {
    const values: Value[] = [session, kind, atEpoch, id, reach];
    return { before: earlier.all(...values).map(entryFrom), after: later.all(...values).map(entryFrom) };
  };
  return new Map(entries.map((entry) => [entry.id, of(entry)]));
}

export function listEntries(
  db: Connection,
  filter: EntryFilter & { readonly standing?: true },
  limit: number,
): Entry[] {
  const standing =
    filter.standing === undefined ? everything : { sql: "entries.is_standing = 1", values: [] };
  const where = both(entryCondition(db, filter), standing);
  return db
    .all(
      `SELECT * FROM entries WHERE ${where.sql} ORDER BY created_at_epoch DESC, id DESC LIMIT ?`,
      ...where.values,
      limit,
    )
    .map(entryFrom);
}

export function entriesOf(
  db: Connection,
  rows: readonly { readonly kind: EntryKind; readonly ref: number }[],
): Entry[] {
  const find = db.prepare("SELECT * FROM entries WHERE kind = ? AND ref = ?");
  return rows.flatMap(({ kind, ref }) => {
    const row = find.get(kind, ref);
    return row === undefined ? [] : entryFrom(row);
  });
}

function middleOf(
  db: Connection,
  around: EntryTimelineRequest["around"],
): { readonly at: number; readonly id: number; readonly entry?: Entry } {
  if (typeof around === "object") return { at: Date.parse(around.at), id: 0 };
  const row = db.get("SELECT * FROM entries WHERE id = ?", around);
  if (row === undefined) return { at: Number.NaN, id: 0 };
  const entry = entryFrom(row);
  return { at: entry.atEpoch, id: entry.id, entry };
}

export function timeline(db: Connection, request: EntryTimelineRequest): Entry[] {
  const { at, id, entry } = middleOf(db, request.around);
  if (Number.isNaN(at)) return [];
  const where = entryCondition(db, request);
  const side = (comparison: string, direction: string, limit: number) =>
    db
      .all(
        `SELECT * FROM entries WHERE ${where.sql} AND (created_at_epoch, id) ${comparison} (?, ?)
           ORDER BY created_at_epoch ${direction}, id ${direction} LIMIT ?`,
        ...where.values,
        at,
        id,
        limit,
      )
      .map(entryFrom);
  return [
    ...side("<", "DESC", request.before).reverse(),
    ...(entry === undefined ? [] : [entry]),
    ...side(">", "ASC", request.after),
  ];
}
