// Opening the store whatever state its file is in: set aside once, finished by the next process, and not without end.
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { event, prompt } from "../../test/storeContract/setting.ts";
import { databaseFile, type Home, resolveHome } from "../home/index.ts";
import { openLog } from "../log/log.ts";
import { checkFile, openStore, readHeld, salvageStart } from "../store/index.ts";
import { connect, withConnection } from "../store/sqlite/connection.ts";
import { releaseClosed } from "../store/sqlite/driver.ts";
import { openOrRecover } from "./openStore.ts";
import { damageSummaries, listDamage, readReport, writeReport } from "./report.ts";

let folder = "";
let home: Home;
let now = Date.parse("2026-11-17T20:00:00.000Z");
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-open-"));
  home = resolveHome({ env: { THROUGHLINE_HOME: folder }, platform: process.platform, homeFolder: folder });
  const store = await openStore({ file: databaseFile(home) });
  await store.recordEvents([event("a", 1), event("b", 2)]);
  await store.forget({ session: "another" });
  await store.close();
  await releaseClosed();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function open(): Promise<void> {
  now += 1_000;
  const log = openLog({
    ...{ file: path.join(folder, "log"), level: "info", maxBytes: 100_000, keep: 1 },
    redact: (record) => record,
  });
  const store = await openOrRecover({ home, log, now: () => now, options: {} });
  await store.close();
  await releaseClosed();
}

const spoil = (): void => writeFileSync(databaseFile(home), "no database\n".repeat(1_000));

describe("a store whose file is damaged", () => {
  it("is the same store with the same ids and the same marks of what was forgotten, in a new file", async () => {
    const before = readHeld(databaseFile(home));
    spoil();
    await open();
    const after = readHeld(databaseFile(home));
    expect(after).toMatchObject({ identity: before?.identity, counts: { events: 0 } });
    expect(after?.forgotten).toEqual(before?.forgotten);
    expect(after?.sequences.events).toBeGreaterThan(before?.sequences.events ?? 0);
    const [summary] = damageSummaries(home);
    expect(summary).toMatchObject({ state: "salvaging", held: { events: 2 } });
    expect(readFileSync(path.join(summary?.folder ?? "", "throughline.db"), "utf8")).toContain("no database");
    await open();
    expect(listDamage(home)).toHaveLength(1);
  });

  it("is set aside by the next process when the one before died in the middle of it", async () => {
    const held = readHeld(databaseFile(home));
    spoil();
    const place = path.join(home.data, "damaged", "2026-11-17T19-00-00-000Z");
    writeReport(place, {
      ...{ v: 1, at: "2026-11-17T19:00:00.000Z", reason: "x", state: "moving", position: salvageStart },
      ...(held === undefined ? {} : { held }),
    });
    await open();
    expect(existsSync(path.join(place, "throughline.db"))).toBe(true);
    expect(readReport(place)).toMatchObject({ state: "salvaging" });
    expect(readHeld(databaseFile(home))?.identity).toBe(held?.identity);
  });

  it("is not set aside without end", async () => {
    for (let round = 0; round < 5; round++) {
      spoil();
      await open();
    }
    truncateSync(databaseFile(home), 100);
    await expect(open()).rejects.toThrow("databases were damaged within an hour");
    now += 3_600_000;
    await open();
  });
});

describe("a full-text index that does not agree with its table", () => {
  it("is made anew by the check of the file, which finds nothing else", async () => {
    const file = databaseFile(home);
    const store = await openStore({ file });
    await store.recordEvents([prompt("c", 3, "rename the ferry table")]);
    await store.close();
    await withConnection(connect(file), (db) =>
      db.exec("INSERT INTO user_prompts_fts(user_prompts_fts) VALUES ('delete-all')"),
    );
    expect(await checkFile(file)).toEqual({ ok: true, problems: [], rebuilt: ["user_prompts_fts"] });
    expect(await checkFile(file)).toEqual({ ok: true, problems: [], rebuilt: [] });
    const found = await withConnection(connect(file), (db) =>
      db.number("SELECT count(*) FROM user_prompts_fts WHERE user_prompts_fts MATCH 'ferry'"),
    );
    expect(found).toBe(1);
    await releaseClosed();
  });
});
