// Queries of the search index in PostgreSQL: matching passages, term frequencies, neighbours of an entry, and the timeline.
import { sumOf } from "../../../lib/index.ts";
import { standsFor, typedPart } from "../../../terms/index.ts";
import { entryFrom, type Row } from "../../portable/rows.ts";
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
import type { PgValue, Transaction } from "../connection.ts";
import { both, equals, oneOf } from "../scope.ts";
import { entryCondition, passagesWithAll, phraseCondition, rowCondition } from "./filter.ts";
import { frequencies, holdersOf } from "./postings.ts";

const entryColumns = `entries.id, entries.kind, entries.ref, entries.claude_session_id, entries.project, entries.speaker,
  entries.title, entries.created_at_epoch, entries.is_code, entries.is_standing, entries.is_question,
  entries.row_class, entries.exchange`;
export const passageColumns = `${entryColumns}, passages.id AS passage, passages.start, passages.ending, passages.sequence, passages.extra`;
export const passageTable =
  "passages JOIN entries ON entries.team_id = passages.team_id AND entries.id = passages.entry";

export const passageFrom = (row: Row): FoundPassage => ({
  id: Number(row.passage),
  entry: entryFrom(row),
  start: Number(row.start),
  end: Number(row.ending),
  sequence: String(row.sequence),
  extra: String(row.extra),
});

/** How many of the passages with any of the terms are read to be ranked, at least. */
const FEWEST_RANKED = 200;

export async function findPassages(on: Transaction, request: PassageRequest): Promise<FoundPassage[]> {
  const { terms, mode, limit } = request;
  if (terms.length === 0) return [];
  const place = {
    ...(request.projects && { projects: request.projects }),
    ...(request.kinds && { kinds: request.kinds }),
  };
  const condition = both(
    await rowCondition(on, request),
    mode === "phrase" ? phraseOf(terms) : { sql: "true", values: [] },
  );
  // A term weighs as much in one project as in all, as in SQLite.
  const { parts, length } = await sizesOf(on, {});
  const weights = new Map(
    [...(await frequencies(on, terms, {}))].map(([term, amount]) => [term, weightOf(amount, parts)]),
  );
  const ids =
    mode === "any"
      ? await bestHolders(on, weights, await frequencies(on, terms, place), place)
      : await passagesWithAll(on, terms, place);
  const found: Row[] = [];
  const step = Math.max(FEWEST_RANKED, limit * 4);
  for (let at = 0; at < ids.length && found.length < (mode === "any" ? step : limit * 4); at += step) {
    found.push(
      ...(await on.all(
        `SELECT ${passageColumns} FROM ${passageTable}
           WHERE passages.team_id = ? AND passages.id = ANY(?) AND ${condition.sql}`,
        on.space.team,
        ids.slice(at, at + step),
        ...condition.values,
      )),
    );
  }
  const meanLength = parts === 0 ? 1 : Math.max(1, length / parts);
  return found
    .map(passageFrom)
    .map((passage) => ({ passage, score: matchScore(passage, weights, meanLength) }))
    .sort((a, b) => b.score - a.score || a.passage.id - b.passage.id)
    .slice(0, limit)
    .map(({ passage }) => passage);
}

const phraseOf = (terms: readonly string[]) => {
  const typed = typedPart(terms.at(-1) ?? "");
  return typed === undefined
    ? phraseCondition(terms, false)
    : phraseCondition([...terms.slice(0, -1), typed], true);
};

/** Passages are read for the rarest terms first: what only common words find comes last anyway. */
const MOST_HOLDERS = 20_000;

async function bestHolders(
  on: Transaction,
  weights: ReadonlyMap<string, number>,
  frequency: ReadonlyMap<string, number>,
  place: Pick<EntryFilter, "projects" | "kinds">,
) {
  const scores = new Map<number, number>();
  const chosen: string[] = [];
  let listed = 0;
  for (const [term] of [...weights].sort(([, a], [, b]) => b - a)) {
    listed += frequency.get(term) ?? 0;
    if (chosen.length > 0 && listed > MOST_HOLDERS) break;
    chosen.push(term);
  }
  for (const [term, ids] of await holdersOf(on, chosen, place))
    for (const id of ids) scores.set(id, (scores.get(id) ?? 0) + (weights.get(term) ?? 0));
  return [...scores].sort(([one, a], [other, b]) => b - a || one - other).map(([id]) => id);
}

const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;

const LEAST_WEIGHT = 1e-6;

/** What most passages have says next to nothing. */
const weightOf = (amount: number, passages: number) =>
  Math.max(LEAST_WEIGHT, Math.log((passages - amount + 0.5) / (amount + 0.5)));

/** BM25 of one passage, as SQLite computes it. */
function matchScore(
  { sequence, extra }: FoundPassage,
  weights: ReadonlyMap<string, number>,
  meanLength: number,
) {
  const words = `${sequence} ${extra}`.split(" ");
  const size = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * words.length) / meanLength);
  return sumOf([...weights], ([term, weight]) => {
    const times = words.filter(standsFor(term)).length;
    return (weight * times * (SATURATION + 1)) / (times + size);
  });
}

export async function passagesById(on: Transaction, ids: readonly number[]): Promise<FoundPassage[]> {
  const rows = await on.all(
    `SELECT ${passageColumns} FROM ${passageTable} WHERE passages.team_id = ? AND passages.id = ANY(?)`,
    on.space.team,
    ids,
  );
  const found = new Map(rows.map((row) => [Number(row.passage), row]));
  return ids.flatMap((id) => {
    const row = found.get(id);
    return row === undefined ? [] : passageFrom(row);
  });
}

async function sizesOf(on: Transaction, { projects, kinds }: EntryFilter) {
  const where = both(equals("team_id", on.space.team), oneOf("kind", kinds), oneOf("project", projects));
  const row = await on.get(
    `SELECT sum(parts) AS parts, sum(length) AS length FROM index_sizes WHERE ${where.sql}`,
    ...where.values,
  );
  return { parts: Number(row?.parts ?? 0), length: Number(row?.length ?? 0) };
}

/** Above this the passages with a term are not listed. */
const MOST_LISTED = 5_000;

export async function termStatistics(
  on: Transaction,
  terms: readonly string[],
  filter: EntryFilter,
): Promise<TermStatistics> {
  const { parts: passages, length } = await sizesOf(on, filter);
  const frequency = await frequencies(on, terms, filter);
  const where = await rowCondition(on, filter);
  const listed = [...frequency].filter(([, amount]) => amount < MOST_LISTED).map(([term]) => term);
  const holders = new Map<string, readonly number[]>();
  for (const [term, ids] of await holdersOf(on, listed, filter))
    holders.set(term, where.sql === "true" ? ids : await satisfying(on, ids, where));
  return { passages, meanLength: passages === 0 ? 0 : length / passages, frequency, holders };
}

async function satisfying(
  on: Transaction,
  ids: readonly number[],
  where: { sql: string; values: readonly PgValue[] },
) {
  const rows = await on.all(
    `SELECT passages.id FROM ${passageTable} WHERE passages.team_id = ? AND passages.id = ANY(?) AND ${where.sql}
       ORDER BY passages.id`,
    on.space.team,
    ids,
    ...where.values,
  );
  return rows.map(({ id }) => Number(id));
}

export async function rarity(on: Transaction, terms: readonly string[], most: number) {
  const counted = await frequencies(on, terms, {});
  const frequency = new Map([...counted].map(([term, amount]) => [term, Math.min(amount, most)]));
  return { passages: (await sizesOf(on, {})).parts, frequency };
}

export async function surroundings(
  on: Transaction,
  entries: readonly IndexEntry[],
  reach: number,
): Promise<ReadonlyMap<number, EntryNeighbours>> {
  const side = async ({ session, kind, atEpoch, id }: IndexEntry, comparison: string, direction: string) =>
    (
      await on.all(
        `SELECT ${entryColumns} FROM entries WHERE team_id = ? AND claude_session_id = ? AND kind = ?
           AND (created_at_epoch, id) ${comparison} (?, ?)
           ORDER BY created_at_epoch ${direction}, id ${direction} LIMIT ?`,
        on.space.team,
        session,
        kind,
        atEpoch,
        id,
        reach,
      )
    ).map(entryFrom);
  const found = new Map<number, EntryNeighbours>();
  for (const entry of entries)
    found.set(entry.id, { before: await side(entry, "<", "DESC"), after: await side(entry, ">", "ASC") });
  return found;
}

export async function listEntries(
  on: Transaction,
  filter: EntryFilter & { readonly standing?: true },
  limit: number,
) {
  const { sql, values } = await entryCondition(on, filter);
  const standing = filter.standing === true ? "AND entries.is_standing = 1" : "";
  const rows = await on.all(
    `SELECT ${entryColumns} FROM entries WHERE ${sql} ${standing} ORDER BY created_at_epoch DESC, id DESC LIMIT ?`,
    ...values,
    limit,
  );
  return rows.map(entryFrom);
}

export async function entriesOf(
  on: Transaction,
  rows: readonly { readonly kind: EntryKind; readonly ref: number }[],
) {
  const found = await on.all(
    `SELECT ${entryColumns} FROM entries JOIN unnest(?::text[], ?::bigint[]) WITH ORDINALITY AS given(kind, ref, place)
         ON entries.kind = given.kind AND entries.ref = given.ref
       WHERE entries.team_id = ? ORDER BY given.place`,
    rows.map(({ kind }) => kind),
    rows.map(({ ref }) => ref),
    on.space.team,
  );
  return found.map(entryFrom);
}

export async function timeline(on: Transaction, request: EntryTimelineRequest) {
  const { around } = request;
  const byId = `SELECT ${entryColumns} FROM entries WHERE team_id = ? AND id = ?`;
  const middle = typeof around === "number" ? (await on.all(byId, on.space.team, around)).map(entryFrom) : [];
  const [entry] = middle;
  const at = typeof around === "number" ? entry?.atEpoch : Date.parse(around.at);
  if (at === undefined || Number.isNaN(at)) return [];
  const where = await entryCondition(on, request);
  const side = async (comparison: string, direction: string, limit: number) =>
    (
      await on.all(
        `SELECT ${entryColumns} FROM entries WHERE ${where.sql} AND (created_at_epoch, id) ${comparison} (?, ?)
           ORDER BY created_at_epoch ${direction}, id ${direction} LIMIT ?`,
        ...where.values,
        at,
        entry?.id ?? 0,
        limit,
      )
    ).map(entryFrom);
  const before = await side("<", "DESC", request.before);
  return [...before.reverse(), ...middle, ...(await side(">", "ASC", request.after))];
}
