// A failure of the database is classified by SQLite's own code: a full disk, a lock or an unknown error is never damage.
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { event } from "../../../test/storeContract/setting.ts";
import { ThroughlineError } from "../../lib/index.ts";
import { type Connection, connect, connectReadOnly } from "./connection.ts";
import { openStore } from "./engine.ts";
import { classifyErrors, isStoreTrouble } from "./failures.ts";
import { integrityCheck } from "./upkeep/upkeep.ts";

let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-failures-"));
  file = path.join(folder, "throughline.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function failure(work: () => unknown): unknown {
  try {
    classifyErrors(file, work);
  } catch (error) {
    return error;
  }
  return undefined;
}

/** What both drivers throw for a result code. */
const thrown = (errcode: number, message = "some words", more = {}) =>
  Object.assign(new Error(message), { code: "ERR_SQLITE_ERROR", errcode, ...more });

async function using<T>(connection: Promise<Connection>, use: (db: Connection) => T): Promise<T> {
  const db = await connection;
  try {
    return use(db);
  } finally {
    db.close();
  }
}

describe("a failure of the real SQLite", () => {
  it("is damage only where the file is damaged or no database", async () => {
    writeFileSync(file, "This is a text, and quite a long one. ".repeat(50));
    await expect(connect(file)).rejects.toMatchObject({
      code: "database-damaged",
      message: expect.stringContaining("SQLite 26"),
    });
  });

  it("is a permission where the file cannot be opened or written", async () => {
    const nowhere = path.join(folder, "none", "throughline.db");
    await expect(connectReadOnly(nowhere)).rejects.toMatchObject({ code: "permission-denied" });
    await using(connect(file), (db) => db.exec("CREATE TABLE t (x TEXT)"));
    const refused = await using(connectReadOnly(file), (db) =>
      failure(() => db.exec("INSERT INTO t VALUES ('x')")),
    );
    expect(refused).toMatchObject({ code: "permission-denied", fix: expect.stringContaining("mode") });
  });

  it("is a lock while another process writes", async () => {
    await using(connect(file), (db) => db.exec("CREATE TABLE t (x TEXT)"));
    const first = await connect(file);
    first.exec("BEGIN IMMEDIATE");
    const refused = await using(connect(file), (db) => {
      db.exec("PRAGMA busy_timeout = 1");
      return failure(() => db.exec("BEGIN IMMEDIATE"));
    });
    first.exec("ROLLBACK");
    first.close();
    expect(refused).toMatchObject({ code: "database-busy" });
  });

  it("is of the statement, with its code, where SQLite has no other reason", async () => {
    const refused = await using(connect(file), (db) => {
      db.exec("CREATE TABLE t (x TEXT UNIQUE); INSERT INTO t VALUES ('x')");
      return failure(() => db.exec("INSERT INTO t VALUES ('x')"));
    });
    expect(refused).toMatchObject({
      code: "database-failed",
      message: expect.stringContaining("SQLite 2067"),
    });
    expect(isStoreTrouble(refused)).toBe(false);
  });

  it("is no problem of a full-text index when the disk is full", async () => {
    const store = await openStore({ file });
    await store.recordEvents([event("a", 1)]);
    await store.close();
    await using(connect(file), (db) => {
      db.exec("PRAGMA query_only = ON");
      expect(() => integrityCheck(db)).toThrow(expect.objectContaining({ code: "permission-denied" }));
    });
  });
});

describe("every result code", () => {
  const codes: readonly (readonly [string, number, string])[] = [
    ["CORRUPT", 11, "database-damaged"],
    ["CORRUPT_VTAB", 267, "database-damaged"],
    ["NOTADB", 26, "database-damaged"],
    ["BUSY", 5, "database-busy"],
    ["BUSY_RECOVERY", 261, "database-busy"],
    ["BUSY_SNAPSHOT", 517, "database-busy"],
    ["LOCKED_SHAREDCACHE", 262, "database-busy"],
    ["FULL", 13, "disk-full"],
    ["READONLY_DIRECTORY", 1544, "permission-denied"],
    ["CANTOPEN_ISDIR", 526, "permission-denied"],
    ["PERM", 3, "permission-denied"],
    ["IOERR_SHORT_READ", 522, "database-damaged"],
    ["IOERR_READ", 266, "io-failed"],
    ["IOERR_WRITE", 778, "io-failed"],
    ["IOERR_FSYNC", 1034, "io-failed"],
    ["IOERR_SHMSIZE", 4874, "io-failed"],
    ["ERROR", 1, "database-failed"],
    ["NOMEM", 7, "database-failed"],
    ["TOOBIG", 18, "database-failed"],
    ["CONSTRAINT_NOTNULL", 1299, "database-failed"],
    ["one of a later SQLite", 285, "database-failed"],
  ];
  it.each(codes)("%s (%d) is %s", (_, errcode, code) => {
    writeFileSync(file, "");
    const error = failure(() => {
      throw thrown(errcode, "database disk image is malformed");
    });
    expect(error).toMatchObject({ code, message: expect.stringContaining(`SQLite ${errcode}`) });
    expect((error as ThroughlineError).fix).toBeTruthy();
  });

  it.each([
    ["ENOSPC", 28, "disk-full"],
    ["EDQUOT", 122, "disk-full"],
    ["EMFILE", 24, "io-failed"],
    ["EACCES", 13, "permission-denied"],
  ])("with %s of the system behind it is %s", (_, systemErrno, code) => {
    for (const errcode of [778, 14, 8])
      expect(
        failure(() => {
          throw thrown(errcode, "disk I/O error", { systemErrno });
        }),
      ).toMatchObject({ code });
  });

  it("of the system alone is reported in the same words", () => {
    const enospc = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    expect(
      failure(() => {
        throw enospc;
      }),
    ).toMatchObject({ code: "disk-full", cause: enospc });
    const other = new TypeError("a mistake of ours");
    expect(
      failure(() => {
        throw other;
      }),
    ).toBe(other);
    expect(isStoreTrouble(new ThroughlineError("disk-full", "x"))).toBe(true);
  });
});

describe("damage that is met while rows are read", () => {
  it.each(["all", "get", "iterate"] as const)(
    "has its code, whichever way they are read: %s",
    async (way) => {
      const whole = await connect(file);
      whole.exec("CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)");
      for (let at = 0; at < 200; at++) whole.prepare("INSERT INTO t (text) VALUES (?)").run("x".repeat(500));
      whole.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      whole.close();
      const fd = openSync(file, "r+");
      writeSync(fd, Buffer.alloc(4096 * 4), 0, 4096 * 4, 4096 * 8);
      closeSync(fd);
      const db = await connectReadOnly(file);
      const statement = db.prepare("SELECT sum(length(text)) AS sum FROM t UNION ALL SELECT id FROM t");
      const read = (): unknown => (way === "iterate" ? [...statement.iterate()] : statement[way]());
      expect(() => classifyErrors(file, read)).toThrow(expect.objectContaining({ code: "database-damaged" }));
      db.close();
    },
  );
});
