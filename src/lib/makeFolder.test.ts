// Folders that are made step by step, and end where they cannot be.
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeFolder } from "./files.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-folder-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("makeFolder", () => {
  it("makes what is missing, privately, and is content with what is there", () => {
    const deep = path.join(folder, "a", "b", "c");
    makeFolder(deep);
    makeFolder(deep);
    expect(statSync(deep).isDirectory()).toBe(true);
    if (process.platform !== "win32") expect(statSync(path.join(folder, "a")).mode & 0o777).toBe(0o700);
  });

  it("fails where a file is in the way", () => {
    writeFileSync(path.join(folder, "file"), "");
    expect(() => makeFolder(path.join(folder, "file", "inner"))).toThrow("ENOTDIR");
  });

  it.skipIf(process.platform !== "linux")("fails, and ends, where nothing can be made", () => {
    expect(() => makeFolder("/proc/none/at/all")).toThrow("ENOENT");
  });
});
