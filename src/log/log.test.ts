// The worker's log: private, bounded, and without secrets.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openLog } from "./log.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "throughline-log-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const options = () => ({
  file: path.join(folder, "worker.log"),
  level: "info",
  maxBytes: 1_000,
  keep: 2,
  redact: (record: Record<string, unknown>) => record,
});

it("keeps the newest lines in files that do not grow, and no more files than it should", () => {
  const log = openLog(options());
  for (let at = 0; at < 100; at++) log.info({ at }, "a line of the log");
  expect(readdirSync(folder).sort()).toEqual(["worker.log", "worker.log.1", "worker.log.2"]);
  for (const name of readdirSync(folder))
    expect(statSync(path.join(folder, name)).size).toBeLessThanOrEqual(1_000);
  expect(readFileSync(options().file, "utf8")).toContain('"at":99');
});

it("writes what is told with a line only after it was redacted", () => {
  const log = openLog({ ...options(), redact: () => ({ problem: "[redacted: test]" }) });
  log.error({ problem: "a secret" }, "message");
  const line = JSON.parse(readFileSync(options().file, "utf8"));
  expect(line).toEqual({
    level: "error",
    time: expect.any(String),
    problem: "[redacted: test]",
    msg: "message",
  });
});

it.skipIf(process.platform === "win32")("is its owner's alone, the files that were set aside too", () => {
  const log = openLog(options());
  for (let at = 0; at < 50; at++) log.info({ at }, "a line of the log");
  for (const name of readdirSync(folder)) expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
});

it("leaves out levels below the one that is set", () => {
  const log = openLog({ ...options(), level: "warn" });
  log.info("quiet");
  log.warn("loud");
  expect(readFileSync(options().file, "utf8").trim().split("\n")).toHaveLength(1);
});
