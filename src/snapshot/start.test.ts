// What a start claims to have done: no more than the disk let it do.

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { HOUR } from "../lib/index.ts";
import { snapshotFolder, snapshotName } from "./folder.ts";
import { addReference } from "./page.ts";
import { type StartReport, startSession } from "./start.ts";

const at = Date.UTC(2026, 10, 15, 8, 30);

let project = "";
beforeEach(() => {
  project = mkdtempSync(path.join(tmpdir(), "throughline-start-"));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

const page = (): string => path.join(project, "CLAUDE.md");
const start = (): StartReport =>
  startSession({
    project,
    session: "s2",
    source: "startup",
    now: at + 3 * HOUR,
    hours: 2,
    language: "en",
    keep: () => undefined,
    key: undefined,
    tracked: new Set(),
    isFirstSight: () => true,
  });

it("a page that may not be written keeps its block, and is not reported as removed", () => {
  mkdirSync(snapshotFolder(project));
  writeFileSync(path.join(snapshotFolder(project), snapshotName(at)), "# A snapshot\n");
  writeFileSync(page(), "# Rules\n");
  addReference(project, "CLAUDE.md", { name: snapshotName(at), at, hours: 2, language: "en" });
  chmodSync(page(), 0o444);
  const first = start();
  expect(first.message).toBe("Throughline: cleaned up an outdated snapshot");
  expect(first.lines.join("\n")).not.toContain("Removed the reference");
  const second = start();
  expect(second.decision).toMatchObject({ action: "CLEANUP", reason: "missing-file" });
  expect([second.message, second.unreferenced]).toEqual([undefined, []]);
  chmodSync(page(), 0o644);
  expect(start().message).toBe("Throughline: cleaned up an outdated snapshot reference");
  expect(readFileSync(page(), "utf8")).toBe("# Rules\n");
});
