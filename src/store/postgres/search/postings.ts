// Postings: which passages have a term. Rows that a B-tree finds, because row level security lets no other index look at a term first.
import { stem, typedPart } from "../../../terms/index.ts";
import type { Row } from "../../portable/rows.ts";
import type { EntryFilter } from "../../searchIndex.ts";
import type { Transaction, Writer } from "../connection.ts";
import type { Visibility } from "../schema.ts";
import { both, type Condition, oneOf } from "../scope.ts";

/** A row holds numbers of so many passages that follow each other: at two bytes each it stays on one page. */
const BLOCK = 4_096;
const NUMBER_BYTES = 2;

interface TermPlace {
  readonly project: string;
  readonly kind: string;
}

interface IndexedTerms extends TermPlace {
  readonly passage: number;
  readonly sequence: string;
  readonly extra: string;
}

const termsIn = ({ sequence, extra }: IndexedTerms) =>
  new Set(`${sequence} ${extra}`.split(" ").filter((term) => term !== ""));

interface Posting extends TermPlace {
  readonly term: string;
  readonly block: number;
  readonly numbers: number[];
}

/** The postings of passages, grouped as rows are. */
function postingsOf(passages: readonly IndexedTerms[]): Posting[] {
  const rows = new Map<string, Posting>();
  for (const passage of passages) {
    const block = Math.floor(passage.passage / BLOCK);
    for (const term of termsIn(passage)) {
      const { project, kind } = passage;
      const key = `${term}\n${project}\n${kind}\n${block}`;
      const row = rows.get(key) ?? { term, project, kind, block, numbers: [] };
      row.numbers.push(passage.passage % BLOCK);
      rows.set(key, row);
    }
  }
  return [...rows.values()];
}

function packed(numbers: readonly number[]) {
  const bytes = Buffer.alloc(numbers.length * NUMBER_BYTES);
  for (const [at, number] of numbers.entries()) bytes.writeUInt16BE(number, at * NUMBER_BYTES);
  return bytes;
}

function unpacked(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.byteLength / NUMBER_BYTES }, (_, at) =>
    view.getUint16(at * NUMBER_BYTES),
  );
}

const passagesFrom = ({ block, passages }: Row) =>
  passages instanceof Uint8Array ? unpacked(passages).map((number) => Number(block) * BLOCK + number) : [];

/** New passages have higher numbers than those before, so that a row grows at its end. */
export async function addPostings(on: Writer, passages: readonly IndexedTerms[], visibility: Visibility) {
  const rows = postingsOf(passages).sort((a, b) => (a.term < b.term ? -1 : 1));
  if (rows.length === 0) return;
  const column = <T>(of: (row: Posting) => T) => rows.map(of);
  await on.run(
    `INSERT INTO postings (team_id, person_id, visibility, term, project, kind, block, passages)
       SELECT ?, ?, ?, given.* FROM unnest(?::text[], ?::text[], ?::text[], ?::bigint[], ?::bytea[]) AS given
       ON CONFLICT (team_id, person_id, term, project, kind, block, visibility)
         DO UPDATE SET passages = postings.passages || excluded.passages`,
    on.space.team,
    on.space.person,
    visibility,
    column(({ term }) => term),
    column(({ project }) => project),
    column(({ kind }) => kind),
    column(({ block }) => block),
    column(({ numbers }) => packed(numbers)) as unknown as readonly string[],
  );
}

/** Takes passages out of the rows of their terms; a term that no passage has any more leaves nothing behind. */
export async function removePostings(on: Writer, passages: readonly IndexedTerms[]) {
  for (const { term, project, kind, block, numbers } of postingsOf(passages)) {
    const key = "person_id = ? AND term = ? AND project = ? AND kind = ? AND block = ?";
    const values = [on.space.person, term, project, kind, block] as const;
    const gone = new Set(numbers);
    for (const row of await on.all(`SELECT passages, visibility FROM postings WHERE ${key}`, ...values)) {
      const left =
        row.passages instanceof Uint8Array ? unpacked(row.passages).filter((one) => !gone.has(one)) : [];
      const visibility = String(row.visibility);
      if (left.length === 0)
        await on.run(`DELETE FROM postings WHERE ${key} AND visibility = ?`, ...values, visibility);
      else
        await on.run(
          `UPDATE postings SET passages = ? WHERE ${key} AND visibility = ?`,
          packed(left),
          ...values,
          visibility,
        );
    }
  }
}

type Place = Pick<EntryFilter, "projects" | "kinds">;

const inPlace = ({ projects, kinds }: Place) => both(oneOf("project", projects), oneOf("kind", kinds));

/** A term that is still being typed stands for every word that begins with it. */
function termCondition(term: string): Condition {
  const typed = typedPart(term);
  if (typed === undefined) return { sql: "term = ?", values: [term] };
  return {
    sql: "(term = ? OR (term >= ? AND term < ?))",
    values: [stem(typed), typed, `${typed}\u{10ffff}`],
  };
}

/** The own rows by the person's index, and what others share by the index of that: one after the other is quicker than `OR`. */
const visible = (columns: string, where: string) => `
  SELECT ${columns} FROM postings WHERE team_id = ? AND person_id = ? AND ${where}
  UNION ALL SELECT ${columns} FROM postings WHERE team_id = ? AND person_id <> ? AND visibility <> 'private' AND ${where}`;

async function visibleRows(on: Transaction, columns: string, { sql, values }: Condition) {
  const { team, person } = on.space;
  return on.all(visible(columns, sql), team, person, ...values, team, person, ...values);
}

const isWhole = (term: string) => typedPart(term) === undefined;

/** Terms that are whole words are looked up together, one that is still being typed by itself. */
const lookupsOf = (
  terms: readonly string[],
): { readonly terms: readonly string[]; readonly where: Condition }[] => {
  const whole = terms.filter(isWhole);
  return [
    ...(whole.length === 0 ? [] : [{ terms: whole, where: { sql: "term = ANY(?)", values: [whole] } }]),
    ...terms.filter((term) => !isWhole(term)).map((term) => ({ terms: [term], where: termCondition(term) })),
  ];
};

/** The passages with each term, in the order of their numbers; terms that are nowhere are absent. */
export async function holdersOf(on: Transaction, terms: readonly string[], place: Place) {
  const found = new Map<string, number[]>();
  for (const lookup of lookupsOf(terms)) {
    const rows = await visibleRows(on, "term, block, passages", both(lookup.where, inPlace(place)));
    for (const term of lookup.terms) {
      const own = isWhole(term) ? rows.filter((row) => row.term === term) : rows;
      const ids = new Set(own.flatMap(passagesFrom));
      if (ids.size > 0)
        found.set(
          term,
          [...ids].sort((one, other) => one - other),
        );
    }
  }
  return found;
}

/** How many passages have each term; terms that are nowhere are absent. */
export async function frequencies(on: Transaction, terms: readonly string[], place: Place) {
  const whole = new Map<string, number>();
  const [lookup] = lookupsOf(terms.filter(isWhole));
  if (lookup !== undefined) {
    const amount = `octet_length(passages) / ${NUMBER_BYTES} AS amount`;
    for (const row of await visibleRows(on, `term, ${amount}`, both(lookup.where, inPlace(place))))
      whole.set(String(row.term), (whole.get(String(row.term)) ?? 0) + Number(row.amount));
  }
  const typed = await holdersOf(
    on,
    terms.filter((term) => !isWhole(term)),
    place,
  );
  return new Map(
    terms.flatMap((term) => {
      const amount = whole.get(term) ?? typed.get(term)?.length;
      return amount === undefined ? [] : [[term, amount] as const];
    }),
  );
}

export async function vocabulary(on: Transaction, beginning: string, limit: number) {
  const rows = await on.all(
    `SELECT term, sum(octet_length(passages) / ${NUMBER_BYTES}) AS amount FROM postings
       WHERE team_id = ? AND term >= ? AND term < ? GROUP BY term ORDER BY term LIMIT ?`,
    on.space.team,
    beginning,
    `${beginning}\u{10ffff}`,
    limit,
  );
  return new Map(rows.map(({ term, amount }) => [String(term), Number(amount)]));
}
