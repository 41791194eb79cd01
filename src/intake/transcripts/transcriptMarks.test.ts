// How far transcripts were read: forgotten after a while, unless it was the session that was forgotten.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { resolveHome } from "../../home/index.ts";
import { DAY } from "../../lib/index.ts";
import { openMarks } from "./transcriptMarks.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-marks-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function marksFolder(): string {
  const place = path.join(folder, "state");
  mkdirSync(place, { recursive: true });
  return place;
}

const marksAt = (now: number) =>
  openMarks(
    resolveHome({ env: { THROUGHLINE_HOME: folder }, platform: process.platform, homeFolder: folder }),
    now,
  );

describe("marks of transcripts", () => {
  it("stay whatever the clock says while their transcripts are there", () => {
    const file = path.join(folder, "s1.jsonl");
    writeFileSync(file, "");
    const marks = marksAt(0);
    marks.set(file, { session: "s1", offset: 10, since: 5 }, 0);
    marks.set(file, { session: "s1", offset: 20 }, 1);
    marks.save();
    expect(marksAt(900 * DAY).get(file)).toMatchObject({ offset: 20, since: 5 });
  });

  it("are known to be lost until they are restored, whatever is saved in between", () => {
    writeFileSync(path.join(marksFolder(), "transcripts.json"), "\0garbage");
    const marks = marksAt(0);
    marks.set("/t/new.jsonl", { session: "s1", offset: 1 }, 0);
    marks.save();
    expect(marksAt(0).isDamaged()).toBe(true);
    marks.restored();
    marks.save();
    expect(marksAt(0).isDamaged()).toBe(false);
    expect(marksAt(0).named()).toMatchObject([{ session: "s1" }]);
  });

  it("go when they were not used for long, but never that of a forgotten session: it would come back", () => {
    const marks = marksAt(0);
    marks.set("/t/read.jsonl", { session: "s1", offset: 10 }, 0);
    marks.forget("/t/forgotten.jsonl", 20, 0);
    marks.save();
    expect(marksAt(89 * DAY).get("/t/read.jsonl")).toMatchObject({ offset: 10 });
    const later = marksAt(900 * DAY);
    expect(later.get("/t/read.jsonl")).toBeUndefined();
    expect(later.get("/t/forgotten.jsonl")).toMatchObject({ forgotten: 20 });
    expect(later.named()).toEqual([]);
  });
});
