// Opens databases that earlier versions wrote: every row is as it was, and everything can be read and searched.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sha256 } from "../src/lib/index.ts";
import { automaticBackups, openStore, type Store } from "../src/store/index.ts";
import { type Connection, connect, connectReadOnly } from "../src/store/sqlite/connection.ts";
import contents from "./fixtures/store/contents.json" with { type: "json" };

const fixtures = path.join(import.meta.dirname, "fixtures", "store");
const versions = [{ version: "0.1.0" }, { version: "2026-11-17", held: "2026-11-17.held.json" }] as const;

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-fixture-"));
  file = path.join(folder, "throughline.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function unpack({ version, held }: { readonly version: string; readonly held?: string }): void {
  writeFileSync(file, gunzipSync(readFileSync(path.join(fixtures, `${version}.db.gz`))));
  if (held !== undefined) writeFileSync(`${file}.held.json`, readFileSync(path.join(fixtures, held)));
}

/** Shadow tables of full-text indexes are SQLite's own, and `migrations` says how the store came to its layout. */
const tableNames = `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
  AND name NOT LIKE '%\\_fts\\_%' ESCAPE '\\' AND name <> 'migrations' ORDER BY name`;

async function reading<T>(database: string, use: (db: Connection) => T): Promise<T> {
  const db = await connectReadOnly(database);
  try {
    return use(db);
  } finally {
    db.close();
  }
}

/** Of each table how many rows it has, and a hash of what is in them. */
function contentsOf(db: Connection): Record<string, { rows: number; sha256: string }> {
  const names = db.prepare(tableNames).all();
  return Object.fromEntries(
    names.map(({ name }) => {
      const rows = db.prepare(`SELECT * FROM ${String(name)} ORDER BY 1, 2`).all();
      const text = rows.map((row) =>
        JSON.stringify(row, (_, value) =>
          value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value,
        ),
      );
      return [String(name), { rows: rows.length, sha256: sha256(text.join("\n")) }];
    }),
  );
}

const namesOf = (db: Connection): unknown[] =>
  db
    .prepare("SELECT name FROM migrations ORDER BY rowid")
    .all()
    .map(({ name }) => name);

/** Every table, index and trigger as it was created, without comments and whitespace. */
function schemaOf(db: Connection): Record<string, string> {
  const rows = db.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name").all();
  const plain = (sql: unknown): string => String(sql).replace(/--.*/g, "").replace(/\s/g, "");
  return Object.fromEntries(rows.map(({ name, sql }) => [String(name), plain(sql)]));
}

const uids = async (page: Promise<{ items: readonly { uid: string }[] }>): Promise<string[]> =>
  (await page).items.map(({ uid }) => uid);

async function expectEverything(store: Store): Promise<void> {
  expect(await store.stats()).toMatchObject({
    counts: { sessions: 2, events: 10, prompts: 3, observations: 3, summaries: 2, messages: 2, jobs: 5 },
    observationsByType: { bugfix: 1, decision: 1, feature: 1 },
  });
  expect(await uids(store.observations())).toEqual(["ob_3", "ob_2", "ob_1"]);
  expect(await uids(store.summaries())).toEqual(["su_2", "su_1"]);
  expect(await uids(store.prompts({ session: "s1", order: "oldest" }))).toEqual(["ev_p1", "ev_p2"]);
  expect(await store.session("s1")).toMatchObject({ status: "completed", sdkSessionId: "model-session-1" });
  const found = await store.passages({ terms: ["retri"], mode: "any", limit: 10 });
  expect(found.map(({ entry }) => entry.kind)).toContain("observation");
  const mentioning = await store.chronicle({ file: "auth.ts", concept: "retry" });
  expect(mentioning.items.map(({ row }) => row.uid)).toEqual(["ob_1"]);
  const model = { id: "fixture-model", dimensions: 4 };
  const near = await store.nearest({ model, vector: Float32Array.from([1, 0, -0.5, 0.25]), limit: 3 });
  expect(near).toHaveLength(3);
  expect(await store.queueStats(0)).toMatchObject({ dead: 1, leased: 1 });
  expect(await store.accountSums()).toMatchObject({ requests: 4, savedDollars: 0.25 });
  expect(await store.integrityCheck()).toEqual({ ok: true, problems: [] });
}

describe.each(versions)("a store of $version", (fixture) => {
  const expected = contents[fixture.version];

  it("has the same rows after it was opened", async () => {
    unpack(fixture);
    expect(await reading(file, contentsOf)).toEqual(expected);
    const store = await openStore({ file });
    await expectEverything(store);
    await store.close();
    const after = await reading(file, contentsOf);
    const { entry_places, index_sizes, session_origins, received, withdrawn, project_identities, ...kept } =
      after;
    expect(kept).toEqual(expected);
    expect(entry_places?.rows).toBe(expected.entries.rows);
    expect(index_sizes?.rows).toBeGreaterThan(0);
    expect(session_origins?.rows).toBe(expected.sdk_sessions.rows);
    for (const table of [received, withdrawn, project_identities]) expect(table?.rows).toBe(0);
  });

  it("is backed up before its schema is recorded as the current one, and once", async () => {
    unpack(fixture);
    const before = await reading(file, namesOf);
    for (let time = 0; time < 2; time++) await (await openStore({ file })).close();
    expect(await reading(file, namesOf)).toEqual([
      ...before,
      ...["2026-11-schema", "2026-11-exchanges", "2026-11-session-origins", "2026-11-sync"],
    ]);
    const backups = automaticBackups(file);
    expect(backups).toEqual([expect.objectContaining({ reason: "migration" })]);
    const copy = backups[0]?.file ?? "";
    expect(await reading(copy, namesOf)).toEqual(before);
    expect(await reading(copy, contentsOf)).toEqual(expected);
  });

  it("has the schema of a new store", async () => {
    unpack(fixture);
    const created = path.join(folder, "new.db");
    await (await openStore({ file: created })).close();
    await (await openStore({ file })).close();
    expect(await reading(file, schemaOf)).toEqual(await reading(created, schemaOf));
  });

  it("takes new rows and forgets old ones", async () => {
    unpack(fixture);
    const store = await openStore({ file });
    const { cwd, ...known } = (await store.events({ kind: "session-end" })).items[0] ?? {};
    expect(cwd).toBe("/home/me/app");
    expect(known).toMatchObject({ id: "ev_end1", session: "s1" });
    await store.forget({ session: "s1" });
    const { counts } = await store.stats();
    expect(counts).toMatchObject({ sessions: 1, observations: 1, summaries: 1, messages: 0 });
    await store.close();
  });
});

describe("a schema that this version cannot use", () => {
  const change = async (sql: string): Promise<void> => {
    unpack({ version: "0.1.0" });
    const db = await connect(file);
    db.exec(sql);
    db.close();
  };

  it("is refused with the command to upgrade when it is newer", async () => {
    await change("INSERT INTO migrations VALUES ('2099-01-more', '2099-01-01T00:00:00.000Z')");
    await expect(openStore({ file })).rejects.toMatchObject({
      code: "database-newer",
      fix: expect.stringContaining("npm install -g throughline@latest"),
    });
  });

  it("is refused with the command to restore when no version released it", async () => {
    await change("DELETE FROM migrations WHERE name = '2026-11-overview'");
    await expect(openStore({ file })).rejects.toMatchObject({
      code: "database-unusable",
      fix: expect.stringContaining("throughline data restore FILE"),
    });
  });

  it("is damage when a table of it is missing", async () => {
    await change("DROP TABLE imported");
    await expect(openStore({ file })).rejects.toMatchObject({
      code: "database-damaged",
      message: expect.stringContaining("has no imported"),
    });
    expect(await reading(file, namesOf)).not.toContain("2026-11-schema");
  });
});
