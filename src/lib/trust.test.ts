// Files that strangers may have put there: read when they are plain and small, and never waited for.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import { readForeign } from "./files.ts";

const folder = mkdtempSync(path.join(tmpdir(), "throughline-foreign-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => path.join(folder, name);

it("reads a plain file of at most so many bytes, and a link to one", () => {
  writeFileSync(at("plain"), "text");
  symlinkSync(at("plain"), at("link"));
  expect([readForeign(at("plain"), 4), readForeign(at("link"), 4), readForeign(at("plain"), 3)]).toEqual([
    "text",
    "text",
    undefined,
  ]);
});

it("reads no pipe, device, folder, and nothing that leads nowhere", () => {
  spawnSync("mkfifo", [at("pipe")]);
  symlinkSync("/dev/zero", at("endless"));
  symlinkSync(at("circle"), at("circle"));
  mkdirSync(at("folder"));
  for (const name of ["pipe", "endless", "circle", "folder", "missing"])
    expect(readForeign(at(name), 1_000_000)).toBeUndefined();
});
