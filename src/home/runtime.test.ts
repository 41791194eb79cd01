// The small files beside the worker: who may read them, and who may change them.
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Home, resolveHome, runtimeFile, tokenFile, workerStateFile } from "./index.ts";
import {
  ensureToken,
  mergeRuntime,
  readRuntime,
  readWorkerState,
  removeWorkerState,
  updateRuntime,
  writeWorkerState,
} from "./runtime.ts";

let home: Home;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-state-"));
  home = resolveHome({ env: { THROUGHLINE_HOME: folder }, platform: process.platform, homeFolder: folder });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the token", () => {
  it("is made once and stays", () => {
    const token = ensureToken(home);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(ensureToken(home)).toBe(token);
    expect(statSync(tokenFile(home)).mode & 0o777).toBe(0o600);
  });

  it.skipIf(process.platform === "win32")(
    "is replaced when others could have read it, or it is too short",
    () => {
      const token = ensureToken(home);
      chmodSync(tokenFile(home), 0o644);
      const second = ensureToken(home);
      expect(second).not.toBe(token);
      writeFileSync(tokenFile(home), "short\n");
      expect(ensureToken(home)).not.toBe("short");
    },
  );
});

describe("what hooks may know", () => {
  const capture = { excluded: ["/a"], config: "none none" };
  const about = { version: "1.1.0", worker: { node: "n", script: "mine.js" } };
  const mine = { ...about, capture };

  it("comes from the newest installation, the exclusions from the last writer", () => {
    const newer = {
      version: "1.2.0",
      paused: false,
      excluded: [],
      worker: { node: "n", script: "newer.js" },
    };
    expect(mergeRuntime(newer, mine, true)).toEqual({ ...newer, paused: true, ...capture });
    expect(mergeRuntime({ ...newer, version: "1.0.0" }, mine, false)).toEqual({
      ...about,
      ...capture,
      paused: false,
    });
    expect(mergeRuntime(undefined, mine, false)).toEqual({ ...about, ...capture, paused: false });
  });

  it("keeps what was excluded, under its own stamp, where the settings cannot be read", () => {
    const before = { ...about, ...capture, paused: false };
    expect(mergeRuntime(before, about, false)).toEqual(before);
    expect(mergeRuntime(undefined, about, false)).toMatchObject({ excluded: [], config: "unknown" });
  });

  it("is written only when it changes", () => {
    updateRuntime(home, mine);
    const { mtimeMs, ino } = statSync(runtimeFile(home));
    updateRuntime(home, mine);
    expect(statSync(runtimeFile(home))).toMatchObject({ mtimeMs, ino });
    expect(readRuntime(home)).toEqual({ ...about, ...capture, paused: false });
  });

  it.each(["", "[]", "{", '{"version":1}', '{"version":"1.0.0","worker":{}}'])(
    "is nothing when the file says %j",
    (text) => {
      updateRuntime(home, mine);
      writeFileSync(runtimeFile(home), text);
      expect(readRuntime(home)).toBeUndefined();
    },
  );
});

describe("the state of the worker", () => {
  it("is taken away by the worker that wrote it and by no other", () => {
    const state = { pid: 7, version: "1.0.0", socket: "s", port: 1, startedAt: "now" };
    writeWorkerState(home, state);
    removeWorkerState(home, 8);
    expect(readWorkerState(home)).toEqual(state);
    removeWorkerState(home, 7);
    expect(readWorkerState(home)).toBeUndefined();
  });

  it("is nothing when the file makes no sense", () => {
    writeWorkerState(home, { pid: 7, version: "1.0.0", socket: "s", port: 1, startedAt: "now" });
    writeFileSync(workerStateFile(home), readFileSync(workerStateFile(home), "utf8").slice(0, 20));
    expect(readWorkerState(home)).toBeUndefined();
  });
});
