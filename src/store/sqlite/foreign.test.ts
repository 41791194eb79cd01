// Another program's database: read as it is now, and not changed by a byte, whether a process has it open or not.
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Database, loadDriver } from "./driver.ts";
import { openForeign } from "./foreign.ts";

let folder = "";
let open: Database[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-foreign-"));
});
afterEach(() => {
  for (const database of open) database.close();
  open = [];
  rmSync(folder, { recursive: true, force: true });
});

/** Rows in the main file, and one more that is only in the journal. */
async function written(name = "their notes #1?.db"): Promise<string> {
  const file = path.join(folder, name);
  const database = (await loadDriver())(file, { readOnly: false });
  open.push(database);
  database.exec(`CREATE TABLE notes (id INTEGER PRIMARY KEY, word TEXT);
    INSERT INTO notes (word) VALUES ('a'), ('b'), ('a'); PRAGMA journal_mode = WAL; INSERT INTO notes (word) VALUES ('c')`);
  return file;
}

const contents = (): Map<string, string> =>
  new Map(
    readdirSync(folder)
      .filter((name) => !name.endsWith("-shm"))
      .map((name) => [name, readFileSync(path.join(folder, name), "latin1")]),
  );

describe("a foreign database", () => {
  it("is read while its owner writes, journal included, and stays as it is", async () => {
    const file = await written();
    const before = contents();
    const foreign = await openForeign(file);
    expect([...(foreign.tables.get("notes") ?? [])]).toEqual(["id", "word"]);
    expect(foreign.rows("notes", "word", "a").map(({ id }) => id)).toEqual([1, 3]);
    expect(foreign.values("notes", "word")).toEqual(["a", "b", "c"]);
    expect(foreign.extent("notes")).toEqual({ rows: 4, newest: 4 });
    foreign.close();
    expect(contents()).toEqual(before);
  });

  it("is read when no process has it open, and nothing appears beside it", async () => {
    const file = await written("written.db");
    open[0]?.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    const copy = path.join(folder, "copy.db");
    copyFileSync(file, copy);
    const before = readdirSync(folder);
    const foreign = await openForeign(copy);
    expect(foreign.extent("notes")).toEqual({ rows: 4, newest: 4 });
    expect(readdirSync(folder)).toEqual(before);
    foreign.close();
    expect(readdirSync(folder)).toEqual(before);
  });

  it("is read from a copy that has its journal and no more", async () => {
    const file = await written("written.db");
    const copy = path.join(folder, "copy.db");
    for (const part of ["", "-wal"]) copyFileSync(file + part, copy + part);
    const before = contents();
    const foreign = await openForeign(copy);
    expect(foreign.extent("notes").rows).toBe(4);
    foreign.close();
    expect(contents()).toEqual(before);
    expect(readdirSync(folder)).not.toContain("copy.db-shm");
  });

  it("lets no name into a statement that is not there", async () => {
    const foreign = await openForeign(await written());
    expect(() => foreign.rows('notes" --', "word", "a")).toThrow("has no");
    expect(() => foreign.values("notes", "word FROM notes --")).toThrow("has no");
    foreign.close();
  });

  it("is refused when it is none", async () => {
    const file = path.join(folder, "x.db");
    writeFileSync(
      file,
      "this is no database, but it is long enough to be taken for one at first sight".repeat(20),
    );
    await expect(openForeign(file)).rejects.toMatchObject({ code: "database-damaged" });
    await expect(openForeign(path.join(folder, "none.db"))).rejects.toMatchObject({
      code: "permission-denied",
    });
  });
});
