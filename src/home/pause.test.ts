// Pausing and going on: what hooks see, and what is remembered of it.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ensureFolder } from "../lib/index.ts";
import { type Home, pauseFile, resolveHome, runtimeFile } from "./index.ts";
import { pause, pauses, resume, wasPaused } from "./pause.ts";
import { updateRuntime } from "./runtime.ts";

let home: Home;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-pause-"));
  home = resolveHome({ env: { THROUGHLINE_HOME: folder }, platform: process.platform, homeFolder: folder });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const clock = (now: number) => ({ now: () => now });

describe("pause and resume", () => {
  it("leave a record of when nothing was captured", () => {
    expect(pause(home, clock(1_000))).toEqual({ changed: true, since: "1970-01-01T00:00:01.000Z" });
    expect(existsSync(pauseFile(home))).toBe(true);
    expect(pauses(home)).toEqual([{ from: 1_000 }]);
    expect(pause(home, clock(2_000))).toMatchObject({ changed: false, since: "1970-01-01T00:00:01.000Z" });
    expect(resume(home, clock(3_000))).toMatchObject({ changed: true });
    expect(existsSync(pauseFile(home))).toBe(false);
    expect(resume(home, clock(4_000))).toEqual({ changed: false });
    pause(home, clock(5_000));
    expect(pauses(home)).toEqual([{ from: 1_000, to: 3_000 }, { from: 5_000 }]);
  });

  it("tell hooks by the file they read anyway", () => {
    updateRuntime(home, {
      version: "1.0.0",
      capture: { excluded: ["/x"], config: "none none" },
      worker: { node: "node", script: "worker.js" },
    });
    pause(home);
    expect(JSON.parse(readFileSync(runtimeFile(home), "utf8"))).toMatchObject({
      paused: true,
      excluded: ["/x"],
    });
    resume(home);
    expect(JSON.parse(readFileSync(runtimeFile(home), "utf8"))).toMatchObject({ paused: false });
  });

  it("count a pause that says nothing of its beginning as one that was always there", () => {
    ensureFolder(home.state);
    writeFileSync(pauseFile(home), "");
    expect(wasPaused(pauses(home), 1)).toBe(true);
  });

  it("decide by time alone", () => {
    const then = [{ from: 10, to: 20 }, { from: 30 }];
    expect([5, 10, 15, 20, 25, 30, 99].map((at) => wasPaused(then, at))).toEqual([
      false,
      true,
      true,
      true,
      false,
      true,
      true,
    ]);
  });
});
