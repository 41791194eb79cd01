// An import that is killed five times ends in the same database as one that is not; secrets are nowhere in it.
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { plantedSecret, writeSessions } from "./fixtures/import/sessions.ts";
import { type ImportPlace, importPlace, killImports } from "./kill/importKills.ts";
import { until } from "./until.ts";

const KILLS = 5;

let folder = "";
let places: ImportPlace[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tl-imp-"));
  places = [];
});
afterEach(async () => {
  for (const one of places) await one.must("worker", "stop");
  rmSync(folder, { recursive: true, force: true });
});

function place(name: string): ImportPlace {
  const made = importPlace(path.join(folder, name));
  places.push(made);
  return made;
}

describe("throughline import", () => {
  it("ends the same when it is killed five times, goes on by itself when its worker is, and adds nothing twice", async () => {
    const transcripts = path.join(folder, "projects");
    writeSessions(transcripts, { sessions: 4, turns: 8 });
    const calm = place("calm");
    await calm.must("import", transcripts);
    const wanted = await calm.exported();
    expect(wanted.filter((line) => line.startsWith('{"type":"job"'))).toEqual([]);

    const killed = place("killed");
    const whole = await calm.changes();
    const seen = await killImports(killed, transcripts, { kills: KILLS, whole });
    expect(new Set(seen).size).toBe(KILLS);
    expect(Math.max(...seen)).toBeLessThan(whole);
    const last = killed.start("import", transcripts, "--quiet");
    const enough = (whole * (KILLS + 1)) / (KILLS + 2);
    await until(
      async () => ((await killed.changes()) >= enough ? true : undefined),
      "the import to be so far",
    );
    killed.killWorker();
    expect(await once(last, "exit")).toEqual([0, null]);
    expect(await killed.exported()).toEqual(wanted);
    expect(killed.archives()).toEqual(calm.archives());
    expect(await killed.must("data", "check")).toContain("no problems");

    const again = JSON.parse(await killed.must("import", transcripts, "--json"));
    expect(again.grown).toEqual({ observations: 0, summaries: 0 });
    expect(await killed.exported()).toEqual(wanted);
  });

  it("leaves secrets in the transcripts, and what was forgotten too", async () => {
    const transcripts = path.join(folder, "projects");
    const [first = ""] = writeSessions(transcripts, { sessions: 2, turns: 4 });
    const here = place("here");
    const dry = JSON.parse(await here.must("import", transcripts, "--dry-run", "--json"));
    expect(dry.done[0].secrets).toBeGreaterThan(0);
    expect(existsSync(here.home.data)).toBe(false);
    await here.must("import", transcripts);
    const files = readdirSync(path.join(folder, "here"), { recursive: true, encoding: "utf8" })
      .map((name) => path.join(folder, "here", name))
      // The vault has exact bytes, and says so.
      .filter((file) => statSync(file).isFile() && !file.includes(`${path.sep}vault${path.sep}`));
    for (const ending of ["throughline.db", "throughline.db-wal", "worker.log", ".md"])
      expect(files.some((file) => file.endsWith(ending))).toBe(true);
    expect(files.filter((file) => readFileSync(file).includes(plantedSecret))).toEqual([]);
    expect(await here.must("search", "which loop ran too often")).toContain("loop");

    // What is forgotten does not come back, though the transcripts still have it.
    await here.must("forget", "--from", "2026-01-01", "--to", "2026-02-01", "--yes");
    expect(await here.must("import", transcripts)).toContain("Nothing new.");
    appendFileSync(first, "\n");
    expect(await here.must("import", transcripts)).toContain("Nothing new.");
    expect(await here.must("data", "stats")).not.toContain("sessions");
    expect(here.archives().size).toBe(0);
  });
});
