// Vectors in SQLite: the extension and the loop that stands in for it give the same.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { vectorBytes } from "../../portable/vectorBytes.ts";
import { type Connection, connect } from "../connection.ts";
import { openStore } from "../engine.ts";
import { nearest } from "./vectors.ts";

const DIMENSIONS = 16;
const model = { id: "waves", dimensions: DIMENSIONS };
const wave = (seed: number): Float32Array =>
  Float32Array.from({ length: DIMENSIONS }, (_, at) => Math.sin(seed * (at + 1)));

async function withVectors(use: (db: Connection) => void): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "throughline-vectors-"));
  const file = path.join(folder, "memory.db");
  const store = await openStore({ file });
  const at = "2026-11-16T09:00:00.000Z";
  await store.addMessages(
    Array.from({ length: 60 }, (_, n) => ({
      session: `s${n % 3}`,
      uuid: `m${n}`,
      role: "user",
      text: `message ${n}`,
      at,
      project: n % 2 === 0 ? "even" : "odd",
    })),
  );
  const bare = await store.barePassages(model, 100);
  const vectors = bare.map(({ id }) => ({ passage: id, vector: wave(id) }));
  await store.addVectors({ model, until: bare.at(-1)?.id ?? 0, vectors });
  const db = await connect(file);
  try {
    use(db);
  } finally {
    db.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

it("gives the same by the extension and by hand", async () => {
  await withVectors((db) => {
    expect(db.canCompareVectors()).toBe(true);
    const byHand: Connection = { ...db, canCompareVectors: () => false };
    for (const filter of [{}, { projects: ["odd"] }, { session: "s1", projects: ["even"] }]) {
      const request = { model, vector: wave(7.3), limit: 9, ...filter };
      const seen = (from: Connection) =>
        nearest(from, request).map(({ entry, similarity }) => `${entry.ref} ${similarity.toFixed(5)}`);
      expect(seen(db)).toHaveLength(9);
      expect(seen(byHand)).toEqual(seen(db));
    }
  });
});

it("gives each passage its own nearness where another has lost its place", async () => {
  await withVectors((db) => {
    const seen = () =>
      nearest(db, { model, vector: wave(7.3), limit: 9 }).map(({ id, similarity }) => ({ id, similarity }));
    const whole = seen();
    const lost = whole[2]?.id ?? 0;
    db.run("DELETE FROM entry_places WHERE entry = (SELECT entry FROM passages WHERE id = ?)", lost);
    expect(seen()).toEqual(whole.filter(({ id }) => id !== lost));
  });
});

it("loads nothing that is asked for in SQL", async () => {
  await withVectors((db) => {
    db.canCompareVectors();
    expect(() => db.prepare("SELECT load_extension('vec0')").get()).toThrow(
      /not authorized|no such function/,
    );
  });
});

it("rounds to bytes without turning the vector", () => {
  const exact = wave(3);
  const rounded = Float32Array.from(vectorBytes(exact));
  const dot = (a: Float32Array, b: Float32Array) =>
    a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
  const cosine = dot(exact, rounded) / Math.sqrt(dot(exact, exact) * dot(rounded, rounded));
  expect(cosine).toBeGreaterThan(0.9995);
  expect([...vectorBytes(new Float32Array(4))]).toEqual([0, 0, 0, 0]);
});
