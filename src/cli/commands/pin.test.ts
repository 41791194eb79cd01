// A turn that is pinned by its words, found again by its tag, and kept by the ledger of its session.
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { commandLine } from "../../../test/commandLine.ts";

const terminal = commandLine();
let folder = "";
let file = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-pin-"));
  file = path.join(folder, "s.jsonl");
  copyFileSync(path.join(import.meta.dirname, "../../../sample/session.jsonl"), file);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("keeps the newest turn, or one that is named by its words, and lets it go again", async () => {
  const pinned = (...args: readonly string[]) =>
    terminal.jsonInProcess("pin", file, ...args) as Promise<{
      readonly session: string;
      readonly tag: string;
      readonly text: string;
    }>;
  const newest = await pinned();
  expect(await pinned(newest.text.split(/\s+/).slice(0, 3).join(" "))).toEqual(newest);
  const { out } = await terminal.runInProcess(["ledger", newest.session.slice(0, 8)]);
  expect(out).toContain("pinned");
  expect(await pinned(newest.tag, "--undo")).toEqual({ ...newest, pinned: false });
  const missing = await terminal.runInProcess(["pin", file, "no such words at all"]);
  expect([missing.code === 0, missing.err]).toEqual([false, expect.stringContaining(newest.tag)]);
});
