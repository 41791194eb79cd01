// Imports of a folder killed five times and once not: the same database. THROUGHLINE_IMPORT_FOLDER names the folder.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { writeSessions } from "../fixtures/import/sessions.ts";
import { importPlace, killImports } from "./importKills.ts";

const KILLS = 5;

it("an import of a whole folder ends the same, however often it is killed", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "tl-imp-"));
  const [calm, killed] = ["calm", "killed"].map((name) => importPlace(path.join(folder, name)));
  if (calm === undefined || killed === undefined) throw new Error("there are two of them");
  try {
    const given = process.env.THROUGHLINE_IMPORT_FOLDER;
    const source = given ?? path.join(folder, "projects");
    if (given === undefined) writeSessions(source, { sessions: 24, turns: 40 });
    const { bytes, tookMs } = JSON.parse(await calm.must("import", source, "--json"));
    const whole = await calm.changes();
    const seen = await killImports(killed, source, { kills: KILLS, whole });
    await killed.must("import", source);
    const wanted = await calm.exported();
    console.log(JSON.stringify({ bytes, tookMs, changes: whole, killedAt: seen, lines: wanted.length }));
    expect(await killed.exported()).toEqual(wanted);
    expect(killed.archives()).toEqual(calm.archives());
    await killed.must("import", source);
    expect(await killed.exported()).toEqual(wanted);
  } finally {
    for (const place of [calm, killed]) await place.must("worker", "stop");
    rmSync(folder, { recursive: true, force: true });
  }
});
