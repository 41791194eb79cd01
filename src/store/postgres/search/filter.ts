// A filter of entries as a condition of PostgreSQL.
import { defined } from "../../../lib/index.ts";
import { hasCjk } from "../../../terms/index.ts";
import { type EntryFilter, type EntryKind, namedFields, type WordCondition } from "../../searchIndex.ts";
import type { Transaction } from "../connection.ts";
import { ofClient } from "../origins.ts";
import { escaped, mentionOf } from "../overview.ts";
import { both, type Condition, equals, everything, oneOf, within } from "../scope.ts";
import { holdersOf } from "./postings.ts";

const observed = ({ sql, values }: Condition): Condition => ({
  sql: `entries.kind = 'observation' AND EXISTS (SELECT 1 FROM observations o
    WHERE o.team_id = entries.team_id AND o.id = entries.ref AND (${sql}))`,
  values,
});

/** Observations that mention a file or a concept; everything when none is asked for. */
function mentioning(kind: "file" | "concept", text: string | undefined) {
  const mention = mentionOf(kind, text);
  if (mention === undefined) return everything;
  return both({ sql: "entries.kind = 'observation'", values: [] }, mention.isOf("entries", "ref"));
}

/** The part of a filter that postings do not answer. */
export async function rowCondition(on: Transaction, filter: EntryFilter): Promise<Condition> {
  const { session, client, from, to, types, file, concept, words } = filter;
  return both(
    equals("entries.claude_session_id", session),
    ofClient("entries.claude_session_id", client),
    within(defined({ from, to }), "entries.created_at_epoch"),
    types === undefined ? everything : observed(oneOf("o.type", types)),
    mentioning("file", file),
    mentioning("concept", concept),
    oneOf("entries.id", words && [...(await entriesWith(on, words))]),
  );
}

/** The whole filter. */
export const entryCondition = async (on: Transaction, filter: EntryFilter) =>
  both(
    equals("entries.team_id", on.space.team),
    oneOf("entries.kind", filter.kinds),
    oneOf("entries.project", filter.projects),
    await rowCondition(on, filter),
  );

type Ids = ReadonlySet<number>;

const idsFrom = (rows: readonly Readonly<Record<string, unknown>>[]): Ids =>
  new Set(rows.map(({ entry }) => Number(entry)));

/** The entries whose words satisfy a condition. */
async function entriesWith(on: Transaction, condition: WordCondition): Promise<Ids> {
  if ("phrase" in condition) return withPhrase(on, condition.phrase);
  if ("field" in condition) return withField(on, condition.field, condition.text);
  const setsOf = (parts: readonly WordCondition[]) => Promise.all(parts.map((part) => entriesWith(on, part)));
  if ("any" in condition) return new Set((await setsOf(condition.any)).flatMap((ids) => [...ids]));
  if ("not" in condition) return without(await allEntries(on), await entriesWith(on, condition.not));
  const wanted = await setsOf(condition.all.filter((part) => !("not" in part)));
  const [first = await allEntries(on), ...others] = wanted.sort((a, b) => a.size - b.size);
  const unwanted = await setsOf(condition.all.flatMap((part) => ("not" in part ? part.not : [])));
  return new Set(
    [...first].filter((id) => others.every((ids) => ids.has(id)) && !unwanted.some((ids) => ids.has(id))),
  );
}

const without = (from: Ids, what: Ids): Ids => new Set([...from].filter((id) => !what.has(id)));

const allEntries = async (on: Transaction) =>
  idsFrom(await on.all("SELECT id AS entry FROM entries WHERE team_id = ?", on.space.team));

/** Passages that have all of the terms. */
export async function passagesWithAll(
  on: Transaction,
  terms: readonly string[],
  filter: Pick<EntryFilter, "projects" | "kinds">,
) {
  const holders = await holdersOf(on, terms, filter);
  const [first = [], ...others] = terms
    .map((term) => holders.get(term) ?? [])
    .sort((a, b) => a.length - b.length);
  const sets = others.map((ids) => new Set(ids));
  return first.filter((id) => sets.every((ids) => ids.has(id)));
}

/** A condition that the terms follow each other; the last may begin a longer word. */
export function phraseCondition(terms: readonly string[], isOpen: boolean): Condition {
  const pattern = `% ${escaped(terms.join(" "))}${isOpen ? "" : " "}%`;
  return { sql: "(' ' || passages.sequence || ' ') LIKE ?", values: [pattern] };
}

async function withPhrase(on: Transaction, terms: readonly string[]): Promise<Ids> {
  if (terms.length === 0) return allEntries(on);
  const ids = await passagesWithAll(on, terms, {});
  const phrase = terms.length === 1 ? everything : phraseCondition(terms, false);
  const where = both({ sql: "team_id = ? AND id = ANY(?)", values: [on.space.team, ids] }, phrase);
  return idsFrom(await on.all(`SELECT DISTINCT entry FROM passages WHERE ${where.sql}`, ...where.values));
}

const tablesWithFields: readonly { kind: EntryKind; table: string; fields: readonly string[] }[] = [
  { kind: "observation", table: "observations", fields: namedFields.slice(0, 6) },
  { kind: "summary", table: "session_summaries", fields: namedFields.slice(6, 12) },
  { kind: "prompt", table: "user_prompts", fields: namedFields.slice(12) },
];

/** Words one after the other, and `LIKE` for CJK, whose words the server's parser does not separate. */
async function withField(on: Transaction, field: string, text: string): Promise<Ids> {
  const place = tablesWithFields.find(({ fields }) => fields.includes(field));
  if (place === undefined) return new Set();
  const { kind, table } = place;
  const condition = hasCjk(text)
    ? { sql: `${field} LIKE ?`, value: `%${escaped(text)}%` }
    : { sql: `to_tsvector('simple', ${field}) @@ phraseto_tsquery('simple', ?)`, value: text };
  return idsFrom(
    await on.all(
      `SELECT entries.id AS entry FROM entries JOIN ${table} AS own ON own.team_id = entries.team_id AND own.id = entries.ref
         WHERE entries.team_id = ? AND entries.kind = ? AND ${condition.sql.replace(field, `own.${field}`)}`,
      on.space.team,
      kind,
      condition.value,
    ),
  );
}
