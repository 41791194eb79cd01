// Records of edits on disk: those of sessions that are over are deleted, by age.
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Home, liveFolder } from "../home/index.ts";
import { DAY, SECOND } from "../lib/index.ts";
import { openRecord, sweepRecords } from "./record.ts";

let folder = "";
let home: Home;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-record-"));
  home = { config: folder, data: folder, state: folder };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("sweepRecords", () => {
  it("deletes what was not written to for 90 days, and no other file", () => {
    const now = Date.UTC(2026, 10, 1);
    expect(sweepRecords(home, now)).toBe(0);
    for (const [session, days] of [
      ["new", 1],
      ["kept", 89],
      ["old", 91],
    ] as const) {
      openRecord(home, session).append({ version: 1, from: 0, edits: [] }, []);
      const at = (now - days * DAY) / SECOND;
      utimesSync(path.join(liveFolder(home), `${session}.jsonl`), at, at);
    }
    writeFileSync(path.join(liveFolder(home), "note.txt"), "");
    expect(sweepRecords(home, now)).toBe(1);
    expect(readdirSync(liveFolder(home)).sort()).toEqual(["kept.jsonl", "new.jsonl", "note.txt"]);
  });
});
