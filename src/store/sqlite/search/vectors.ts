// Vectors of passages: kept as bytes, compared by sqlite-vec where it can be loaded, and in JavaScript where not.

import { entryFrom, indexedRowFrom, rowReader } from "../../portable/rows.ts";
import { byteCosine, vectorBytes } from "../../portable/vectorBytes.ts";
import { searchableText } from "../../searchableText.ts";
import type {
  BarePassage,
  NearPassage,
  NearRequest,
  NewVectors,
  VectorModel,
  VectorState,
} from "../../searchIndex.ts";
import type { Connection } from "../connection.ts";
import { indexedTables } from "../schema/schema.ts";
import { entryCondition } from "./entryFilter.ts";
import { entryColumns, passagesById } from "./find.ts";

/** How many vectors are compared in JavaScript when the extension is missing: the comparison blocks the process. */
const MOST_COMPARED = 10_000;
const asBlob = (bytes: Int8Array) => new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const modelFrom = rowReader({ id: String, dimensions: Number, until: Number });

type ModelRow = ReturnType<typeof modelFrom>;

const modelRow = (db: Connection) =>
  db.all("SELECT name AS id, dimensions, until FROM vector_model").map(modelFrom)[0];

const isOf = (row: ModelRow | undefined, { id, dimensions }: VectorModel): row is ModelRow =>
  row?.id === id && row.dimensions === dimensions;

export function barePassages(db: Connection, model: VectorModel, limit: number): BarePassage[] {
  const known = modelRow(db);
  const found = db.all(
    `SELECT ${entryColumns}, passages.id AS passage, passages.start, passages.ending
         FROM passages JOIN entries ON entries.id = passages.entry
         JOIN entry_places ON entry_places.entry = entries.id WHERE passages.id > ? ORDER BY passages.id LIMIT ?`,
    isOf(known, model) ? known.until : 0,
    limit,
  );
  return found.flatMap((row) => {
    const { kind, ref } = entryFrom(row);
    const indexed = db.get(`SELECT * FROM ${indexedTables[kind]} WHERE id = ?`, ref);
    if (!indexed) return [];
    const text = searchableText(indexedRowFrom(kind, indexed));
    const own = text.slice(Number(row.start), Number(row.ending));
    return { id: Number(row.passage), text: own };
  });
}

export function addVectors(db: Connection, { model, until, vectors }: NewVectors) {
  db.transaction(() => {
    if (!isOf(modelRow(db), model)) db.exec("DELETE FROM vectors");
    db.run(
      `INSERT INTO vector_model (id, name, dimensions, until) VALUES (1, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET name = excluded.name, dimensions = excluded.dimensions, until = excluded.until`,
      model.id,
      model.dimensions,
      until,
    );
    // A passage may have gone while its vector was made; then the vector must not stay behind.
    const add = db.prepare(
      "INSERT OR REPLACE INTO vectors (passage, vector) SELECT id, ? FROM passages WHERE id = ?",
    );
    for (const { passage, vector } of vectors)
      if (vector.length === model.dimensions) add.run(asBlob(vectorBytes(vector)), passage);
  });
}

export function vectorState(db: Connection): VectorState {
  const known = modelRow(db);
  const passages = db.number("SELECT count(*) FROM passages");
  if (known === undefined) return { passages, done: 0 };
  const done = db.number("SELECT count(*) FROM passages WHERE id <= ?", known.until);
  return { model: known.id, passages, done };
}

export function nearest(db: Connection, request: NearRequest): NearPassage[] {
  const { model, vector, limit, ...filter } = request;
  if (!isOf(modelRow(db), model) || vector.length !== model.dimensions) return [];
  const { sql, values } = entryCondition(db, filter);
  const joined = `FROM vectors JOIN passages ON passages.id = vectors.passage
    JOIN entries ON entries.id = passages.entry WHERE ${sql}`;
  const wanted = vectorBytes(vector);
  const byExtension = () =>
    db
      .all(
        `SELECT vectors.passage, vec_distance_cosine(vec_int8(vectors.vector), vec_int8(?)) AS distance ${joined}
         ORDER BY distance, vectors.passage LIMIT ?`,
        asBlob(wanted),
        ...values,
        limit,
      )
      .map(({ passage, distance }) => ({ passage: Number(passage), similarity: 1 - Number(distance) }));
  const inJavaScript = () => {
    const near: { readonly passage: number; readonly similarity: number }[] = [];
    const newest = `SELECT vectors.passage, vectors.vector ${joined} ORDER BY vectors.passage DESC LIMIT ?`;
    for (const row of db.iterate(newest, ...values, MOST_COMPARED))
      if (row.vector instanceof Uint8Array)
        near.push({ passage: Number(row.passage), similarity: byteCosine(wanted, row.vector) });
    return near.sort((a, b) => b.similarity - a.similarity || a.passage - b.passage).slice(0, limit);
  };
  const near = db.canCompareVectors() ? byExtension() : inJavaScript();
  const found = new Map(
    passagesById(
      db,
      near.map(({ passage }) => passage),
    ).map((one) => [one.id, one]),
  );
  return near.flatMap(({ passage, similarity }) => {
    const one = found.get(passage);
    return one ? { ...one, similarity } : [];
  });
}
