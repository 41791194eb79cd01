// A filter of entries as a condition: on the full-text index where that can answer it, on rows where not.
import { defined } from "../../../lib/index.ts";
import { hasCjk, stem, typedPart } from "../../../terms/index.ts";
import { type EntryFilter, type EntryKind, namedFields, type WordCondition } from "../../searchIndex.ts";
import type { Connection } from "../connection.ts";
import { ofClient } from "../knowledge/origins.ts";
import { escaped, mentionOf } from "../knowledge/overview.ts";
import { both, type Condition, equals, everything, oneOf, within } from "../upkeep/scope.ts";
import { kindToken, projectToken } from "./entries.ts";

/** A text as one phrase of the full-text language; nothing in it is an operator. */
const ftsQuoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** A query for one term; a term that is still being typed matches every word that begins with it. */
export function termQuery(term: string) {
  const typed = typedPart(term);
  return typed === undefined ? ftsQuoted(term) : `(${ftsQuoted(stem(typed))} OR ${ftsQuoted(typed)} *)`;
}

/** A query for terms in this order; the last one may still be being typed. */
export const phraseQuery = (terms: readonly string[]) => {
  const typed = typedPart(terms.at(-1) ?? "");
  return typed === undefined
    ? ftsQuoted(terms.join(" "))
    : `${ftsQuoted([...terms.slice(0, -1), typed].join(" "))} *`;
};

/** A token that no entry has: a filter with an empty list matches nothing. */
const NOWHERE = "nowhere";

const anyOf = (column: string, tokens: readonly string[]) =>
  ` AND ${column} : (${(tokens.length === 0 ? [NOWHERE] : tokens).map(ftsQuoted).join(" OR ")})`;

/** The part of a filter that the full-text index can check itself. The only project in the store needs no check. */
export function placeCondition(db: Connection, { projects, kinds }: Pick<EntryFilter, "projects" | "kinds">) {
  const [only, another] = projects ?? [];
  const isAll = only !== undefined && another === undefined && !hasOtherProjects(db, only);
  return [
    !projects || isAll ? "" : anyOf("place", projects.map(projectToken)),
    kinds ? anyOf("place", kinds.map(kindToken)) : "",
  ].join("");
}

function hasOtherProjects(db: Connection, project: string) {
  return ["<", ">"].some(
    (side) => db.get(`SELECT 1 FROM entries WHERE project ${side} ? LIMIT 1`, project) !== undefined,
  );
}

const observed = ({ sql, values }: Condition): Condition => ({
  sql: `entries.kind = 'observation' AND EXISTS (SELECT 1 FROM observations o WHERE o.id = entries.ref AND (${sql}))`,
  values,
});

/** Observations that mention a file or a concept; everything when none is asked for. */
function mentioning(kind: "file" | "concept", text: string | undefined) {
  const mention = mentionOf(kind, text);
  if (!mention) return everything;
  return both({ sql: "entries.kind = 'observation'", values: [] }, mention.isOf("entries", "ref"));
}

/** The part of a filter that needs the rows; `1` when there is none. */
export function rowCondition(db: Connection, filter: EntryFilter) {
  const { session, client, from, to, types, file, concept, words } = filter;
  return both(
    equals("entries.claude_session_id", session),
    ofClient("entries.claude_session_id", client),
    within(defined({ from, to }), "entries.created_at_epoch"),
    types ? observed(oneOf("o.type", types)) : everything,
    mentioning("file", file),
    mentioning("concept", concept),
    oneOf("entries.id", words && [...entriesWith(db, words)]),
  );
}

/** The whole filter on rows. */
export function entryCondition(db: Connection, filter: EntryFilter) {
  return both(
    oneOf("entries.kind", filter.kinds),
    oneOf("entries.project", filter.projects),
    rowCondition(db, filter),
  );
}

type Ids = ReadonlySet<number>;

const ids = (rows: readonly { readonly [column: string]: unknown }[]): Ids =>
  new Set(rows.map(({ entry }) => Number(entry)));

/**
 * The entries whose words satisfy a condition. Sets are combined here and not in SQL, so that the statements stay the
 * same few whatever is asked.
 */
function entriesWith(db: Connection, condition: WordCondition): Ids {
  if ("phrase" in condition) return withPhrase(db, condition.phrase);
  if ("field" in condition) return withField(db, condition.field, condition.text);
  if ("any" in condition) return new Set(condition.any.flatMap((part) => [...entriesWith(db, part)]));
  if ("not" in condition) return without(allEntries(db), entriesWith(db, condition.not));
  const wanted = condition.all.filter((part) => !("not" in part)).map((part) => entriesWith(db, part));
  const [first = allEntries(db), ...others] = wanted.sort((a, b) => a.size - b.size);
  let left: Ids = new Set([...first].filter((id) => others.every((set) => set.has(id))));
  for (const part of condition.all) if ("not" in part) left = without(left, entriesWith(db, part.not));
  return left;
}

const without = (from: Ids, what: Ids): Ids => new Set([...from].filter((id) => !what.has(id)));

const allEntries = (db: Connection) => ids(db.all("SELECT id AS entry FROM entries"));

function withPhrase(db: Connection, terms: readonly string[]): Ids {
  if (terms.length === 0) return allEntries(db);
  const columns = terms.length === 1 ? "{sequence extra}" : "sequence";
  return ids(
    db.all(
      `SELECT DISTINCT entry FROM passages
           WHERE id IN (SELECT rowid FROM passages_fts WHERE passages_fts MATCH ?)`,
      `${columns} : ${ftsQuoted(terms.join(" "))}`,
    ),
  );
}

const tablesWithFields: readonly { kind: EntryKind; table: string; fields: readonly string[] }[] = [
  { kind: "observation", table: "observations", fields: namedFields.slice(0, 6) },
  { kind: "summary", table: "session_summaries", fields: namedFields.slice(6, 12) },
  { kind: "prompt", table: "user_prompts", fields: namedFields.slice(12) },
];

/** Uses the full-text index of the table, and `LIKE` for CJK, whose words that index does not separate. */
function withField(db: Connection, field: string, text: string): Ids {
  const place = tablesWithFields.find(({ fields }) => fields.includes(field));
  if (!place) return new Set();
  const { kind, table } = place;
  const matching = hasCjk(text)
    ? { sql: `SELECT id FROM ${table} WHERE ${field} LIKE ? ESCAPE '\\'`, value: `%${escaped(text)}%` }
    : {
        sql: `SELECT rowid FROM ${table}_fts WHERE ${table}_fts MATCH ?`,
        value: `${field} : ${ftsQuoted(text)}`,
      };
  return ids(
    db.all(
      `SELECT id AS entry FROM entries WHERE kind = '${kind}' AND ref IN (${matching.sql})`,
      matching.value,
    ),
  );
}
