// Vectors of passages in PostgreSQL: kept as bytes, so that a server without an extension has them too, and compared here.
import { indexedRowFrom, rowReader } from "../../portable/rows.ts";
import { byteCosine, vectorBytes } from "../../portable/vectorBytes.ts";
import { searchableText } from "../../searchableText.ts";
import type {
  BarePassage,
  EntryKind,
  NearPassage,
  NearRequest,
  NewVectors,
  VectorModel,
  VectorState,
} from "../../searchIndex.ts";
import type { Transaction, Writer } from "../connection.ts";
import { entryCondition } from "./filter.ts";
import { passageColumns, passageFrom, passagesById, passageTable } from "./find.ts";

/** How many vectors are compared in JavaScript: the comparison blocks the process. */
const MOST_COMPARED = 10_000;

const modelFrom = rowReader({ id: String, dimensions: Number, until: Number });

type ModelRow = ReturnType<typeof modelFrom>;

const modelRow = async (on: Transaction) =>
  (await on.all("SELECT name AS id, dimensions, until FROM vector_model")).map(modelFrom)[0];

const isOf = (row: ModelRow | undefined, { id, dimensions }: VectorModel): row is ModelRow =>
  row?.id === id && row.dimensions === dimensions;

const textTables = {
  observation: "observations",
  summary: "session_summaries",
  prompt: "user_prompts",
  message: "messages",
} as const satisfies Readonly<Record<EntryKind, string>>;

export async function barePassages(
  on: Transaction,
  model: VectorModel,
  limit: number,
): Promise<BarePassage[]> {
  const known = await modelRow(on);
  const rows = await on.all(
    `SELECT ${passageColumns} FROM ${passageTable} WHERE passages.team_id = ? AND passages.person_id = ?
       AND passages.id > ? ORDER BY passages.id LIMIT ?`,
    on.space.team,
    on.space.person,
    isOf(known, model) ? known.until : 0,
    limit,
  );
  const texts = new Map<string, string>();
  for (const [kind, table] of Object.entries(textTables) as [EntryKind, string][]) {
    const refs = rows.filter((row) => row.kind === kind).map(({ ref }) => Number(ref));
    if (refs.length === 0) continue;
    const found = await on.all(
      `SELECT * FROM ${table} WHERE team_id = ? AND id = ANY(?)`,
      on.space.team,
      refs,
    );
    for (const row of found) texts.set(`${kind} ${row.id}`, searchableText(indexedRowFrom(kind, row)));
  }
  return rows.flatMap((row) => {
    const text = texts.get(`${row.kind} ${row.ref}`);
    const { start, end } = passageFrom(row);
    return text === undefined ? [] : { id: Number(row.passage), text: text.slice(start, end) };
  });
}

export async function addVectors(on: Writer, { model, until, vectors }: NewVectors) {
  if (!isOf(await modelRow(on), model))
    await on.run("DELETE FROM vectors WHERE person_id = ?", on.space.person);
  await on.run("DELETE FROM vector_model");
  await on.insert("vector_model", [{ name: model.id, dimensions: model.dimensions, until }]);
  const fitting = vectors.filter(({ vector }) => vector.length === model.dimensions);
  // A passage may have gone while its vector was made; then the vector must not stay behind.
  const there = await on.all(
    "SELECT id, project, visibility FROM passages WHERE team_id = ? AND person_id = ? AND id = ANY(?)",
    on.space.team,
    on.space.person,
    fitting.map(({ passage }) => passage),
  );
  const places = new Map(there.map((row) => [Number(row.id), row]));
  await on.run("DELETE FROM vectors WHERE person_id = ? AND passage = ANY(?)", on.space.person, [
    ...places.keys(),
  ]);
  await on.insert(
    "vectors",
    fitting.flatMap(({ passage, vector }) => {
      const place = places.get(passage);
      if (place === undefined) return [];
      const bytes = new Uint8Array(vectorBytes(vector).buffer);
      return { passage, vector: bytes, project: String(place.project), visibility: String(place.visibility) };
    }),
  );
}

export async function vectorState(on: Transaction): Promise<VectorState> {
  const known = await modelRow(on);
  const [counted] = await on.all(
    "SELECT count(*) AS passages, count(*) FILTER (WHERE id <= ?) AS done FROM passages WHERE team_id = ? AND person_id = ?",
    known?.until ?? 0,
    on.space.team,
    on.space.person,
  );
  const [passages, done] = [Number(counted?.passages ?? 0), Number(counted?.done ?? 0)];
  return known === undefined ? { passages, done: 0 } : { model: known.id, passages, done };
}

export async function nearest(on: Transaction, request: NearRequest): Promise<NearPassage[]> {
  const { model, vector, limit, ...filter } = request;
  if (!isOf(await modelRow(on), model) || vector.length !== model.dimensions) return [];
  const { sql, values } = await entryCondition(on, filter);
  const rows = await on.all(
    `SELECT vectors.passage, vectors.vector FROM vectors
       JOIN passages ON passages.team_id = vectors.team_id AND passages.id = vectors.passage
       JOIN entries ON entries.team_id = passages.team_id AND entries.id = passages.entry
       WHERE ${sql} ORDER BY vectors.passage DESC LIMIT ?`,
    ...values,
    MOST_COMPARED,
  );
  const wanted = vectorBytes(vector);
  const similarities = new Map(
    rows
      .flatMap((row) =>
        row.vector instanceof Uint8Array
          ? [[Number(row.passage), byteCosine(wanted, row.vector)] as const]
          : [],
      )
      .sort(([one, a], [other, b]) => b - a || one - other)
      .slice(0, limit),
  );
  const found = await passagesById(on, [...similarities.keys()]);
  return found.map((passage) => ({ ...passage, similarity: similarities.get(passage.id) ?? 0 }));
}
