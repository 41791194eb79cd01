// A disk without room: no hook says a word, the worker stays, and when there is room again nothing is missing.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { hookFile } from "../hookProcess.ts";
import { bundle, builtWorker as worker } from "./bundle.ts";
import { mayMount, onSmallDisk } from "./smallDisk.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tl-d-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it.skipIf(!mayMount)(
  "a full disk costs no event that the transcript has, and disturbs no session",
  async () => {
    const story = await bundle("test/worker/fullDiskRun.ts");
    const disk = mkdtempSync(path.join(folder, "disk-"));
    const transcript = path.join(folder, "s1.jsonl");
    const run = onSmallDisk(disk, [process.execPath, story, disk, transcript, hookFile("capture"), worker]);
    expect({ code: run.status, err: run.stderr }).toEqual({ code: 0, err: "" });
    const told = JSON.parse(run.stdout);
    expect([...told.before, ...told.during]).toEqual(Array(17).fill("0"));
    expect(told).toMatchObject({ survived: true, solved: true, left: 0, ok: true });
    const calls = Array.from({ length: 17 }, (_, at) => `toolu_${at}`);
    expect(told.ids.toSorted()).toEqual(calls.toSorted());
    // It was really full: the worker could not commit, hooks could not write, and their events came from the transcript.
    expect(told.trouble).toMatch(/full/);
    expect(told.lanes).toContain("transcript");
    for (const line of told.log) expect(line).toContain("ENOSPC");
  },
);
