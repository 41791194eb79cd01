// Events that hooks cannot write on a full disk are counted, and read from the transcript once there is room.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { hookFile } from "../hookProcess.ts";
import { bundle, builtWorker as worker } from "../worker/bundle.ts";
import { mayMount, onSmallDisk } from "../worker/smallDisk.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tl-f-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it.skipIf(!mayMount)(
  "24 events of a full disk, half of them of a session never seen: none is lost",
  async () => {
    const story = await bundle("test/trust/fullDiskRun.ts");
    const disk = mkdtempSync(path.join(folder, "disk-"));
    const claude = path.join(folder, "claude");
    const run = onSmallDisk(disk, [process.execPath, story, disk, claude, hookFile("capture"), worker]);
    expect({ code: run.status, err: run.stderr }).toEqual({ code: 0, err: "" });
    const told = JSON.parse(run.stdout);
    expect(told.said).toEqual(["0"]);
    const calls = [
      ...Array.from({ length: 15 }, (_, at) => `toolu_known_${at}`),
      ...Array.from({ length: 12 }, (_, at) => `toolu_unknown_${at + 3}`),
    ];
    expect(told.ids.toSorted()).toEqual(calls.toSorted());
    // A hook may still find a few bytes that the worker gave back: not every one of the 24 has to be lost at first.
    const { lost } = told.during;
    expect(lost).toBeGreaterThan(12);
    expect(told.after).toMatchObject({ lost, pending: 0 });
    // An event that a transcript shows before its hook has written it counts as refilled too.
    expect(told.after.refilled).toBeGreaterThanOrEqual(lost);
    expect(told.ok).toBe(true);
  },
);
